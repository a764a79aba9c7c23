/** Jest reporter: the ten slowest tests of a run, at its end. */
const { relative } = require('node:path');
const { ROOT } = require('../../dev/paths');

const MOST = 10;
/** Below this a test is not slow, and a short run ends without the list. */
const LEAST_MS = 500;

/** @typedef {import('@jest/reporters').Reporter} Reporter */

/**
 * @param {import('@jest/test-result').TestResult[]} files
 * @returns {string[]} a line for each test: seconds, file, name
 */
function slowestTests(files) {
	return files
		.flatMap(({ testFilePath, testResults }) =>
			testResults.map(({ fullName, duration }) => ({
				fullName,
				ms: duration ?? 0,
				file: relative(ROOT, testFilePath),
			})),
		)
		.filter(({ ms }) => ms >= LEAST_MS)
		.sort((one, other) => other.ms - one.ms)
		.slice(0, MOST)
		.map(({ ms, file, fullName }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}: ${fullName}`);
}

/** @implements {Reporter} */
class SlowestTests {
	/** @param {unknown} _ @param {import('@jest/test-result').AggregatedResult} results */
	onRunComplete(_, { testResults }) {
		const lines = slowestTests(testResults);
		if (lines.length > 0) console.log(`\nThe slowest tests:\n${lines.join('\n')}`);
	}
}

module.exports = SlowestTests;
