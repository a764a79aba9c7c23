/**
 * n8n in queue mode, on this machine only: PostgreSQL, Redis, a main process and workers.
 * Each process has a folder of its own with this package in it, as on separate machines.
 */
const { randomBytes } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { installPackage } = require('../installPackage');
const { freePort } = require('../process/ports');
const { killProcess, stopProcess, untilReady } = require('../process/tiedProcess');
const { answers, launchN8n, startN8n } = require('../n8n');
const { startServices } = require('./services');

/** @param {string} name @param {{ folder: string, concurrency: number, env: Record<string, string> }} options */
async function startWorker(name, { folder, concurrency, env }) {
	const port = await freePort();
	const { child, logFile } = await launchN8n(['worker', `--concurrency=${concurrency}`], {
		folder,
		port,
		env: {
			...env,
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		},
	});
	await untilReady(name, { child, logFile }, async () => await answers(`http://127.0.0.1:${port}/healthz/readiness`));

	const log = () => fs.readFileSync(logFile, 'utf8');
	return {
		/** The ids of executions, as the worker itself reports them. */
		started: () => [...log().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id),
		/** Kills it with its task runner, as a crash or a lost machine would. */
		kill: () => killProcess(child),
		stop: () => stopProcess(child),
	};
}

/**
 * @param {{ folder: string, tarball: string, concurrency: number }} options `folder`: a new one; `tarball`: this package, as
 *   `packPackage` gives it; `concurrency`: of each worker
 */
async function startQueue({ folder, tarball, concurrency }) {
	/** What has to be stopped, last started first. @type {Array<() => Promise<void>>} */
	const running = [];
	const stop = async () => {
		while (running.length) await running.pop()?.();
	};
	const folderOf = async (/** @type {string} */ name) => {
		await installPackage(path.join(folder, name), tarball);
		return path.join(folder, name);
	};
	try {
		const services = await startServices(folder);
		running.push(services.stop);
		const env = {
			...services.env,
			EXECUTIONS_MODE: 'queue',
			// Otherwise manual executions, which the tests start, would run on the main process.
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
		};
		// The first starts alone, because it makes the tables.
		const mainFolder = await folderOf('main');
		let main = await startN8n({ folder: mainFolder, env });
		running.push(() => main.stop());
		const port = Number(new URL(main.baseUrl).port);
		/** Kills the main process, as a crash would, and starts it again on the same port. */
		const restartMain = async (/** @type {number} */ awayMs) => {
			await main.kill();
			await sleep(awayMs);
			main = await startN8n({ folder: mainFolder, port, env });
		};
		/** @type {Array<Awaited<ReturnType<typeof startWorker>>>} */
		const workers = [];
		for (const name of ['worker-1', 'worker-2']) {
			const worker = await startWorker(name, { folder: await folderOf(name), concurrency, env });
			running.push(worker.stop);
			workers.push(worker);
		}
		const { baseUrl, rest } = main;
		const { postgres, redis } = services;
		return { baseUrl, rest, restartMain, workers, postgres, redis, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

module.exports = { startQueue };
