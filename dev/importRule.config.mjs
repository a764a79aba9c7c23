/**
 * Import rule (a step of `npm test`): imports go down, over any number of layers; never up, to a neighbour or in a circle.
 * It is not in eslint.config.mjs because n8n's strict mode allows no change there; parser, plugins and resolver are those
 * that n8n's configuration brings. Type imports count, too. It does not see circles of `require` within one folder.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { config as n8n } from '@n8n/node-cli/eslint';
import { ROOT } from './paths.js';

const NODE = 'nodes/HealthDataService';

/** From the descriptions for n8n down to plain helpers; folders of one layer are neighbours. */
const LAYERS = [
	['*.node.ts'],
	['resources/**', 'trigger/**', 'listSearch/**'],
	['fields/**'],
	['messages/**'],
	['service/readings/**'],
	['service/users/**'],
	['http/**'],
	['shared/**'],
];

/** The same for the tools. What both the demo and the installation import is below both. */
const DEV_LAYERS = [
	['setup.*', 'demo/**', 'bench/**', 'prose/**', 'scan/**', 'scripts/**'],
	['host/**', 'sandbox/**'],
	['install/**'],
	['paths.*'],
];

/** The names that are in no layer. @param {string} home @param {string[][]} layers @param {string[]} names */
const withoutLayer = (home, layers, names) => {
	const known = layers.flat().map((folder) => folder.split('/')[0]);
	return names.filter((name) => !known.includes(name)).map((name) => `${home}/${name}`);
};
/** @param {string} home */
const folders = (home) =>
	readdirSync(join(ROOT, home), { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && entry.name !== '__schema__')
		.map(({ name }) => name);
const strays = [...withoutLayer(NODE, LAYERS, folders(NODE)), ...withoutLayer('dev', DEV_LAYERS, folders('dev'))];
if (strays.length > 0) throw new Error(`In which layer is ${strays.join(', ')}? Add it to dev/importRule.config.mjs.`);

/**
 * What each folder may not import. All of `from` are globs: a plain folder among them makes the rule fail on every import.
 * @param {string} home
 * @param {string[][]} layers
 */
const zonesOf = (home, layers) =>
	layers
		.flatMap((layer, depth) =>
			layer.map((folder) => {
				const closed = [...layers.slice(0, depth).flat(), ...layer.filter((other) => other !== folder)];
				return {
					target: `${home}/${folder}`,
					from: closed.map((other) => `${home}/${other}`),
					message: 'Imports go down, never up and never to a neighbour.',
				};
			}),
		)
		.filter(({ from }) => from.length > 0);

const zones = [
	...zonesOf(NODE, LAYERS),
	...zonesOf('dev', DEV_LAYERS),
	{
		target: 'credentials/**',
		from: LAYERS.flat()
			.filter((folder) => folder !== 'http/**')
			.map((folder) => `${NODE}/${folder}`),
		message: 'The credential may import http/ only.',
	},
	{
		target: '{nodes,credentials}/**',
		from: ['dev/**', 'test/**'],
		message: 'Shipped code imports no tools and no tests.',
	},
	{
		target: 'dev/sandbox/*.ts',
		from: ['nodes/**', 'credentials/**', 'test/**', 'dev/!(sandbox)/**', 'dev/*'],
		message: 'The sandbox imports only itself, because it stands for the service.',
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
						{ name: 'n8n-workflow', allowTypeImports: true, message: 'The service layer imports only types of n8n.' },
					],
				},
			],
		},
	},
];
