/**
 * Measurement of a scenario: all contenders in turns against a service of its own, in a real n8n. And of a team with failing users.
 */
const { median } = require('./median');
const { startService } = require('./startService');
const { CREDENTIAL, KEY, chain, ours } = require('./workflows');

const ROUNDS = 3;

/**
 * @typedef {import('./scenarios').Scenario} Scenario
 * @typedef {import('./report').Result} Result
 * @typedef {{ ms: number, items: number }} Round
 */

/**
 * Milliseconds that the nodes of a workflow took, all their runs together, and how many items came out of the last.
 * @param {import('../host/rest').Rest} rest
 * @param {string} id
 * @returns {Promise<Round>}
 */
async function timeWorkflow(rest, id) {
	// Long polling interval, because n8n interrupts the measured work to answer.
	const { status, error, runData } = await rest.runWorkflow(id, 'Start', { timeoutMs: 300_000, everyMs: 2000 });
	if (status !== 'success') throw new Error(`${status}: ${error?.message}`);
	const ms = Object.values(runData)
		.flat()
		.reduce((sum, { executionTime }) => sum + executionTime, 0);
	const items = (runData.Readings ?? runData.Users).reduce((sum, { data }) => sum + data.main[0].length, 0);
	return { ms, items };
}

/** @param {import('./scenarios').Plain} work @returns {Promise<Round>} */
async function timeFunction(work) {
	const begun = performance.now();
	const rows = await work();
	return { ms: performance.now() - begun, items: rows.length };
}

/** @param {{ rest: import('../host/rest').Rest }} n8n @param {Scenario} scenario @returns {Promise<Result>} */
async function measure({ rest }, { name, service: options, build, targets }) {
	console.log(`\n${name}`);
	const service = await startService(options);
	try {
		const credentialId = await rest.createCredential({
			name: 'bench',
			type: CREDENTIAL,
			data: { baseUrl: service.baseUrl, apiKey: KEY },
		});
		const { axios, ...workflows } = await build({ credentialId, ...service });
		/** @type {Record<string, () => Promise<Round>>} */
		const contenders = { axios: async () => await timeFunction(axios) };
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
		return {
			name,
			targets,
			ms: Object.fromEntries(Object.entries(times).map(([contender, all]) => [contender, median(all)])),
		};
	} finally {
		service.stop();
	}
}

/**
 * A team of 1,200 sound users, and the same with twelve that always fail: the others must not wait for these.
 * @param {{ rest: import('../host/rest').Rest }} n8n
 */
async function measureBroken({ rest }) {
	console.log('\n(e) 1,200 users, 12 of them broken');
	/** @param {number} broken */
	const one = async (broken) => {
		const service = await startService({ users: 1200, latencyMs: 20, broken });
		try {
			const data = { baseUrl: service.baseUrl, apiKey: KEY };
			const credentialId = await rest.createCredential({ name: 'bench', type: CREDENTIAL, data });
			const readings = { ...ours(credentialId).readings({ userScope: 'all' }), onError: 'continueRegularOutput' };
			const { id } = await rest.importWorkflow(chain('broken', [readings]));
			const { ms, items } = await timeWorkflow(rest, id);
			const requests = await service.requests();
			console.log(`  ${String(broken).padStart(2)} broken ${Math.round(ms)} ms  ${items} items  ${requests} requests`);
			return { ms, requests };
		} finally {
			service.stop();
		}
	};
	return { sound: await one(0), broken: await one(12) };
}

module.exports = { measure, measureBroken, ROUNDS };
