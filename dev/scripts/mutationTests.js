/**
 * Test selection of `npm run mutation`: the tests that run for each file of the node.
 */
const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../paths');

const NODE = 'nodes/HealthDataService';

/**
 * File of the node → its tests below test/, or a folder of them. A file without a row takes that of its folder. All of them are
 * loaded for every change, and those that reach it run: so as few as possible, without n8n's engine where such tests exist.
 * @type {Record<string, string>}
 */
const TESTS = {
	shared: 'unit/problem',
	'shared/concurrentMap.ts': 'unit/concurrentMap',
	'shared/values.ts': 'unit/values',
	'shared/calendarDay.ts': 'unit/calendar unit/calendarDay',
	http: 'unit/client',
	'http/authenticate.ts': 'unit/authenticate unit/baseUrl',
	'http/circuitBreaker.ts': 'unit/requestQueue',
	'http/classify.ts': 'unit/classify',
	'http/deadlines.ts': 'unit/deadlines',
	'http/errors.ts': 'unit/errors unit/retry',
	'http/rateLimiter.ts': 'unit/rateLimiter',
	'http/redirect.ts': 'unit/redirect',
	'http/requestQueue.ts': 'unit/requestQueue unit/rateLimiter unit/attempts',
	'http/retry.ts': 'unit/attempts unit/retry unit/requestOptions',
	'http/sleep.ts': 'unit/attempts',
	service: 'unit/userSelection',
	'service/aggregates.ts': 'unit/daily',
	'service/daily.ts': 'unit/daily unit/collect',
	'service/readingId.ts': 'unit/readingId unit/rowsWithId unit/instants',
	'service/readingPages.ts': 'unit/paging',
	'service/readings.ts': 'unit/readings unit/collect unit/rowsWithId',
	'service/readUsers.ts': 'unit/readUsers',
	'service/progress.ts': 'engine/progress',
	'service/providerCheck.ts': 'engine/provider unit/runs trigger/logLines',
	'service/rowLimit.ts': 'unit/collect unit/rowsWithId unit/userPaginator',
	'service/userPaginator.ts': 'unit/userPaginator',
	'service/summary.ts': 'unit/summary unit/collect',
	'service/users.ts': 'unit/users unit/userSelection',
	trigger: 'trigger/saved trigger/watched trigger/brokenUser trigger/options',
	'trigger/cursors.ts':
		'trigger/brokenUser trigger/rounds trigger/watchedUsers trigger/listedUsers trigger/clock trigger/progress',
	'trigger/reader.ts': 'trigger/brokenUser trigger/slowUser trigger/rounds trigger/progress trigger/watchedUsers',
	'trigger/results.ts':
		'trigger/brokenUser trigger/manyRows trigger/reports trigger/clock trigger/saved trigger/options',
	'trigger/scheduler.ts': 'trigger/scheduler trigger/renamed trigger/saved',
	'trigger/seen.ts': 'trigger/whatIsNew trigger/sameTime trigger/seam trigger/clock unit/rowsWithId',
	'trigger/settings.ts': 'trigger/options unit/fields',
	'trigger/state.ts': 'trigger/clock trigger/options trigger/saved',
	'trigger/testEvent.ts': 'trigger/testEvent',
	fields: 'unit/fields engine/fields',
	resources: 'engine/timeseries engine/user engine/partWrong',
	'resources/operation.ts': 'unit/runs unit/collect engine/fields engine/runs engine/provider engine/progress',
	'resources/timeseries/calendar.ts': 'unit/calendar',
	'resources/timeseries/dateRange.ts': 'unit/calendar',
	'resources/timeseries/output.ts': 'unit/collect',
	listSearch: 'engine/pickers',
};

const FOLDERS = Object.keys(TESTS).filter((name) => !name.includes('/'));

/** @param {string} file */
const testsOf = (file) => (TESTS[file] ?? TESTS[file.split('/')[0]] ?? '').split(' ').filter(Boolean);

/** @param {string} what a folder or a file @returns {string[]} */
const filesOf = (what) =>
	what.endsWith('.ts')
		? [what].filter((file) => existsSync(join(ROOT, NODE, file)))
		: !FOLDERS.includes(what)
			? []
			: readdirSync(join(ROOT, NODE, what), { recursive: true })
					.map((name) => `${what}/${String(name).replaceAll('\\', '/')}`)
					.filter((name) => name.endsWith('.ts'))
					.sort();

/** Stryker's options of the tests of a file. @param {string} file */
const jestOptionsFor = (file) => ({
	configFile: 'test/jest.config.js',
	config: {
		testMatch: testsOf(file).map((name) => `<rootDir>/test/${name}{/*,}.test.{ts,js}`),
		// With a limit, jest runs even a single file in a process of its own, and Stryker sees no coverage.
		workerIdleMemoryLimit: null,
	},
	// This search for tests by import finds none.
	enableFindRelatedTests: false,
});

module.exports = { FOLDERS, NODE, TESTS, filesOf, jestOptionsFor, testsOf };
