/**
 * Test selection for a change: the tests that reach the changed files by imports, up to half a minute. The durations of the last
 * run are in the cache (test/setup/slowestTests.js writes them).
 */
const { execFileSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join, relative } = require('node:path');
const { CACHE, ROOT } = require('../paths');
const { NODE, testsOf } = require('./mutationTests');

/** Where imports are followed: outside of them, jest finds no test. */
const ROOTS = ['test', 'nodes', 'credentials', 'dev'];
/** Milliseconds of each test file, by its path from the root. */
const TIMES = join(CACHE, 'test-times.json');
/** Of one core, so that the tests and what runs beside them end within half a minute. */
const BUDGET_MS = 12_000;
/** Of a test file that never ran here. */
const UNKNOWN_MS = 5_000;

/** @returns {Record<string, number>} */
const recordedTimes = () => (existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, 'utf8')) : {});

/** @param {string} config @param {string[]} files @returns {string[]} test files, from the root */
function testsThatReach(config, files) {
	const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
	const args = [jest, '--config', config, '--roots', ...ROOTS, '--listTests', '--findRelatedTests', ...files];
	const listed = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
	return listed
		.split('\n')
		.filter(Boolean)
		.map((file) => relative(ROOT, file).replaceAll('\\', '/'));
}

/**
 * Changed tests first, then the tests of the changed files themselves (mutationTests.js), then the quickest of the others.
 * @param {string[]} reaching test files
 * @param {string[]} changed
 * @param {Record<string, number>} times
 * @param {number} budgetMs
 * @returns {{ run: string[], leave: string[] }}
 */
function withinBudget(reaching, changed, times, budgetMs) {
	const own = changed
		.filter((file) => file.startsWith(`${NODE}/`))
		.flatMap((file) => testsOf(file.slice(NODE.length + 1)).map((name) => `test/${name}.test.`));
	/** @param {string} file */
	const rank = (file) => (changed.includes(file) ? 0 : own.some((start) => file.startsWith(start)) ? 1 : 2);
	/** @param {string} file */
	const msOf = (file) => times[file] ?? UNKNOWN_MS;
	const inOrder = [...reaching].sort((one, other) => rank(one) - rank(other) || msOf(one) - msOf(other));
	let sum = 0;
	const fits = inOrder.map((file) => rank(file) === 0 || (sum += msOf(file)) <= budgetMs);
	return { run: inOrder.filter((_, at) => fits[at]), leave: inOrder.filter((_, at) => !fits[at]) };
}

/**
 * @param {string} config of jest
 * @param {string[]} files changed ones, and tests that are to run anyway
 */
function testsFor(config, files) {
	const reaching = testsThatReach(config, files);
	return withinBudget(reaching, files, recordedTimes(), BUDGET_MS * Math.max(2, availableParallelism()));
}

module.exports = { TIMES, recordedTimes, testsFor, testsThatReach, withinBudget };
