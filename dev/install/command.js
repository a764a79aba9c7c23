/**
 * Runner for one installation command: its output goes to a log file, Ctrl-C ends it with all its children,
 * and a failure throws an error that says what to do.
 */
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');
const { ReadableError, failure } = require('./failure');

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * @param {number | undefined} pid of a process that leads its own group (spawned with `detached`); none when it never started
 * @param {NodeJS.Signals} signal
 */
function killTree(pid, signal) {
	if (pid === undefined) return;
	if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/T', '/F']);
	else {
		try {
			process.kill(-pid, signal);
		} catch {
			// Already gone.
		}
	}
}

/**
 * On a full disk the log stays short: the command ends for the same reason.
 * @param {number} log
 * @param {string} line
 */
function write(log, line) {
	try {
		fs.writeSync(log, `${line}\n`);
	} catch (error) {
		if (error.code !== 'ENOSPC') throw error;
	}
}

/**
 * @param {string} what is being done, for the error: "Installing n8n"
 * @param {string[]} command
 * @param {{
 *   cwd: string,
 *   env: Record<string, string>,
 *   logFile: string,
 *   usesRegistry?: boolean,
 *   onLine?: (line: string) => void,
 *   onStart?: (pid: number) => void,
 * }} options
 * @returns {Promise<string>} what it wrote to stdout
 */
async function run(what, [file, ...args], { cwd, env, logFile, usesRegistry, onLine, onStart }) {
	fs.mkdirSync(path.dirname(logFile), { recursive: true });
	const log = fs.openSync(logFile, 'w');
	// A process group of its own, so that ending it also ends the compilers that it started.
	const detached = process.platform !== 'win32';
	const child = spawn(file, args, {
		cwd,
		env,
		detached,
		stdio: ['ignore', 'pipe', 'pipe'],
		windowsHide: true,
		shell: /\.cmd$/i.test(file),
	});
	if (child.pid) onStart?.(child.pid);

	/** @type {string[]} */
	const output = [];
	/** @type {string[]} */
	const stdout = [];
	for (const stream of [child.stdout, child.stderr]) {
		readline.createInterface({ input: stream }).on('line', (line) => {
			output.push(line);
			if (stream === child.stdout) stdout.push(line);
			onLine?.(line);
			write(log, line);
			// npm goes on for minutes, and calls it a success.
			if (usesRegistry && line.includes('ENOSPC')) end();
		});
	}

	// Also when this process ends, because something that ran beside the command has failed.
	const end = () => killTree(child.pid, 'SIGTERM');
	/** @type {NodeJS.Signals | undefined} */
	let stoppedBy;
	/** @param {NodeJS.Signals} signal */
	const stop = (signal) => {
		stoppedBy = signal;
		killTree(child.pid, 'SIGTERM');
		setTimeout(() => killTree(child.pid, 'SIGKILL'), 5000).unref();
	};
	for (const signal of SIGNALS) process.on(signal, stop);
	process.on('exit', end);
	/** @type {number | string | null} */
	const ended = await new Promise((resolve) => {
		child.on('error', (error) => resolve(error.message));
		child.on('close', (code, signal) => resolve(code ?? signal));
	});
	for (const signal of SIGNALS) process.off(signal, stop);
	process.off('exit', end);
	fs.closeSync(log);

	if (stoppedBy)
		throw new ReadableError(`${what} was stopped. The next run repairs what is half done.`, { signal: stoppedBy });
	if (ended !== 0) throw failure(what, ended, output, { logFile, usesRegistry });
	return stdout.join('\n');
}

/**
 * Runs the main function of a program. When it fails, the process exits at once, and what it left running ends, too.
 * @param {() => Promise<unknown>} main
 */
async function runAsScript(main) {
	try {
		await main();
	} catch (error) {
		const readable = error instanceof ReadableError;
		if (error.code === 'ENOSPC') console.error('The disk is full. Make room, and run this again.');
		else console.error(readable ? error.message : error);
		process.exit(readable && error.signal ? 130 : 1);
	}
}

module.exports = { killTree, run, runAsScript };
