/**
 * Shutdown of the demo: stops what it has started, last started first, at its end, when it fails, and at Ctrl-C, even during a
 * start.
 */
const { constants } = require('node:os');

/** @type {Array<() => Promise<unknown>>} */
const stops = [];
const state = { isStopping: false, isReady: false };

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

module.exports = { state, stopAll, stopLater, stopOnSignals };
