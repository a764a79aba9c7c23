/**
 * Reads teams through a real n8n in queue mode, in shards that carry their users, as the example "Sharded nightly read" does,
 * with PostgreSQL and without; and polls of the trigger. Gives what the model needs to know, and points to hold it against.
 */
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { cpus, tmpdir } = require('node:os');
const { join } = require('node:path');
const { N8N_HOME } = require('../../host/hostPaths');
const { packPackage } = require('../../host/installPackage');
const { startQueue } = require('../../host/queue/queue');
const { measureAlone } = require('../alone');
const { startService } = require('../startService');
const { cpuSeconds, mostMegabytes } = require('./processes');
const { latencyWhile, readShards } = require('./readShards');
const { makeTable, shardWorkflow } = require('./shard');
const { credentialsFor, measureStatement } = require('./statement');

const ROUNDS = 3;

const TEAM = { users: 5000, shard: 500, executions: 5, rowsPerUser: 0 };
/** Without latency the worker is busy all the time: that shows what a user, and a row, costs in CPU time. */
const BUSY = { ...TEAM, workers: 1, requests: 8, latencyMs: 0 };
/** Five executions of 500 users: 100,000 rows at once. */
const BUSY_WRITING = { ...BUSY, rowsPerUser: 40 };
/** The others have a latency so high that this machine, which service, database and n8n share, has time to spare. */
const POINTS = [
	BUSY,
	BUSY_WRITING,
	{ ...TEAM, workers: 1, requests: 8, latencyMs: 200 },
	{ ...TEAM, workers: 1, requests: 24, latencyMs: 200 },
	{ ...TEAM, workers: 1, requests: 24, latencyMs: 200, rowsPerUser: 20 },
	{ ...TEAM, workers: 2, requests: 8, latencyMs: 200 },
	{ ...TEAM, workers: 2, requests: 8, latencyMs: 200, rowsPerUser: 20 },
];
/** Polls of the trigger in n8n's polling context. */
const POLLS = [
	{ users: 1000, latencyMs: 100, rounds: 1 },
	{ users: 10_000, latencyMs: 20, rounds: 1 },
];

/**
 * @typedef {typeof BUSY} MeasuredSetup
 * @typedef {Awaited<ReturnType<typeof startQueue>>} Queue
 * @typedef {import('./processes').Process} Process
 */

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Reads the team `ROUNDS` times; the best of each is what the machine could do while it was left alone. @param {Queue} queue @param {MeasuredSetup} setup */
async function measure(queue, setup) {
	const { users, latencyMs: latency, rowsPerUser } = setup;
	const service = await startService({ users, latencyMs: latency, ...(rowsPerUser && { perUser: rowsPerUser }) });
	try {
		const credentials = await credentialsFor(queue, service.baseUrl);
		const path = `scale-${credentials.service}`;
		await queue.rest.activate(await queue.rest.importWorkflow(shardWorkflow(path, credentials, setup)));
		const cpuOf = (/** @type {Process[]} */ processes) => sum(processes.map(cpuSeconds));
		const workers = queue.workers.map((worker) => worker.process);
		/** @type {Array<Record<'seconds' | 'latencyMs' | 'cpuMs' | 'mainCpuMs' | 'rows', number>>} */
		const rounds = [];
		for (let round = 0; round < ROUNDS; round++) {
			const [workersBefore, mainBefore, begun] = [cpuOf(workers), cpuOf([queue.process]), performance.now()];
			let rows = 0;
			const latencyMs = await latencyWhile(
				service.baseUrl,
				async () => (rows = await readShards(`${queue.baseUrl}/webhook/${path}`, service.baseUrl, setup)),
			);
			const seconds = (performance.now() - begun) / 1000;
			const perUser = (/** @type {number} */ cpu) => (1000 * cpu) / users;
			rounds.push({
				seconds,
				latencyMs,
				cpuMs: perUser(cpuOf(workers) - workersBefore),
				mainCpuMs: perUser(cpuOf([queue.process]) - mainBefore),
				rows,
			});
			console.log(JSON.stringify({ ...setup, ...rounds.at(-1) }));
		}
		const counts = new Set(rounds.map(({ rows }) => rows));
		if (counts.size > 1 || (rowsPerUser && !counts.has(users * rowsPerUser)))
			throw new Error(`Not the same team: ${[...counts].join(', ')} rows`);
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
	const costs = { cpuMs: 0, mainCpuMs: 0, rowCpuMs: 0, rowMs: 0, statementMs: 0 };
	let workerMegabytes = 0;
	for (const workers of [1, 2]) {
		const folder = mkdtempSync(join(tmpdir(), 'health-data-service-scale-'));
		const queue = await startQueue({ folder, tarball, workers, concurrency: TEAM.executions });
		try {
			const { id } = await queue.rest.importWorkflow(makeTable(await credentialsFor(queue, 'http://localhost')));
			await queue.rest.runWorkflow(id);
			for (const setup of POINTS.filter((point) => point.workers === workers)) {
				const { seconds, latencyMs, cpuMs, mainCpuMs } = await measure(queue, setup);
				if (setup === BUSY) Object.assign(costs, { cpuMs, mainCpuMs });
				if (setup === BUSY_WRITING) costs.rowCpuMs = (cpuMs - costs.cpuMs) / setup.rowsPerUser;
				points.push({ ...setup, latencyMs, seconds });
			}
			workerMegabytes = Math.max(workerMegabytes, ...queue.workers.map((worker) => mostMegabytes(worker.process)));
			if (workers === 1) Object.assign(costs, await measureStatement(queue));
		} finally {
			await queue.stop();
			rmSync(folder, { recursive: true, force: true });
		}
	}
	const polls = POLLS.map((options) => {
		const { pollMs } = measureAlone('./triggerPoll', options);
		return { users: options.users, latencyMs: options.latencyMs, seconds: pollMs / 1000 };
	});
	const { version } = JSON.parse(readFileSync(join(N8N_HOME, 'node_modules', 'n8n', 'package.json'), 'utf8'));
	const rounded = JSON.stringify({ points, polls, ...costs, workerMegabytes }, (_, value) =>
		typeof value === 'number' ? Number(value.toPrecision(4)) : value,
	);
	return { n8n: version, cores: cpus().length, ...JSON.parse(rounded) };
}

module.exports = { measureAll };
