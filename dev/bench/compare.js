/**
 * `npm run bench`: our node, n8n's HTTP Request node and plain axios at the same work, side by side in one run in a real n8n.
 * Prints ratios and writes dev/bench/results.md. Only ratios of one run mean anything: times differ from machine to machine.
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

const { execFileSync } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { cpus, tmpdir } = require('node:os');
const { join } = require('node:path');
const { N8N_HOME } = require('../host/hostPaths');
const { installPackage, packPackage } = require('../host/installPackage');
const { startN8n } = require('../host/n8n');
const { runAsScript } = require('../install/command');
const { ROOT } = require('../paths');
const { startService } = require('./startService');
const { CREDENTIAL, KEY, chain, httpRequest, loop, median, ours, plain } = require('./workflows');

const RESULTS = join(ROOT, 'dev', 'bench', 'results.md');
const ROUNDS = 3;
const PAGES = 200;

/**
 * @typedef {import('./workflows').WorkflowNode} WorkflowNode
 * @typedef {ReturnType<typeof ours>} OurNodes
 * @typedef {{ credentialId: string, baseUrl: string, userId: string }} Service
 * @typedef {() => Promise<object[]>} Plain
 * @typedef {{ http?: number, axios?: number }} Targets
 * @typedef {{
 *   name: string,
 *   service: import('./startService').ServiceOptions,
 *   build: (service: Service) => { ours: object, http: object, unlimited?: object, axios: Plain },
 *   targets: Targets,
 * }} Scenario
 * @typedef {{ name: string, targets: Targets, ms: Record<string, number> }} Result
 * @typedef {{ ms: number, items: number }} Round
 */

/** @param {string} one */
const byList = (one) => ({ user: { __rl: true, mode: 'userId', value: one } });

/**
 * The readings of 1,000 users, with so many requests at once; `one` is our workflow for it.
 * @param {string} name
 * @param {number} atOnce
 * @param {(nodes: OurNodes) => WorkflowNode[]} one
 * @param {Targets} targets
 * @returns {Scenario}
 */
const thousandUsers = (name, atOnce, one, targets) => ({
	name: `${name}, ${atOnce} at once`,
	service: { users: 1000, latencyMs: 20 },
	build: ({ credentialId, baseUrl }) => {
		const http = httpRequest(credentialId, baseUrl);
		const readings = http.readings('{{ $json.user_id }}');
		const axios = plain(baseUrl, atOnce);
		return {
			ours: chain('ours', one(ours(credentialId, atOnce))),
			http: loop('http', http.users, readings, atOnce),
			unlimited: chain('unlimited', [...http.users, readings]),
			axios: async () => await axios.readAll(await axios.listUsers()),
		};
	},
	targets,
});
/** @param {OurNodes} nodes */
const inOneItem = ({ readings }) => [readings({ userScope: 'all' })];
/** @param {OurNodes} nodes */
const inItemsOfTheirOwn = ({ users, readings }) => [users, readings(byList('={{ $json.user_id }}'))];

/** Each gives workflows for the nodes and a function for axios. @type {Scenario[]} */
const SCENARIOS = [
	...[50, 16].map((atOnce) =>
		thousandUsers('(a) 1,000 users, one page each, 20 ms latency, one item for all', atOnce, inOneItem, {
			http: 4,
			axios: 1.5,
		}),
	),
	...[50, 16].map((atOnce) => thousandUsers('(b) the same, one item per user', atOnce, inItemsOfTheirOwn, { http: 2 })),
	{
		name: '(c) 20,000 users listed',
		service: { users: 20_000, latencyMs: 20 },
		build: ({ credentialId, baseUrl }) => ({
			ours: chain('ours', [ours(credentialId).users]),
			http: chain('http', httpRequest(credentialId, baseUrl).users),
			axios: plain(baseUrl).listUsers,
		}),
		targets: { http: 4 },
	},
	{
		name: `(d) one user, ${PAGES} pages`,
		service: { users: 1, perUser: 5 * PAGES, pageSize: 5 },
		build: ({ credentialId, baseUrl, userId }) => ({
			ours: chain('ours', [ours(credentialId).readings(byList(userId))]),
			http: chain('http', [httpRequest(credentialId, baseUrl).readings(userId)]),
			axios: async () => await plain(baseUrl).readPages(userId),
		}),
		targets: { http: 1.5, axios: 1.8 },
	},
];

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

/** @param {Plain} work @returns {Promise<Round>} */
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
		const { axios, ...workflows } = build({ credentialId, ...service });
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

/**
 * @param {Result[]} results
 * @param {Awaited<ReturnType<typeof measureBroken>>} team
 * @param {{ loadMs: number, peakMegabytes: number }} memory as memory.js prints it
 * @param {{ readings: number, stateMegabytes: number, bytesPerReading: number, bookkeepingMs: number }} state as triggerState.js prints it
 */
function report(
	results,
	{ sound, broken },
	{ loadMs, peakMegabytes },
	{ readings, stateMegabytes, bytesPerReading, bookkeepingMs },
) {
	const { version } = JSON.parse(readFileSync(join(N8N_HOME, 'node_modules', 'n8n', 'package.json'), 'utf8'));
	const rows = results.map(({ name, ms, targets }) => {
		const faster = `${(ms.http / ms.ours).toFixed(1)}×`;
		const thanUnlimited = ms.unlimited ? `${(ms.unlimited / ms.ours).toFixed(1)}×` : '–';
		const above = (ms.ours / ms.axios).toFixed(2);
		const goals = [targets.http && `at least ${targets.http}×`, targets.axios && `at most ${targets.axios}`]
			.filter(Boolean)
			.join(', ');
		const times = [ms.ours, ms.http, ms.unlimited, ms.axios]
			.map((one) => (one === undefined ? '–' : Math.round(one)))
			.join(' / ');
		return `| ${name} | ${faster} | ${thanUnlimited} | ${above} | ${goals} | ${times} |`;
	});
	return `# Benchmark

Our node, n8n's HTTP Request node and a plain axios loop at the same work, in turns in one run (\`npm run bench\`; n8n ${version}, ${cpus().length} cores, median of ${ROUNDS} rounds).
The ratios are what counts; times belong to the machine.

Where it says so, ours and axios have at most so many requests on their way. The HTTP Request node cannot be told that: Loop Over Items hands it as many users at a time,
or, in the second column, it gets all of them at once, which no service with a limit would take. It reads every page by its own pagination, and leaves the answers as they came, where ours makes rows of them.
With 16 at once and 20 ms latency, 1.25 seconds are waiting that nobody can save: there the floor itself bounds the ratio.

| | Faster than HTTP Request | … that sends all at once | Times the floor (axios) | Goal | ours / HTTP Request / all at once / axios, ms |
|---|---|---|---|---|---|
${rows.join('\n')}

A team of 1,200 with 12 users who can never be read, On Error set to Continue, takes ${(broken.ms / 1000).toFixed(1)} s and ${broken.requests} requests; without them ${(sound.ms / 1000).toFixed(1)} s and ${sound.requests}.
The difference is one whole backoff: the twelve are tried seven times each, side by side, while everybody else is read (goal: 1.5 times and one minute; 1,300 + 12 × 7 requests).

Loading the package takes ${Math.round(loadMs)} ms. Reading 100,000 rows in one go takes at most ${Math.round(peakMegabytes)} MB of memory, garbage included.

The trigger remembers ${readings.toLocaleString('en')} readings of its window in ${stateMegabytes.toFixed(1)} MB (${Math.round(bytesPerReading)} bytes each); telling 1,000 new ones among them takes ${Math.round(bookkeepingMs)} ms beside the requests.
`;
}

async function main() {
	const folder = mkdtempSync(join(tmpdir(), 'health-data-service-bench-'));
	await installPackage(folder, await packPackage());
	const n8n = await startN8n({ folder, env: { N8N_LOG_LEVEL: 'error', EXECUTIONS_DATA_PRUNE: 'false' } });
	try {
		const results = [];
		for (const scenario of SCENARIOS)
			if (!only || scenario.name.includes(only)) results.push(await measure(n8n, scenario));
		const team = await measureBroken(n8n);
		const memory = JSON.parse(
			execFileSync(process.execPath, ['--expose-gc', require.resolve('./memory')], { encoding: 'utf8' }),
		);
		const trigger = JSON.parse(
			execFileSync(process.execPath, [require.resolve('./triggerState')], { encoding: 'utf8' }),
		);
		const text = report(results, team, memory, trigger);
		console.log(`\n${text}`);
		if (!only) writeFileSync(RESULTS, text);
	} finally {
		await n8n.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

void runAsScript(main);
