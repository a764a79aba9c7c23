/** Measurement of one contest in a real n8n: all contenders in turns, against a service of its own. */
const { median } = require('./report');
const { startService } = require('./service');
const { CREDENTIAL, KEY, chain, ours } = require('./workflows');

const ROUNDS = 3;

/** @typedef {import('../host/rest').Rest} Rest */
/** @typedef {{ ms: number, items: number }} Round */

/**
 * Milliseconds that the nodes of a workflow took, all their runs together, and the items of the last.
 * @param {Rest} rest
 * @param {string} id
 * @returns {Promise<Round>}
 */
async function timeWorkflow(rest, id) {
	// A long polling interval, because n8n interrupts the measured work to answer.
	const { status, error, runData } = await rest.runWorkflow(id, 'Start', { everyMs: 2000 });
	if (status !== 'success') throw new Error(`${status}: ${error?.message}`);
	const runs = Object.values(runData).flat();
	const last = runData.Readings ?? runData.Users;
	return {
		ms: runs.reduce((sum, { executionTime }) => sum + executionTime, 0),
		items: last.reduce((sum, { data }) => sum + data.main[0].length, 0),
	};
}

/**
 * @template T
 * @param {Rest} rest
 * @param {import('./service').ServiceOptions} options
 * @param {(service: Awaited<ReturnType<typeof startService>> & { credentialId: string }) => Promise<T>} work
 */
async function withService(rest, options, work) {
	const service = await startService(options);
	try {
		const data = { baseUrl: service.baseUrl, apiKey: KEY };
		const credentialId = await rest.createCredential({ name: 'bench', type: CREDENTIAL, data });
		return await work({ ...service, credentialId });
	} finally {
		service.stop();
	}
}

/**
 * @param {{ rest: Rest }} n8n
 * @param {import('./contests').Contest} contest
 * @returns {Promise<Record<string, number>>} the median of each contender, in milliseconds
 */
const measure = async ({ rest }, { name, service: options, build }) =>
	await withService(rest, options, async (service) => {
		console.log(`\n${name}`);
		const { axios, ...workflows } = await build(service);
		/** @type {Record<string, () => Promise<Round>>} */
		const contenders = {
			async axios() {
				const begun = performance.now();
				const { length } = await axios();
				return { ms: performance.now() - begun, items: length };
			},
		};
		for (const [contender, workflow] of Object.entries(workflows)) {
			const { id } = await rest.importWorkflow(workflow);
			contenders[contender] = async () => await timeWorkflow(rest, id);
		}
		/** @type {Record<string, number[]>} */
		const times = {};
		// In turns, so that other load on the machine affects all alike; the first round warms up.
		for (let round = 0; round <= ROUNDS; round++) {
			for (const [contender, run] of Object.entries(contenders)) {
				const { ms, items } = await run();
				if (round > 0) (times[contender] ??= []).push(ms);
				console.log(`  ${contender.padEnd(9)} ${Math.round(ms).toString().padStart(6)} ms  ${items} items`);
			}
		}
		return Object.fromEntries(Object.entries(times).map(([contender, all]) => [contender, median(all)]));
	});

/**
 * One read of 1,200 users by our node, where those that always fail must not delay the others.
 * @param {{ rest: Rest }} n8n
 * @param {number} broken
 */
const measureTeam = async ({ rest }, broken) =>
	await withService(rest, { users: 1200, latencyMs: 20, broken }, async ({ credentialId, requests }) => {
		const readings = ours(credentialId).readings({ userScope: 'all' });
		const { id } = await rest.importWorkflow(chain([{ ...readings, onError: 'continueRegularOutput' }]));
		const { ms } = await timeWorkflow(rest, id);
		return `${(ms / 1000).toFixed(1)} s, ${await requests()} requests`;
	});

module.exports = { ROUNDS, measure, measureTeam };
