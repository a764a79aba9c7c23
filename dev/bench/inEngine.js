/**
 * Measurements in n8n's engine: memory of a large read, and polls that find nothing new beside a plain loop. Each runs in a process
 * of its own, so that only this is counted.
 */
const { execFileSync } = require('node:child_process');
const { median } = require('./report');
const { plain } = require('./plain');
const { startService } = require('./service');
const { CREDENTIAL, KEY } = require('./workflows');

const ROWS = 100_000;
const MEGABYTE = 2 ** 20;

/** @template T @param {() => Promise<T>} work @returns {Promise<{ result: T, ms: number, peak: number }>} `peak`: of the heap's growth */
async function measured(work) {
	global.gc?.();
	const before = process.memoryUsage().heapUsed;
	let most = before;
	const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 10);
	const begun = performance.now();
	const result = await work().finally(() => clearInterval(watch));
	return { result, ms: performance.now() - begun, peak: (most - before) / MEGABYTE };
}

/** Megabytes of many rows that are read in one go. */
async function memory() {
	const { runNode } = require('../../test/helpers/engine.ts');
	const { bloodPressureOf, byUserId } = require('../../test/helpers/requests.ts');
	const service = await startService({ users: 1, perUser: ROWS, pageSize: 1000 });
	const year = { startDate: '2026-01-01', endDate: '2026-12-31' };
	const parameters = bloodPressureOf(byUserId(service.userId), year);
	const credential = { baseUrl: service.baseUrl, apiKey: KEY };
	const { result, peak } = await measured(async () => await runNode({ credential, timezone: 'UTC', parameters }));
	if (result.rows.length !== ROWS) throw new Error(`${result.rows.length} rows instead of ${ROWS}`);
	return peak;
}

/** n8n's request helper, which every node must use. @param {any} context of a poll @param {object} data of the credential */
const byHelper = (context, data) => async (/** @type {string} */ url, /** @type {object} */ query) => {
	const request = { method: 'GET', url: `${url}?${new URLSearchParams(Object.entries(query))}`, json: true };
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data };
	const { httpRequestWithAuthentication: send } = context.helpers;
	return await send.call(context, CREDENTIAL, request, { credentialsDecrypted });
};

/** @param {{ users: number, latencyMs: number, rounds: number }} options */
async function polls({ users, latencyMs, rounds }) {
	const { PollingHost } = require('../../test/helpers/pollingHost.ts');
	const service = await startService({ users, latencyMs });
	const credential = { baseUrl: service.baseUrl, apiKey: KEY };
	/** @type {unknown} */
	let context;
	const onContext = (/** @type {unknown} */ one) => void (context = one);
	const host = new PollingHost(credential, { event: 'bloodPressure', userScope: 'all' }, { onContext });
	const state = () => Object.values(JSON.parse(host.saved))[0].state;
	await host.start();
	// Reads what the first poll had no time for.
	while (state().pass === 0) await host.tick();

	const start_date = new Date(state().cursors[0].from).toISOString();
	const read = async (/** @type {ReturnType<typeof plain>} */ loop) =>
		(await measured(async () => await loop.readAll(await loop.listUsers(), { start_date }))).ms;
	/** @type {Array<Record<'ms' | 'peak' | 'requests' | 'axiosMs' | 'helperMs', number>>} */
	const times = [];
	for (let round = 0; round < rounds; round++) {
		await service.requests();
		const { result, ms, peak } = await measured(async () => await host.tick());
		const requests = await service.requests();
		if (result !== undefined || requests < users)
			throw new Error('The poll has found something, or not read everything');
		const axiosMs = await read(plain(service.baseUrl));
		const helperMs = await read(plain(service.baseUrl, 8, byHelper(context, credential)));
		times.push({ ms, peak, requests, axiosMs, helperMs });
	}
	const names = /** @type {const} */ (['ms', 'axiosMs', 'helperMs', 'requests', 'peak']);
	const medians = names.map((name) => [name, median(times.map((one) => one[name]))]);
	return { ...Object.fromEntries(medians), stateMegabytes: JSON.stringify(state()).length / 1e6 };
}

/** @type {Record<string, (options: any) => Promise<unknown>>} */
const MEASUREMENTS = { memory, polls };

/** @param {keyof typeof MEASUREMENTS} name @param {object} [options] @returns {any} */
function measureInEngine(name, options = {}) {
	const args = ['--expose-gc', __filename, name, JSON.stringify(options)];
	const printed = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
	console.log(`\n${name} ${printed}`);
	return JSON.parse(printed);
}

async function main() {
	require('../../test/setup/n8nSettings');
	require('tsx/cjs');
	console.log(JSON.stringify(await MEASUREMENTS[process.argv[2]](JSON.parse(process.argv[3]))));
	// Handles that n8n's engine keeps open would keep the process alive.
	process.exit();
}

if (require.main === module) void main();

module.exports = { measureInEngine };
