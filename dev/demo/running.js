/**
 * What runs as long as the demo does. It ends with it, last started first: at its end, when it fails, and at Ctrl-C, even in
 * the middle of a start.
 */

/** @type {Array<() => Promise<unknown>>} */
const stops = [];
const state = { isStopping: false, isReady: false };

/** @param {() => Promise<unknown>} stop */
const stopLater = (stop) => void stops.push(stop);

async function stopAll() {
	state.isStopping = true;
	while (stops.length) await stops.pop()?.();
}

/**
 * How the demo ends by signal: when all it has started is gone. A second signal does not wait; what is left then ends by itself.
 * @param {Promise<unknown>} demo
 */
function stopOnSignals(demo) {
	for (const [signal, code] of /** @type {const} */ ([
		['SIGINT', 130],
		['SIGTERM', 143],
		['SIGHUP', 129],
	])) {
		process.once(signal, async () => {
			console.log('\nStopping n8n and the sandbox …');
			await stopAll();
			// A command in the middle of its work has got the signal, too.
			await demo.catch(() => {});
			// Once all is said, Ctrl-C is how the demo ends, and nothing was broken off.
			process.exit(signal === 'SIGINT' && state.isReady ? 0 : code);
		});
	}
}

module.exports = { state, stopAll, stopLater, stopOnSignals };
