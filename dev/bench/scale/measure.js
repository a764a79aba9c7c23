/**
 * Reads teams through a real n8n in queue mode, shard by shard as the example "Sharded nightly read" does, but writes
 * nothing. Gives what the model needs to know, and points to hold it against. Linux only: it asks /proc.
 */
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { cpus, tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');
const { N8N_HOME } = require('../../host/hostPaths');
const { packPackage } = require('../../host/installPackage');
const { startQueue } = require('../../host/queue/queue');
const { startService } = require('../startService');
const { CREDENTIAL, KEY, median, ours, workflowNode } = require('../workflows');

const ROUNDS = 3;
const PROBE_EVERY_MS = 100;
/** Of /proc, on every Linux there is. */
const TICKS_PER_SECOND = 100;

const TEAM = { users: 5000, shard: 500, executions: 5 };
/** Without latency the worker is busy all the time: that shows what a user costs in CPU time. */
const BUSY = { ...TEAM, workers: 1, requests: 8, latencyMs: 0 };
/** The others have a latency so high that this machine, which service, database and n8n share, has time to spare. */
const POINTS = [
	BUSY,
	{ ...TEAM, workers: 1, requests: 8, latencyMs: 200 },
	{ ...TEAM, workers: 1, requests: 24, latencyMs: 200 },
	{ ...TEAM, workers: 2, requests: 8, latencyMs: 200 },
];

/**
 * @typedef {Pick<import('./tables').Point, 'users' | 'shard' | 'workers' | 'executions' | 'requests' | 'latencyMs'>} MeasuredSetup
 * @typedef {Awaited<ReturnType<typeof startQueue>>} Queue
 * @typedef {{ pid?: number }} Process
 */

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Seconds of CPU that a process has taken so far. @param {Process} process */
function cpuSeconds({ pid }) {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
		.replace(/^.*\) /, '')
		.split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The most memory a process has had so far. @param {Process} process */
const mostMegabytes = ({ pid }) =>
	Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** A webhook that reads the readings of some users and answers with their number. @param {string} path @param {string} credentialId @param {number} requests */
function shardWorkflow(path, credentialId, requests) {
	const readings = ours(credentialId, requests).readings({ userScope: 'all' });
	Object.assign(readings.parameters.options, {
		userOffset: '={{ $json.body.skip }}',
		userLimit: '={{ $json.body.users }}',
	});
	const webhook = { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} };
	const rows = { id: 'rows', name: 'rows', type: 'number', value: "={{ $('Readings').all().length }}" };
	const to = (/** @type {string} */ name) => ({ main: [[{ node: name, type: 'main', index: 0 }]] });
	return {
		name: path,
		nodes: [
			workflowNode('Start', 'n8n-nodes-base.webhook', 2, webhook, { webhookId: path }),
			readings,
			workflowNode(
				'Count',
				'n8n-nodes-base.set',
				3.4,
				{ assignments: { assignments: [rows] }, options: {} },
				{ executeOnce: true },
			),
		],
		connections: { Start: to('Readings'), Readings: to('Count') },
		settings: { executionOrder: 'v1', timezone: 'UTC', saveDataSuccessExecution: 'none' },
	};
}

/** @param {string} url @param {object} body @returns {Promise<{ rows: number }>} */
async function call(url, body) {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	if (!response.ok) throw new Error(`A shard failed: ${response.status} ${await response.text()}`);
	return /** @type {{ rows: number }} */ (await response.json());
}

/** All shards, called at the same moment. Gives the number of rows. @param {string} url @param {MeasuredSetup} setup */
async function readShards(url, { users, shard }) {
	const shards = Array.from({ length: Math.ceil(users / shard) }, (_, number) => ({
		skip: number * shard,
		users: shard,
	}));
	const answers = await Promise.all(shards.map(async (one) => await call(url, one)));
	return sum(answers.map(({ rows }) => rows));
}

/** Milliseconds that the service takes for one more caller, asked again and again while `work` runs. @param {string} baseUrl @param {() => Promise<unknown>} work */
async function latencyWhile(baseUrl, work) {
	let isOver = false;
	const working = work().finally(() => (isOver = true));
	/** @type {number[]} */
	const times = [];
	while (!isOver) {
		const begun = performance.now();
		await (await fetch(`${baseUrl}/v2/user?limit=1`, { headers: { 'x-service-api-key': KEY } })).text();
		times.push(performance.now() - begun);
		await pause(PROBE_EVERY_MS);
	}
	await working;
	return median(times);
}

/** Reads the team `ROUNDS` times; the best of each is what the machine could do while it was left alone. @param {Queue} queue @param {MeasuredSetup} setup */
async function measure(queue, setup) {
	const service = await startService({ users: setup.users, latencyMs: setup.latencyMs });
	try {
		const credentialId = await queue.rest.createCredential({
			name: 'scale',
			type: CREDENTIAL,
			data: { baseUrl: service.baseUrl, apiKey: KEY },
		});
		const path = `scale-${credentialId}`;
		await queue.rest.activate(await queue.rest.importWorkflow(shardWorkflow(path, credentialId, setup.requests)));
		const cpuOf = (/** @type {Process[]} */ processes) => sum(processes.map(cpuSeconds));
		const workers = queue.workers.map((worker) => worker.process);
		/** @type {Array<Record<'seconds' | 'latencyMs' | 'cpuMs' | 'mainCpuMs' | 'rows', number>>} */
		const rounds = [];
		for (let round = 0; round < ROUNDS; round++) {
			const [workersBefore, mainBefore, begun] = [cpuOf(workers), cpuOf([queue.process]), performance.now()];
			let rows = 0;
			const latencyMs = await latencyWhile(
				service.baseUrl,
				async () => (rows = await readShards(`${queue.baseUrl}/webhook/${path}`, setup)),
			);
			const seconds = (performance.now() - begun) / 1000;
			const perUser = (/** @type {number} */ cpu) => (1000 * cpu) / setup.users;
			rounds.push({
				seconds,
				latencyMs,
				cpuMs: perUser(cpuOf(workers) - workersBefore),
				mainCpuMs: perUser(cpuOf([queue.process]) - mainBefore),
				rows,
			});
			console.log(JSON.stringify({ ...setup, ...rounds.at(-1) }));
		}
		if (new Set(rounds.map(({ rows }) => rows)).size > 1)
			throw new Error('The same team gave different numbers of rows');
		const { seconds, latencyMs } = rounds.reduce((best, one) => (one.seconds < best.seconds ? one : best));
		const least = (/** @type {'cpuMs' | 'mainCpuMs'} */ name) => Math.min(...rounds.map((one) => one[name]));
		return { seconds, latencyMs, cpuMs: least('cpuMs'), mainCpuMs: least('mainCpuMs') };
	} finally {
		service.stop();
	}
}

/** @returns {Promise<import('./tables').Measured>} what was measured, as measured.json keeps it */
async function measureAll() {
	const tarball = await packPackage();
	/** @type {import('./tables').Point[]} */
	const points = [];
	let costsOfBusy = { cpuMs: 0, mainCpuMs: 0 };
	let workerMegabytes = 0;
	for (const workers of [1, 2]) {
		const folder = mkdtempSync(join(tmpdir(), 'health-data-service-scale-'));
		const queue = await startQueue({ folder, tarball, workers, concurrency: TEAM.executions });
		try {
			for (const setup of POINTS.filter((point) => point.workers === workers)) {
				const { seconds, latencyMs, ...costs } = await measure(queue, setup);
				if (setup === BUSY) costsOfBusy = costs;
				points.push({ ...setup, latencyMs, seconds });
			}
			workerMegabytes = Math.max(...queue.workers.map((worker) => mostMegabytes(worker.process)));
		} finally {
			await queue.stop();
			rmSync(folder, { recursive: true, force: true });
		}
	}
	const { version } = JSON.parse(readFileSync(join(N8N_HOME, 'node_modules', 'n8n', 'package.json'), 'utf8'));
	const rounded = JSON.stringify({ points, ...costsOfBusy, workerMegabytes }, (_, value) =>
		typeof value === 'number' ? Number(value.toPrecision(4)) : value,
	);
	return { n8n: version, cores: cpus().length, ...JSON.parse(rounded) };
}

module.exports = { measureAll };
