/**
 * `npm test`: everything that can be checked without a running n8n, one step after the other, stopping at the first that fails.
 */
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { ROOT } = require('../paths');

/** @param {string} name */
const bin = (name) => join(ROOT, 'node_modules', '.bin', name);

const JEST = ['jest', '--config', 'test/jest.config.js'];

const STEPS = [
	{ title: 'Lint, with the strict rules of the verification', command: ['n8n-node', 'lint'] },
	{
		title: 'Who may import whom',
		command: ['eslint', '--config', 'dev/importRule.config.mjs', '--no-inline-config', 'nodes', 'credentials', 'dev'],
	},
	{
		title: 'Formatting',
		command: [
			'prettier',
			'--check',
			'--log-level',
			'warn',
			'{nodes,credentials,dev,test}/**/*.{ts,js,mjs}',
			'gulpfile.js',
		],
	},
	{ title: 'Types of all that only developers run, JavaScript included', command: ['tsc', '-p', 'dev/tsconfig.json'] },
	{ title: 'Types of node and tests', command: ['tsc', '-p', 'test/tsconfig.json'] },
	{ title: "Unit tests, tests in n8n's engine, the packed package", command: [...JEST] },
	{
		title: 'The engine tests again, with expressions evaluated in an isolate as n8n does',
		command: [...JEST, 'test/engine'],
		env: { EXPRESSION_ENGINE: 'quickjs', NODE_OPTIONS: '--experimental-vm-modules --no-warnings' },
	},
];

for (const [index, { title, command, env }] of STEPS.entries()) {
	console.log(`\n[${index + 1}/${STEPS.length}] ${title}`);
	const [name, ...args] = command;
	const { status, error } = spawnSync(bin(name), args, {
		cwd: ROOT,
		stdio: 'inherit',
		env: { ...process.env, ...env },
		shell: process.platform === 'win32',
	});
	if (error) console.error(error.message);
	if (status !== 0) {
		console.error(`\nFailed: ${title}`);
		process.exit(status ?? 1);
	}
}
console.log(`\nAll ${STEPS.length} steps passed.`);
