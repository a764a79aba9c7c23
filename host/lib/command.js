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
	 * @param {NodeJS.Signals} [signal] what stopped it, when it was stopped
	 */
	constructor(message, signal) {
		super(message);
		this.name = 'ReadableError';
		this.signal = signal;
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

/** @param {string[]} output */
function reasonOf(output) {
	const text = output.filter((line) => !line.includes('prebuild-install')).join('\n');
	if (/gyp ERR!/.test(text))
		return 'A part of it could not be compiled. That needs Python 3, make and a C++ compiler (on Debian and Ubuntu: apt install python3 build-essential).';
	if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT/.test(text))
		return 'The npm registry could not be reached: this step needs a network connection (or a proxy in npm\'s settings). Run it again once there is one.';
	if (/ENOSPC/.test(text)) return 'The disk is full.';
	return undefined;
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

	if (stoppedBy) throw new ReadableError(`${what} was stopped. The next run repairs what is half done.`, stoppedBy);
	if (ended !== 0) {
		const reason = reasonOf(output);
		const tail = reason?.startsWith('The') ? [] : output.slice(-TAIL_LINES);
		throw new ReadableError([`${what} failed${reason ? '.' : ` (${ended}).`}`, reason, ...tail, `Full output: ${logFile}`].filter(Boolean).join('\n'));
	}
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
