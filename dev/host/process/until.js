/** Polling: waits until a condition holds. (p-wait-for does the same, but jest cannot load an ES module.) */
const { setTimeout: sleep } = require('node:timers/promises');

/** It ends what hangs, and judges no speed: on a busy machine n8n alone took over two minutes to start. */
const PATIENCE_MS = 600_000;

/**
 * @template T
 * @param {string} what is awaited, for the error
 * @param {() => Promise<T | undefined | false | null>} ask
 * @param {{ everyMs?: number }} [options] how often to ask
 * @returns {Promise<T>} the first answer that is something
 */
async function until(what, ask, { everyMs = 100 } = {}) {
	const end = Date.now() + PATIENCE_MS;
	for (;;) {
		const answer = await ask();
		if (answer) return answer;
		if (Date.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
		await sleep(everyMs);
	}
}

module.exports = { PATIENCE_MS, until };
