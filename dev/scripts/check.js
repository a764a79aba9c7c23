/**
 * `npm run check`: checks the files that differ from the last commit, and runs the tests that reach them.
 */
const { readSwitches } = require('../install/switches');

if (require.main === module)
	readSwitches({
		name: 'check',
		about: `Checks what has changed since the last commit, new files included: lint, imports, formatting, types, spelling, links, and the tests that
reach the changed files: the nearest first, as many as half a minute allows. \`npm test\` checks all of it.`,
	});

const { execFileSync } = require('node:child_process');
const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const { leavingNothing } = require('../install/temporary');
const { setUp } = require('../install/setUp');
const { ROOT } = require('../paths');
const { testsFor } = require('./reachingTests');
const { runSteps } = require('./steps');
const { PAGES } = require('./test');
const { SPELLING, TOOLS } = require('./tool');

const CONFIG = 'test/jest.config.js';
const JEST = ['jest', '--config', CONFIG];
const CODE = /^((nodes|credentials|dev|test)\/.*\.(ts|js|mjs)|gulpfile\.js)$/;

/** @param {string[]} args @returns {string[]} */
const gitLists = (...args) =>
	execFileSync('git', [...args, '-z'], { cwd: ROOT, encoding: 'utf8' })
		.split('\0')
		.filter(Boolean);

/** @returns {string[]} the files that differ from the last commit, deleted ones left out */
const changedFiles = () =>
	[...gitLists('diff', '--name-only', 'HEAD'), ...gitLists('ls-files', '--others', '--exclude-standard')].filter(
		(file) => existsSync(join(ROOT, file)),
	);

/**
 * The changed files to find tests for. The tests of the repository read pages, workflows and settings, which no import shows.
 * @param {string[]} changed
 */
function filesToTest(changed) {
	const isCode = (/** @type {string} */ file) => CODE.test(file);
	const ofRepository = changed.every(isCode)
		? []
		: readdirSync(join(ROOT, 'test/repository')).map((name) => `test/repository/${name}`);
	return [...new Set([...changed.filter(isCode), ...ofRepository])].filter((file) => /\.(ts|js)$/.test(file));
}

/**
 * @param {string[]} changed
 * @param {string[]} tests that reach them
 * @returns {import('./steps').Step[]} those that have something to do
 */
function stepsFor(changed, tests) {
	const code = changed.filter((file) => CODE.test(file));
	const prose = changed.filter((file) => CODE.test(file) || file.endsWith('.md'));
	const inRooms = code.filter((file) => /^(nodes|credentials|dev)\//.test(file));
	const [types, typesOfTools] = [...TOOLS.typecheck.commands].reverse();
	/** @type {Array<import('./steps').Step & { of: string[] }>} */
	const steps = [
		{
			title: `Tests that reach them (${tests.length} files)`,
			command: [...JEST, '--runTestsByPath', ...tests],
			of: tests,
		},
		{ title: 'Types of node and tests', command: types, of: code },
		{ title: 'Types of the tools', command: typesOfTools, of: code },
		{ title: 'Lint', command: ['eslint', '--no-warn-ignored', ...code], of: code },
		{ title: 'Import rule', command: [...TOOLS['lint:imports'].commands[0].slice(0, -3), ...inRooms], of: inRooms },
		{ title: 'Spelling', command: [...SPELLING, '--no-must-find-files', ...prose], of: prose },
		...PAGES.map((step) => ({ ...step, of: changed.filter((file) => file.endsWith('.md')) })),
		{ title: 'Formatting', command: ['prettier', '--check', '--log-level', 'warn', ...code], of: code },
	];
	return steps.filter(({ of }) => of.length > 0);
}

async function main() {
	setUp();
	const changed = changedFiles();
	console.log(changed.length === 0 ? 'Nothing has changed since the last commit.' : changed.join('\n'));
	const files = filesToTest(changed);
	const { run, leave } = files.length > 0 ? testsFor(CONFIG, files) : { run: [], leave: [] };
	process.on('SIGINT', () => {});
	const status = await leavingNothing(async (temporary) => await runSteps(stepsFor(changed, run), temporary));
	if (leave.length > 0)
		console.log(`\n${leave.length} more test files reach them, too many for half a minute: npm test runs them.`);
	process.exit(status);
}

if (require.main === module) void main();

module.exports = { filesToTest, stepsFor };
