/**
 * `node dev/scripts/mutation.js --of http/requestQueue.ts`: StrykerJS makes small wrong changes to one file or folder of the node, one at a
 * time, and reports those that no test detects. mutationTests.js selects the tests, docs/mutation.md has the results.
 */
const { readSwitches } = require('../install/switches');
const switches = readSwitches({
	name: 'node dev/scripts/mutation.js',
	about: `Makes small wrong changes to the node's code, one at a time, and reports those that no test detects.
Texts and fields of the screen are left out, since they are computed only once, when the code is loaded.
The reports are .cache/mutation/<file>.html.`,
	switches: {
		of: {
			type: 'string',
			value: 'FILE',
			default: 'shared',
			about: 'a file such as http/requestQueue.ts, or a folder such as http',
		},
		concurrency: { type: 'number', default: 1, about: 'mutants tested at a time' },
		force: {
			type: 'boolean',
			about: 'test all mutants again, not only where code or tests have changed',
		},
	},
});

const { mkdirSync } = require('node:fs');
const { setPriority } = require('node:os');
const { join, relative } = require('node:path');
const { runAsScript } = require('../install/command');
const { ReadableError } = require('../install/failure');
const { setUp } = require('../install/setUp');
const { remove, temporaryFolder } = require('../install/temporary');
const { CACHE, ROOT } = require('../paths');
const { filesOf, FOLDERS, jestOptionsFor, NODE } = require('./mutationTests');

const OUTPUT = relative(ROOT, join(CACHE, 'mutation'));

/**
 * @param {string} file
 * @param {{ concurrency: number, force: boolean, folder: string }} options
 */
function optionsFor(file, { concurrency, force, folder }) {
	const name = join(OUTPUT, file.replaceAll('/', '.'));
	return {
		mutate: [`${NODE}/${file}`],
		testRunner: 'jest',
		plugins: ['@stryker-mutator/jest-runner'],
		jest: jestOptionsFor(file),
		coverageAnalysis: 'perTest',
		ignoreStatic: true,
		incremental: true,
		incrementalFile: `${name}.incremental.json`,
		force,
		concurrency,
		// n8n's engine keeps some memory of every test.
		maxTestRunnerReuse: 100,
		// On a busy machine a slow test must not count as one that has detected the change.
		timeoutMS: 15_000,
		dryRunTimeoutMinutes: 15,
		tempDirName: folder,
		ignorePatterns: ['.cache', 'dist', 'docs/images'],
		disableTypeChecks: false,
		cleanTempDir: 'always',
		reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only', 'clear-text', 'html', 'json'],
		clearTextReporter: { allowColor: Boolean(process.stdout.isTTY), logTests: false, reportTests: false },
		htmlReporter: { fileName: `${name}.html` },
		jsonReporter: { fileName: `${name}.json` },
		thresholds: { high: 90, low: 80, break: null },
	};
}

/** @typedef {{ file: string, mutants: Array<{ status: string }> }} Result */

async function main() {
	/** @type {Result[]} */
	const results = [];
	setUp();
	const what = switches.of.replace(new RegExp(`^${NODE}/|/$`, 'g'), '');
	const files = filesOf(what);
	if (files.length === 0) throw new ReadableError(`There is no ${NODE}/${what}. The folders: ${FOLDERS.join(', ')}`);
	mkdirSync(join(ROOT, OUTPUT), { recursive: true });
	process.chdir(ROOT);
	// For copies of the repository. Inside it, the linter would read those that a killed run has left.
	const folder = temporaryFolder();
	// Lower priority than other programs of this machine.
	setPriority(10);
	const { Stryker } = await import('@stryker-mutator/core');
	for (const file of files) {
		const options = optionsFor(file, { ...switches, folder });
		results.push({ file, mutants: await new Stryker(options).runMutationTest() });
	}
	remove(folder);
	console.table(results.map(summary));
}

/** Counts of one file's mutants; those of texts and fields of the screen are left out. @param {Result} result */
function summary({ file, mutants }) {
	const count = (/** @type {string[]} */ ...statuses) =>
		mutants.filter(({ status }) => statuses.includes(status)).length;
	const [noticed, missed] = [count('Killed', 'Timeout'), count('Survived', 'NoCoverage')];
	return { file, noticed, missed, percent: Math.round((1000 * noticed) / (noticed + missed || 1)) / 10 };
}

void runAsScript(main);
