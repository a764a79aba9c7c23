/**
 * `npm run bench`: our node, n8n's HTTP Request node and plain axios at the same work, side by side in one run in a real n8n.
 * Prints ratios and writes dev/bench/results.md. Only ratios of one run mean anything: times differ from machine to machine.
 * `npm run bench -- --only "(f)"` compares what has that in its name, and writes nothing.
 */
const { readSwitches } = require('../install/switches');
const { setUp } = require('../install/setUp');

const { only } = readSwitches({
	name: 'bench',
	about: `Our node, n8n's HTTP Request node and plain axios at the same work, side by side in one run in a real n8n. Prints ratios and
writes dev/bench/results.md.`,
	switches: { only: { type: 'string', about: 'the scenarios with this in their name; then nothing is written' } },
});
setUp('host');

const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { cpus, tmpdir } = require('node:os');
const { join } = require('node:path');
const { N8N_HOME } = require('../host/hostPaths');
const { installPackage, packPackage } = require('../host/installPackage');
const { startN8n } = require('../host/n8n');
const { runAsScript } = require('../install/command');
const { ROOT } = require('../paths');
const { measureAlone } = require('./alone');
const { median } = require('./median');
const { report, table } = require('./report');
const { SCENARIOS } = require('./scenarios');
const { startService } = require('./startService');
const { CREDENTIAL, KEY, chain, ours } = require('./workflows');

const RESULTS = join(ROOT, 'dev', 'bench', 'results.md');
const ROUNDS = 3;
/** A large team takes a minute for each poll. */
const POLLS = [
	{ users: 1000, latencyMs: 20, rounds: ROUNDS },
	{ users: 20_000, latencyMs: 20, rounds: 1 },
];

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
	// Asked seldom: to answer, n8n stops what is measured.
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
		// In turns, so that what else the machine does hits all alike; the first round warms up.
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
 * A team of 1,200, sound, and with twelve who can never be read: the others must not wait for them.
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

async function main() {
	const folder = mkdtempSync(join(tmpdir(), 'health-data-service-bench-'));
	await installPackage(folder, await packPackage());
	const n8n = await startN8n({ folder, env: { N8N_LOG_LEVEL: 'error', EXECUTIONS_DATA_PRUNE: 'false' } });
	try {
		const results = [];
		for (const scenario of SCENARIOS)
			if (!only || scenario.name.includes(only)) results.push(await measure(n8n, scenario));
		if (only) return console.log(`\n${table(results)}`);
		const team = await measureBroken(n8n);
		// Idle as it is, it is something else on the machine.
		await n8n.stop();
		const { version } = JSON.parse(readFileSync(join(N8N_HOME, 'node_modules', 'n8n', 'package.json'), 'utf8'));
		const text = report({
			n8n: version,
			cores: cpus().length,
			rounds: ROUNDS,
			results,
			team,
			memory: measureAlone('./memory'),
			id: measureAlone('./idCost'),
			trigger: measureAlone('./triggerState'),
			polls: POLLS.map((one) => measureAlone('./triggerPoll', one)),
		});
		console.log(`\n${text}`);
		writeFileSync(RESULTS, text);
	} finally {
		await n8n.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

void runAsScript(main);
