/**
 * Tool commands of package.json, each with what it needs. All arguments but `--help` go to the tool.
 *   node dev/scripts/tool.js NAME ...
 */
const { readSwitches } = require('../install/switches');
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { setUp } = require('../install/setUp');
const { ROOT } = require('../paths');

const CODE = ['{nodes,credentials,dev,test}/**/*.{ts,js,mjs}', 'gulpfile.js'];

/** Skips files that passed before, unchanged. Only for checks that look at one file at a time. @param {string} name */
const cached = (name) => ['--cache', '--cache-strategy', 'content', '--cache-location', `.cache/${name}`];

/**
 * `n8n-node lint` without .cache, which holds an n8n after the demo. It also compares the configuration; here a test does. Not
 * cached: its rules look at other files too, such as the icons.
 */
const LINT = ['eslint', '.', '--ignore-pattern', '.cache/'];

const SPELLING = ['cspell', 'lint', '--config', 'dev/prose/cspell.json', '--no-progress', '--no-summary', '--quiet'];

/**
 * @typedef {{ about: string, needs?: Array<'build' | 'host' | 'browser'>, commands: string[][], long?: Record<string, string> }} Tool
 *   `commands`: one after the other, until one fails; `long`: environment that `--long` sets
 */
/** @type {Record<string, Tool>} */
const TOOLS = {
	build: { about: 'Builds dist/, exactly what ships.', commands: [['gulp', 'build']] },
	format: { about: 'Formats all code.', commands: [['prettier', '--write', '--log-level', 'warn', ...CODE]] },
	'format:check': {
		about: 'Names the files that are not formatted.',
		commands: [['prettier', '--check', '--log-level', 'warn', ...cached('prettier'), ...CODE]],
	},
	lint: { about: 'Lints, with the strict rules of the verification.', commands: [LINT] },
	'lint:imports': {
		about: 'Import rule: which folders a file may import from.',
		commands: [
			['eslint', '--config', 'dev/importRule.config.mjs', '--no-inline-config', 'nodes', 'credentials', 'dev'],
		],
	},
	'lint:fix': { about: 'Lints, and fixes what can be fixed.', commands: [[...LINT, '--fix']] },
	spelling: {
		about: 'Spelling of code, comments and pages. New terms go into dev/prose/words.txt.',
		commands: [[...SPELLING, ...cached('cspell'), '**/*.md', ...CODE]],
	},
	pages: {
		about: 'Markdown, terminology and local links of the pages.',
		commands: [
			['markdownlint-cli2', '--config', 'dev/prose/.markdownlint-cli2.jsonc', '*.md', 'docs/*.md', 'dev/bench/*.md'],
			['textlint', '--config', 'dev/prose/textlint.json', '*.md', 'docs/*.md', 'dev/bench/*.md'],
			['tsx', 'dev/prose/links.mjs'],
		],
	},
	'test:e2e': {
		about: `The operations, the trigger, the examples and the demo in a real n8n, its editor in a real browser, and every
installation of docs/install.md. Installs n8n, and a browser where there is none.`,
		needs: ['host', 'browser'],
		commands: [['jest', '--config', 'test/jest.e2e.config.js']],
	},
	'test:queue': {
		about: `n8n in queue mode with two workers: the nightly read, while worker, main process, PostgreSQL and Redis are killed or
restarted. \`--long\`: nights of 20,000 and 45,000 users, too, about half an hour.`,
		needs: ['host'],
		long: { LONG_NIGHTS: '1' },
		commands: [['jest', '--config', 'test/jest.queue.config.js']],
	},
	'test:unit': {
		about: "Unit tests, tests in n8n's engine, the trigger against a model.",
		commands: [['jest', '--config', 'test/jest.config.js']],
	},
	'test:package': {
		about:
			'The package as it would be published, a release, a new metric by its page, every command, regular expressions, the import rule.',
		// Not by a test: other commands may use dist/ at the same time.
		needs: ['build'],
		commands: [['jest', '--config', 'test/jest.package.config.js']],
	},
	typecheck: {
		about: 'Types of the node, the tools and the tests, JavaScript included.',
		commands: ['dev', 'test'].map((folder) => [
			...['tsc', '-p', `${folder}/tsconfig.json`],
			...['--incremental', '--tsBuildInfoFile', `.cache/types-${folder}.json`],
		]),
	},
};

/**
 * Runs a program of node_modules.
 * @param {string[]} command
 * @param {Record<string, string>} [env] added to ours
 * @returns {number} its status
 */
function runTool([name, ...args], env) {
	const { status, error } = spawnSync(join(ROOT, 'node_modules', '.bin', name), args, {
		cwd: ROOT,
		stdio: 'inherit',
		env: { ...process.env, ...env },
		shell: process.platform === 'win32',
	});
	if (error) console.error(error.message);
	return status ?? 1;
}

/** @param {string[]} args */
function main([name, ...given]) {
	const { about, needs = [], commands, long } = TOOLS[name];
	readSwitches({ name, about, passesTo: commands[0][0] }, given);
	setUp(...needs);
	const isLong = long !== undefined && given.includes('--long');
	const args = isLong ? given.filter((arg) => arg !== '--long') : given;
	for (const command of commands) {
		const status = runTool([...command, ...args], isLong ? long : {});
		if (status !== 0) process.exit(status);
	}
}

if (require.main === module) main(process.argv.slice(2));

module.exports = { SPELLING, TOOLS, runTool };
