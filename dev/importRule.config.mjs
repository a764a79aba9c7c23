/**
 * Import rule between the rooms (a step of `npm test`): down any number of floors, never up, never to a neighbour, never in a circle.
 * It is not in eslint.config.mjs because n8n's strict mode allows no change there; parser, plugins and resolver are those
 * that n8n's configuration brings. Type imports count, too. Circles of `require` within one room it does not see.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { config as n8n } from '@n8n/node-cli/eslint';
import { ROOT } from './paths.js';

const NODE = 'nodes/HealthDataService';

/** From what n8n sees down to plain helpers; rooms in one line are neighbours. */
const FLOORS = [
	['*.node.ts'],
	['resources/**', 'trigger/**', 'listSearch/**'],
	['fields/**'],
	['service/**'],
	['http/**'],
	['shared/**'],
];

/** The same for the tools. Whatever both a demo and an installation need lies below both. */
const DEV_FLOORS = [
	['setup.*', 'demo/**', 'bench/**', 'prose/**', 'scan/**', 'scripts/**'],
	['host/**', 'sandbox/**'],
	['install/**'],
	['paths.*'],
];

/** The names that are on no floor. @param {string} home @param {string[][]} floors @param {string[]} names */
const floorless = (home, floors, names) => {
	const known = floors.flat().map((room) => room.split('/')[0]);
	return names.filter((name) => !known.includes(name)).map((name) => `${home}/${name}`);
};
/** @param {string} home */
const folders = (home) =>
	readdirSync(join(ROOT, home), { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && entry.name !== '__schema__')
		.map(({ name }) => name);
const strays = [...floorless(NODE, FLOORS, folders(NODE)), ...floorless('dev', DEV_FLOORS, folders('dev'))];
if (strays.length > 0) throw new Error(`On which floor is ${strays.join(', ')}? Say so in dev/importRule.config.mjs.`);

/**
 * What each room may not import. All of `from` are globs: a plain folder among them makes the rule fail on every import.
 * @param {string} home
 * @param {string[][]} floors
 */
const zonesOf = (home, floors) =>
	floors
		.flatMap((rooms, floor) =>
			rooms.map((room) => {
				const closed = [...floors.slice(0, floor).flat(), ...rooms.filter((other) => other !== room)];
				return {
					target: `${home}/${room}`,
					from: closed.map((other) => `${home}/${other}`),
					message: 'Imports go down, never up and never to a neighbour.',
				};
			}),
		)
		.filter(({ from }) => from.length > 0);

const zones = [
	...zonesOf(NODE, FLOORS),
	...zonesOf('dev', DEV_FLOORS),
	{
		target: 'credentials/**',
		from: FLOORS.flat()
			.filter((room) => room !== 'http/**')
			.map((room) => `${NODE}/${room}`),
		message: 'What the credential needs of the node is in http/.',
	},
	{
		target: '{nodes,credentials}/**',
		from: ['dev/**', 'test/**'],
		message: 'What ships knows nothing of tools and tests.',
	},
	{
		target: 'dev/sandbox/*.ts',
		from: ['nodes/**', 'credentials/**', 'test/**', 'dev/!(sandbox)/**', 'dev/*'],
		message: 'The sandbox is the service: it stands alone.',
	},
];

/** @param {string} name */
const pluginOf = (name) => n8n.find(({ plugins }) => plugins?.[name])?.plugins?.[name] ?? {};

/**
 * @typedef {{ source?: { value: string } | null, specifiers?: Array<{ importKind?: string }>, importKind?: string, exportKind?: string }} Statement
 * @typedef {{ parseForESLint(code: string, options?: object): { ast: { body: Statement[] } } }} Parser
 */
const typescript = /** @type {Parser} */ (
	n8n.find(({ languageOptions }) => languageOptions?.parser)?.languageOptions?.parser
);

/** n8n's parser, for which a type import from a file of our own is an import like any other: `no-cycle` ignores type imports. */
const parser = {
	...typescript,
	/** @type {Parser['parseForESLint']} */
	parseForESLint(code, options) {
		const result = typescript.parseForESLint(code, options);
		for (const node of result.ast.body.filter(({ source }) => source?.value.startsWith('.'))) {
			if (node.importKind) node.importKind = 'value';
			if (node.exportKind) node.exportKind = 'value';
			for (const specifier of node.specifiers ?? []) if (specifier.importKind) specifier.importKind = 'value';
		}
		return result;
	},
};
const settings = n8n.find((part) => part.settings?.['import-x/resolver-next'])?.settings;

/** @type {import('eslint').Linter.Config[]} */
export default [
	{
		files: ['**/*.{ts,js,mjs}'],
		languageOptions: { parser },
		settings: {
			...settings,
			'import-x/extensions': ['.ts', '.js', '.mjs'],
			'import-x/external-module-folders': ['node_modules'],
		},
		plugins: { 'import-x': pluginOf('import-x'), '@typescript-eslint': pluginOf('@typescript-eslint') },
		rules: {
			'import-x/no-cycle': 'error',
			'import-x/no-restricted-paths': ['error', { zones }],
			'import-x/no-unresolved': ['error', { commonjs: true, ignore: ['/dist/'] }],
		},
	},
	{
		files: [`${NODE}/service/**`],
		rules: {
			'@typescript-eslint/no-restricted-imports': [
				'error',
				{
					paths: [
						{ name: 'n8n-workflow', allowTypeImports: true, message: 'The service knows no n8n: only its types.' },
					],
				},
			],
		},
	},
];
