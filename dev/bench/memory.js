/**
 * Memory of 100,000 rows while they are read through n8n's engine, and load time of the package.
 * Runs as a process of its own, so that only this is counted. Prints JSON.
 */
require('../../test/setup/n8nSettings');
require('tsx/cjs');
const { join } = require('node:path');
const { runAsScript } = require('../install/command');
const { ROOT } = require('../paths');
const { peakWhile } = require('./peak');
const { startService } = require('./startService');

const ROWS = 100_000;

/** Milliseconds to load the built node and its credential after n8n's own library. */
function loadTime() {
	require('n8n-workflow');
	require('luxon');
	const begun = performance.now();
	require(join(ROOT, 'dist/nodes/HealthDataService/HealthDataService.node.js'));
	require(join(ROOT, 'dist/credentials/HealthDataServiceApi.credentials.js'));
	return performance.now() - begun;
}

async function main() {
	const loadMs = loadTime();
	const { baseUrl, userId, stop } = await startService({ users: 1, perUser: ROWS, pageSize: 1000 });
	// Required only here, since the load time is that of a process with nothing else loaded.
	const { runNode } = require('../../test/helpers/engine.ts');
	const { KEY } = require('./workflows');
	const read = async () =>
		await runNode({
			credential: { baseUrl, apiKey: KEY },
			timezone: 'UTC',
			parameters: {
				resource: 'timeseries',
				operation: 'bloodPressure',
				user: { __rl: true, mode: 'userId', value: userId },
				dateRange: 'days',
				startDate: '2026-01-01',
				endDate: '2026-12-31',
				returnAll: true,
			},
		});
	const { result, peak } = await peakWhile(async () => await read());
	stop();
	if (result.rows.length !== ROWS) throw new Error(`${result.rows.length} rows instead of ${ROWS}`);
	console.log(JSON.stringify({ loadMs, peakMegabytes: peak / 2 ** 20 }));
	// Handles that n8n's engine keeps open would keep the process alive.
	process.exit();
}

void runAsScript(main);
