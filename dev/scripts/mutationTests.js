/**
 * Test selection of dev/scripts/mutation.js: the tests that run for each file of the node.
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
	shared: 'unit/shared/problem',
	'shared/concurrentMap.ts': 'unit/shared/concurrentMap',
	'shared/values.ts': 'unit/shared/values unit/shared/problem',
	'shared/calendarDay.ts': 'unit/resources/timeseries/dateRange unit/shared/calendarDay',
	http: 'unit/http/client unit/http/client.refused',
	'http/authenticate.ts': 'unit/http/authenticate unit/http/authenticate.address unit/http/authenticate.baseUrl',
	'http/circuitBreaker.ts': 'unit/http/requestQueue',
	'http/classify.ts': 'unit/http/classify',
	'http/deadlines.ts': 'unit/http/deadlines',
	'http/errors.ts': 'unit/http/errors unit/http/retry',
	'http/redirect.ts': 'unit/http/redirect',
	'http/requestQueue.ts':
		'unit/http/requestQueue unit/http/requestQueue.rate unit/http/retry.attempts unit/http/retry.throttles',
	'http/retry.ts': 'unit/http/retry.attempts unit/http/retry.throttles unit/http/retry',
	'http/serviceClock.ts': 'trigger/clock',
	service: 'unit/service/userSelection unit/service/users',
	'service/aggregates.ts': 'unit/service/aggregates unit/service/daily',
	'service/daily.ts': 'unit/service/daily unit/resources/timeseries/output',
	'service/readingId.ts': 'unit/service/readingId unit/service/readings.rowsWithId unit/service/readingId.instants',
	'service/readingPages.ts': 'unit/service/readingPages',
	'service/readings.ts': 'unit/service/readings unit/resources/timeseries/output unit/service/readings.rowsWithId',
	'service/readUsers.ts': 'unit/service/readUsers',
	'service/resolveMany.ts': 'unit/service/resolveMany unit/service/userSelection',
	'service/progress.ts': 'engine/progress',
	'service/providerCheck.ts': 'engine/provider unit/resources/operation trigger/logLines',
	'service/rowLimit.ts': 'unit/resources/timeseries/output unit/service/readings.rowsWithId unit/service/userPaginator',
	'service/userPaginator.ts':
		'unit/service/userPaginator unit/service/userPaginator.moves unit/service/userPaginator.requests',
	'service/summary.ts': 'unit/service/summary unit/resources/timeseries/output',
	'service/users.ts': 'unit/service/users unit/service/userSelection',
	trigger: 'trigger/saved trigger/watched trigger/brokenUser trigger/options',
	'trigger/cursors.ts':
		'trigger/brokenUser trigger/rounds trigger/watchedUsers trigger/listedUsers trigger/clock trigger/progress',
	'trigger/reader.ts': 'trigger/brokenUser trigger/slowUser trigger/rounds trigger/progress trigger/watchedUsers',
	'trigger/results.ts':
		'trigger/brokenUser trigger/manyRows trigger/reports trigger/clock trigger/saved trigger/options',
	'trigger/scheduler.ts': 'trigger/scheduler trigger/renamed trigger/saved',
	'trigger/seen.ts': 'trigger/whatIsNew trigger/sameTime trigger/seam trigger/clock unit/service/readings.rowsWithId',
	'trigger/settings.ts': 'trigger/options unit/fields/fields',
	'trigger/state.ts': 'trigger/clock trigger/options trigger/saved',
	'trigger/testEvent.ts': 'trigger/testEvent',
	fields: 'unit/fields/fields unit/fields/users engine/fields engine/fields.items engine/fields.trigger',
	resources: 'engine/timeseries engine/user engine/partWrong',
	'resources/operation.ts':
		'unit/resources/operation unit/resources/timeseries/output engine/fields.items engine/runs engine/provider engine/progress',
	'resources/timeseries/calendar.ts': 'unit/resources/timeseries/dateRange',
	'resources/timeseries/dateRange.ts': 'unit/resources/timeseries/dateRange',
	'resources/timeseries/output.ts': 'unit/resources/timeseries/output',
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
