/**
 * One demo at a time, and its shutdown: stops what it has started, last started first, at its end, when it fails, and at Ctrl-C,
 * even during a start.
 */
const fs = require('node:fs');
const { constants } = require('node:os');
const path = require('node:path');
const { ReadableError } = require('../install/command');
const { isRunning } = require('../install/once');
const { CACHE } = require('../paths');

/** Holds the process of the demo that runs. */
const RUNNING = path.join(CACHE, 'demo.running');

/** @type {Array<() => Promise<unknown>>} */
const stops = [];
const state = { isStopping: false, isReady: false };

/** Two would share one n8n: the second would replace the workflows of the first, and point its credential elsewhere. */
function onlyOne() {
	const other = fs.existsSync(RUNNING) ? Number(fs.readFileSync(RUNNING, 'utf8')) : 0;
	if (other && isRunning(other)) {
		const what = `A demo is already running in this clone (process ${other}). Use it, or end it with Ctrl-C.`;
		throw new ReadableError(`${what} If there is none, delete ${RUNNING}`);
	}
	fs.writeFileSync(RUNNING, String(process.pid));
	process.once('exit', () => fs.rmSync(RUNNING, { force: true }));
}

/** @param {() => Promise<unknown>} stop */
const stopLater = (stop) => void stops.push(stop);

async function stopAll() {
	state.isStopping = true;
	while (stops.length) await stops.pop()?.();
}

/** Exits on a signal after all that was started is gone. A second signal does not wait. @param {Promise<unknown>} demo */
function stopOnSignals(demo) {
	for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
		process.once(signal, async () => {
			console.log('\nStopping n8n and the sandbox …');
			await stopAll();
			// A running child command has got the signal, too.
			await demo.catch(() => {});
			// After the result, Ctrl-C is the normal end of the demo.
			process.exit(signal === 'SIGINT' && state.isReady ? 0 : 128 + constants.signals[signal]);
		});
	}
}

module.exports = { RUNNING, onlyOne, state, stopAll, stopLater, stopOnSignals };
