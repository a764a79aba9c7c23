/**
 * Child processes that must not outlive their parent, however it ends: start, wait, stop. Each leads a process group, so that its own
 * children end with it.
 */
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
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
	// The fourth is the lifeline: it closes when this process ends, and then the child exits.
	const stdio = /** @type {import('node:child_process').StdioOptions} */ (['ignore', output, output, 'pipe']);
	const child = spawn(node, ['--require', LIFELINE, ...script], { cwd: folder, env, stdio, detached: true });
	fs.closeSync(output);
	return child;
}

/** @param {ChildProcess} child */
const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/** Ends it, and what it started, without a chance to save anything. @param {ChildProcess} child */
async function killProcess(child) {
	const ended = hasEnded(child) || once(child, 'exit');
	try {
		if (child.pid) process.kill(-child.pid, 'SIGKILL');
	} catch {
		// All of them have ended.
	}
	await ended;
}

/** @param {ChildProcess} child */
async function stopProcess(child) {
	if (hasEnded(child)) return;
	const ended = once(child, 'exit');
	child.kill('SIGTERM');
	await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, STOP_WITHIN_MS).unref())]);
	await killProcess(child);
}

/**
 * Waits until a process works. One that exits or does not start in time is stopped, and its log shown.
 * @param {string} what such as "n8n"
 * @param {{ child: ChildProcess, logFile: string }} started
 * @param {() => Promise<boolean>} isReady
 */
async function untilReady(what, { child, logFile }, isReady) {
	try {
		const ready = async () => {
			if (hasEnded(child)) throw new Error(`${what} ended while starting (${child.exitCode ?? child.signalCode})`);
			return await isReady();
		};
		await until(`${what} to be ready`, ready);
	} catch (error) {
		await stopProcess(child);
		const tail = fs.readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-30).join('\n');
		throw new Error(`${error.message}. The end of its log:\n${tail}\nAll of it: ${logFile}`, { cause: error });
	}
}

module.exports = { killProcess, spawnTied, stopProcess, untilReady };
