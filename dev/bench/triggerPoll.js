/**
 * Time and memory of polls that find nothing new, in n8n's own polling context, in turns with a plain loop that reads the same
 * pages with as many requests at once, by axios and by n8n's own helper. Prints JSON. A process of its own for each team:
 *   node --expose-gc dev/bench/triggerPoll.js '{"users": 1000, "latencyMs": 20, "rounds": 3}'
 */
require('../../test/setup/n8nSettings');
require('tsx/cjs');
const { PollingHost } = require('../../test/helpers/pollingHost.ts');
const { runAsScript } = require('../install/command');
const { peakWhile } = require('./peak');
const { startService } = require('./startService');
const { median } = require('./median');
const { plain } = require('./plain');
const { CREDENTIAL, KEY } = require('./workflows');

/** The trigger's own default. */
const AT_ONCE = 8;
const BYTES_PER_READING = 26;

/** @typedef {import('../../nodes/HealthDataService/trigger/state.ts').TriggerState} State */
/** @typedef {Record<'users' | 'requests' | 'pollMs' | 'floorMs' | 'helperMs' | 'peakMegabytes' | 'stateMegabytes' | 'readings', number>} Polled */

/** What the trigger remembers. @param {{ saved: string }} host @returns {State} */
const stateOf = ({ saved }) => Object.values(JSON.parse(saved))[0].state;

/** @template T @param {() => Promise<T>} work */
async function timed(work) {
	const begun = performance.now();
	const result = await work();
	return { result, ms: performance.now() - begun };
}

/**
 * Sends by n8n's request helper, as every node must.
 * @param {import('n8n-core').PollContext} context
 * @param {{ baseUrl: string, apiKey: string }} data of the credential
 */
const getByHelper = (context, data) => async (/** @type {string} */ url, /** @type {object} */ params) => {
	const search = new URLSearchParams(Object.entries(params));
	/** @type {import('n8n-workflow').IHttpRequestOptions} */
	const request = { method: 'GET', url: `${url}?${search}`, json: true };
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data };
	return await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, request, {
		credentialsDecrypted,
	});
};

/**
 * @param {{ users: number, latencyMs: number, rounds: number }} options
 * @returns {Promise<Polled>}
 */
async function measurePolls({ users, latencyMs, rounds }) {
	const service = await startService({ users, latencyMs });
	try {
		const credential = { baseUrl: service.baseUrl, apiKey: KEY };
		/** @type {import('n8n-core').PollContext | undefined} */
		let context;
		const onContext = (/** @type {import('n8n-core').PollContext} */ one) => void (context = one);
		const host = new PollingHost(credential, { event: 'bloodPressure', userScope: 'all' }, { onContext });
		await host.start();
		// Reads what the first poll had no time for.
		while (stateOf(host).since !== undefined) await host.tick();

		const { cursors, seen } = stateOf(host);
		const start_date = new Date(cursors[0].from).toISOString();
		const byAxios = plain(service.baseUrl, AT_ONCE);
		const byHelper = plain(service.baseUrl, AT_ONCE, getByHelper(/** @type {never} */ (context), credential));
		const readBy = async (/** @type {ReturnType<typeof plain>} */ loop) =>
			(await timed(async () => await loop.readAll(await loop.listUsers(), { start_date }))).ms;
		/** @type {Array<Record<'pollMs' | 'floorMs' | 'helperMs' | 'peak' | 'requests', number>>} */
		const times = [];
		for (let round = 0; round < rounds; round++) {
			await service.requests();
			const { result: poll, peak } = await peakWhile(async () => await timed(async () => await host.tick()));
			const requests = await service.requests();
			if (poll.result !== undefined || requests < users) throw new Error('The poll was not a whole and quiet one');
			const [floorMs, helperMs] = [await readBy(byAxios), await readBy(byHelper)];
			times.push({ pollMs: poll.ms, floorMs, helperMs, peak, requests });
		}
		const medianOf = (/** @type {keyof typeof times[0]} */ name) => median(times.map((one) => one[name]));
		return {
			users,
			requests: medianOf('requests'),
			pollMs: medianOf('pollMs'),
			floorMs: medianOf('floorMs'),
			helperMs: medianOf('helperMs'),
			peakMegabytes: medianOf('peak') / 2 ** 20,
			stateMegabytes: JSON.stringify(stateOf(host)).length / 1e6,
			readings: Object.values(seen).join('').length / BYTES_PER_READING,
		};
	} finally {
		service.stop();
	}
}

void runAsScript(async () => {
	console.log(JSON.stringify(await measurePolls(JSON.parse(process.argv[2]))));
	// Handles that n8n's engine keeps open would keep the process alive.
	process.exit();
});
