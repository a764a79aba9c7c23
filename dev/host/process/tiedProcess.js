/**
 * Child processes that must not outlive their parent, however it ends: start, wait, stop.
 */
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const { killTree } = require('../../install/command');
const { until } = require('./until');

const STOP_WITHIN_MS = 10_000;
const LIFELINE = require.resolve('./lifeline');

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/**
 * @param {string} node the Node to run it on
 * @param {string[]} script and its arguments
 * @param {{ folder: string, env: Record<string, string>, logFile: string }} options `folder`: where it runs
 */
function spawnTied(node, script, { folder, env, logFile }) {
	fs.mkdirSync(folder, { recursive: true });
	const output = fs.openSync(logFile, 'w');
	const child = spawn(node, ['--require', LIFELINE, ...script], {
		cwd: folder,
		env,
		// The fourth is the lifeline: it closes when this process ends, and then the child exits.
		stdio: ['ignore', output, output, 'pipe'],
		detached: process.platform !== 'win32',
		windowsHide: true,
	});
	fs.closeSync(output);
	return child;
}

/** @param {ChildProcess} child */
const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/** @param {ChildProcess} child */
async function stopProcess(child) {
	if (hasEnded(child)) return;
	const ended = once(child, 'exit');
	const force = setTimeout(() => killTree(child.pid, 'SIGKILL'), STOP_WITHIN_MS);
	child.kill('SIGTERM');
	await ended;
	clearTimeout(force);
	// Its own children end with it; any that are left are in its process group.
	if (process.platform !== 'win32') killTree(child.pid, 'SIGKILL');
}

/** Ends it, and what it started, without a chance to save anything. @param {ChildProcess} child */
async function killProcess(child) {
	if (hasEnded(child)) return;
	const ended = once(child, 'exit');
	killTree(child.pid, 'SIGKILL');
	await ended;
}

/**
 * @param {string} logFile
 * @param {number} [lines]
 */
const tailOf = (logFile, lines = 30) => fs.readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');

/**
 * Waits until a process works. One that exits or does not start in time is stopped, and its log shown.
 * @param {string} what such as "n8n"
 * @param {{ child: ChildProcess, logFile: string, timeoutMs?: number }} started
 * @param {() => Promise<boolean>} isReady
 */
async function untilReady(what, { child, logFile, timeoutMs = 120_000 }, isReady) {
	try {
		const ready = async () => {
			if (hasEnded(child)) throw new Error(`${what} ended while starting (${child.exitCode ?? child.signalCode})`);
			return await isReady();
		};
		await until(`${what} to be ready`, ready, { timeoutMs });
	} catch (error) {
		await stopProcess(child);
		const { message } = /** @type {Error} */ (error);
		throw new Error(`${message}. The end of its log:\n${tailOf(logFile)}\nAll of it: ${logFile}`, { cause: error });
	}
}

module.exports = { killProcess, spawnTied, stopProcess, untilReady };
