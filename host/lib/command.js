/**
 * Runs one command of an installation: its output goes to a log file, Ctrl-C ends it with all its children,
 * and when it fails the error is something a person can act on.
 */
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const TAIL_LINES = 25;

/** An error whose message is written for the reader of a terminal: print the message, not the stack. */
class ReadableError extends Error {
	/**
	 * @param {string} message
	 * @param {{ signal?: NodeJS.Signals, isNetwork?: boolean }} [cause] `signal`: it was stopped by that
	 */
	constructor(message, { signal, isNetwork = false } = {}) {
		super(message);
		this.name = 'ReadableError';
		this.signal = signal;
		this.isNetwork = isNetwork;
	}
}

/**
 * @param {number} pid of a process that leads its own group (spawned with `detached`, see below)
 * @param {NodeJS.Signals} signal
 */
function killTree(pid, signal) {
	if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/T', '/F']);
	else {
		try {
			process.kill(-pid, signal);
		} catch {
			// Already gone.
		}
	}
}

const NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED/;

/**
 * @param {string[]} output
 * @returns {{ reason?: string, isNetwork?: boolean, isClear?: boolean }} `isClear`: the reason says it all
 */
function explain(output) {
	// A package that finds no ready-made binary says so with a network error, and then compiles one.
	const text = output.filter((line) => !line.includes('prebuild-install')).join('\n');
	if (/gyp ERR!/.test(text))
		return { reason: 'A part of it could not be compiled. That needs Python 3, make and a C++ compiler (Debian, Ubuntu: apt install python3 build-essential).' };
	if (NETWORK.test(text))
		return { reason: 'The npm registry could not be reached. This step needs a network connection; run it again once there is one.', isNetwork: true, isClear: true };
	if (/ENOSPC/.test(text)) return { reason: 'The disk is full.', isClear: true };
	return {};
}

/**
 * @param {string} what
 * @param {number | string | null} ended
 * @param {string[]} output
 * @param {string} logFile
 */
function failure(what, ended, output, logFile) {
	const { reason, isNetwork, isClear } = explain(output);
	const lines = [reason ? `${what} failed. ${reason}` : `${what} failed (${ended}).`, ...(isClear ? [] : output.slice(-TAIL_LINES)), `Full output: ${logFile}`];
	return new ReadableError(lines.join('\n'), { isNetwork });
}

/**
 * @param {string} what is being done, for the error: "Installing n8n"
 * @param {string[]} command
 * @param {{ cwd: string, env: Record<string, string>, logFile: string, onLine?: (line: string) => void, onStart?: (pid: number) => void }} options
 * @returns {Promise<string>} what it wrote to stdout
 */
async function run(what, [file, ...args], { cwd, env, logFile, onLine, onStart }) {
	fs.mkdirSync(path.dirname(logFile), { recursive: true });
	const log = fs.openSync(logFile, 'w');
	// A group of its own, so that ending it also ends compilers and whatever else it started.
	const detached = process.platform !== 'win32';
	const child = spawn(file, args, { cwd, env, detached, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, shell: /\.cmd$/i.test(file) });
	if (child.pid) onStart?.(child.pid);

	/** @type {string[]} */
	const output = [];
	/** @type {string[]} */
	const stdout = [];
	for (const stream of [child.stdout, child.stderr]) {
		readline.createInterface({ input: stream }).on('line', (line) => {
			fs.writeSync(log, `${line}\n`);
			output.push(line);
			if (stream === child.stdout) stdout.push(line);
			onLine?.(line);
		});
	}

	/** @type {NodeJS.Signals | undefined} */
	let stoppedBy;
	/** @param {NodeJS.Signals} signal */
	const stop = (signal) => {
		stoppedBy = signal;
		killTree(child.pid ?? 0, 'SIGTERM');
		setTimeout(() => killTree(child.pid ?? 0, 'SIGKILL'), 5000).unref();
	};
	for (const signal of SIGNALS) process.on(signal, stop);
	/** @type {number | string | null} */
	const ended = await new Promise((resolve) => {
		child.on('error', (error) => resolve(error.message));
		child.on('close', (code, signal) => resolve(code ?? signal));
	});
	for (const signal of SIGNALS) process.off(signal, stop);
	fs.closeSync(log);

	if (stoppedBy) throw new ReadableError(`${what} was stopped. The next run repairs what is half done.`, { signal: stoppedBy });
	if (ended !== 0) throw failure(what, ended, output, logFile);
	return stdout.join('\n');
}

/**
 * Runs the main function of a script and ends the process as its outcome demands.
 * @param {() => Promise<unknown>} main
 */
async function runAsScript(main) {
	try {
		await main();
	} catch (error) {
		const readable = error instanceof ReadableError;
		console.error(readable ? error.message : error);
		process.exitCode = readable && error.signal ? 130 : 1;
	}
}

module.exports = { ReadableError, killTree, run, runAsScript };
