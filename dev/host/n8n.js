/** The real n8n as a child process, for a test or the demo: start, wait until it works, stop with all its children. */
const fs = require('node:fs');
const path = require('node:path');
const { n8nEnvironment } = require('./n8nEnvironment');
const { N8N_BIN, NODE24 } = require('./hostPaths');
const { freePort } = require('./process/ports');
const { Rest } = require('./rest');
const { OWNER, RestError } = require('./restClient');
const { killProcess, spawnTied, stopProcess, untilReady } = require('./process/tiedProcess');

/** @param {string} url */
async function answers(url) {
	try {
		return (await fetch(url)).ok;
	} catch {
		return false;
	}
}

/**
 * One process of n8n, started but not yet ready.
 * @param {string[]} command such as `['start']`
 * @param {{ folder: string, port: number, env: Record<string, string> }} options
 */
async function launchN8n(command, { folder, port, env }) {
	if (!fs.existsSync(N8N_BIN) || !fs.existsSync(NODE24))
		throw new Error('n8n is not installed: run `node dev/host/install.js` first');
	const logFile = path.join(folder, 'n8n.log');
	const settings = n8nEnvironment({ folder, port, brokerPort: await freePort() }, env);
	return { child: spawnTied(NODE24, [N8N_BIN, ...command], { folder, env: settings, logFile }), logFile };
}

/**
 * @param {{
 *   folder: string,
 *   port?: number,
 *   env?: Record<string, string>,
 *   log?: (line: string) => void,
 *   onLaunch?: (stop: () => Promise<void>) => void,
 * }} options `folder` holds this n8n's database, settings and log, and is made when missing; `port` 0 or none: any free one;
 * `onLaunch` gets the stop function before n8n is ready
 */
async function startN8n({ folder, port: wantedPort, env = {}, log = () => {}, onLaunch = () => {} }) {
	const port = await freePort(wantedPort);
	log(`Starting n8n on port ${port}`);
	const started = Date.now();
	const { child, logFile } = await launchN8n(['start'], { folder, port, env });
	onLaunch(() => stopProcess(child));

	const baseUrl = `http://127.0.0.1:${port}`;
	const rest = new Rest(baseUrl);
	await untilReady('n8n', { child, logFile }, async () => {
		// n8n is healthy before it is ready, and may be ready before REST answers.
		if (!(await answers(`${baseUrl}/healthz/readiness`))) return false;
		return await rest.logIn().catch((error) => {
			if (error instanceof RestError && error.status === 404) return false;
			throw error;
		});
	});
	log(`n8n is ready at ${baseUrl} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
	return { baseUrl, rest, stop: () => stopProcess(child), kill: () => killProcess(child), process: child, logFile };
}

module.exports = { OWNER, answers, launchN8n, startN8n };
