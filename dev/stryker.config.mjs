/**
 * StrykerJS: small wrong changes to one file or folder, one at a time, and those that no test detects. CONTRIBUTING.md says more.
 *   npx stryker run dev/stryker.config.mjs --mutate nodes/HealthDataService/http/retry.ts
 */
import { existsSync } from 'node:fs';

const NODE = 'nodes/HealthDataService/';
const mutated = process.argv[process.argv.indexOf('--mutate') + 1];
/** Such as `http/retry` or `http`. */
const name = mutated.replace(NODE, '').replace(/(\/\**)*(\/?\*?\.ts)?$/, '');
if (!existsSync(NODE + name) && !existsSync(`${NODE + name}.ts`))
	throw new Error(`Say which file: --mutate ${NODE}http/retry.ts`);

/**
 * Tests of a file below test/, beside those in test/unit that are named after it. A file with neither takes those of its folder. All
 * of them are loaded for every change: so as few as possible, and without n8n's engine where such tests exist.
 * @type {Record<string, string>}
 */
const TESTS = {
	'shared/dateTime': 'unit/resources/timeseries/dateRange',
	'shared/values': 'unit/shared/problem',
	http: 'unit/http/{client,requestQueue} engine/refusals',
	'http/requestQueue': 'unit/http/{client,retry} engine/longReads',
	'http/retry': 'unit/http/{client,requestQueue}',
	service: 'unit/service/{users/selection,users/list,readings/summary} engine/users',
	'service/readings/identity': 'engine/ids',
	'service/readings/readUsers': 'engine/{longReads,partWrong}',
	'service/users/selection': 'engine/users',
	'service/readings/summary': 'engine/outputs',
	'service/users/provider': 'engine/fields',
	'service/users/users': 'unit/service/users/selection engine/users',
	trigger: 'trigger/{saved,watched,failedUsers,failedPolls,readings,reports} unit/fields/fields',
	fields: 'unit/fields/{fields,users} engine/{fields,tool}',
	resources: 'engine/{outputs,users,partWrong,longReads} unit/resources/timeseries/dateRange',
	'resources/operation': 'engine/{fields,runs,longReads}',
	'messages/words': 'unit/messages/{alert,report}',
	'messages/text': 'unit/messages/{alert,report}',
	'messages/report': 'engine/message',
	listSearch: 'engine/pickers',
};

const inUnit = [`unit/${name}/**/*`, `unit/${name}{,.*}`];
const named = inUnit.filter((_, at) => existsSync(`test/unit/${name}${['', '.test.ts'][at]}`));
const rows = Object.keys(TESTS).filter((row) => row === name || row.startsWith(`${name}/`));
const chosen = [...named, ...rows.flatMap((row) => TESTS[row].split(' '))];
const tests = chosen.length > 0 ? chosen : TESTS[name.split('/')[0]].split(' ');
const report = `.cache/mutation/${name.replaceAll('/', '.')}`;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	jest: {
		configFile: 'test/jest.config.js',
		config: {
			testMatch: tests.map((test) => `<rootDir>/test/${test}.test.{ts,js}`),
			// With a limit, jest runs even a single file in a process of its own, and Stryker sees no coverage.
			workerIdleMemoryLimit: null,
		},
		// Related tests are nearly all: the search follows imports over any number of files.
		enableFindRelatedTests: false,
	},
	coverageAnalysis: 'perTest',
	ignoreStatic: true,
	incremental: true,
	incrementalFile: `${report}.incremental.json`,
	concurrency: 1,
	// n8n's engine keeps some memory of every test.
	maxTestRunnerReuse: 100,
	// On a busy machine a slow test must not count as one that has detected the change.
	timeoutMS: 15_000,
	dryRunTimeoutMinutes: 15,
	tempDirName: '.cache/stryker',
	ignorePatterns: ['.cache', 'dist', 'docs/images'],
	disableTypeChecks: false,
	cleanTempDir: 'always',
	reporters: ['progress-append-only', 'clear-text', 'html'],
	clearTextReporter: { allowColor: Boolean(process.stdout.isTTY), logTests: false, reportTests: false },
	htmlReporter: { fileName: `${report}.html` },
};
