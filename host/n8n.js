/**
 * Starts the n8n of host/ for a test or the demo, waits until it works, and ends it with everything it started.
 */
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { killTree } = require('./lib/command');
const { n8nEnvironment } = require('./lib/n8nEnvironment');
const { N8N_BIN, NODE24 } = require('./lib/paths');
const { freePort } = require('./lib/ports');
const { Rest } = require('./lib/rest');
const { OWNER } = require('./lib/restClient');
const { until } = require('./lib/until');

const READY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 10_000;
const LIFELINE = path.join(__dirname, 'lib', 'lifeline.js');

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/** @param {ChildProcess} child */
const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/** @param {string} url */
async function answers(url) {
	try {
		return (await fetch(url)).ok;
	} catch {
		return false;
	}
}

/** @param {ChildProcess} child */
async function stopProcess(child) {
	if (hasEnded(child)) return;
	const ended = once(child, 'exit');
	const force = setTimeout(() => killTree(child.pid, 'SIGKILL'), STOP_WITHIN_MS);
	child.kill('SIGTERM');
	await ended;
	clearTimeout(force);
	// Its task runner ends with it; should anything have been left, it is in n8n's process group.
	if (process.platform !== 'win32') killTree(child.pid, 'SIGKILL');
}

/**
 * @param {string} logFile
 * @param {number} [lines]
 */
const tailOf = (logFile, lines = 30) => fs.readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');

/**
 * @param {{
 *   folder: string,
 *   port?: number,
 *   env?: Record<string, string>,
 *   log?: (line: string) => void,
 * }} options `folder` holds this n8n's database, settings and log, and is made when missing; `port` 0 or none: any free one
 */
async function startN8n({ folder, port: wantedPort, env = {}, log = () => {} }) {
	if (!fs.existsSync(N8N_BIN) || !fs.existsSync(NODE24))
		throw new Error('n8n is not installed: run `node host/install.js` first');
	const port = await freePort(wantedPort);
	const brokerPort = await freePort();
	fs.mkdirSync(folder, { recursive: true });
	const logFile = path.join(folder, 'n8n.log');
	const output = fs.openSync(logFile, 'w');
	log(`Starting n8n on port ${port}`);
	const started = Date.now();
	const child = spawn(NODE24, ['--require', LIFELINE, N8N_BIN, 'start'], {
		cwd: folder,
		env: n8nEnvironment({ folder, port, brokerPort }, env),
		// The fourth is the lifeline: it closes when this process ends, and n8n ends with it.
		stdio: ['ignore', output, output, 'pipe'],
		detached: process.platform !== 'win32',
		windowsHide: true,
	});
	fs.closeSync(output);

	const baseUrl = `http://127.0.0.1:${port}`;
	const stop = () => stopProcess(child);
	/** Ends it without a chance to save anything. */
	const kill = async () => {
		const ended = once(child, 'exit');
		killTree(child.pid, 'SIGKILL');
		await ended;
	};
	const rest = new Rest(baseUrl);
	try {
		const isReady = async () => {
			if (hasEnded(child)) throw new Error(`n8n ended while starting (${child.exitCode ?? child.signalCode})`);
			// Health comes before readiness, and readiness may come before REST is there.
			return (await answers(`${baseUrl}/healthz/readiness`)) && (await answers(`${baseUrl}/rest/settings`));
		};
		await until('n8n to be ready', isReady, { timeoutMs: READY_WITHIN_MS });
		await rest.logIn();
	} catch (error) {
		await stop();
		throw new Error(
			`${/** @type {Error} */ (error).message}. The end of its log:\n${tailOf(logFile)}\nAll of it: ${logFile}`,
			{ cause: error },
		);
	}
	log(`n8n is ready at ${baseUrl} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
	return { baseUrl, rest, stop, kill, process: child, logFile };
}

module.exports = { OWNER, startN8n };
