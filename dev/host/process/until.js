/** Polling: waits until a condition holds. (p-wait-for does the same, but jest cannot load an ES module.) */
const { setTimeout: sleep } = require('node:timers/promises');

/**
 * @template T
 * @param {string} what is awaited, for the error
 * @param {() => Promise<T | undefined | false | null>} ask
 * @param {{ timeoutMs: number, everyMs?: number }} patience
 * @returns {Promise<T>} the first answer that is something
 */
async function until(what, ask, { timeoutMs, everyMs = 100 }) {
	const end = Date.now() + timeoutMs;
	for (;;) {
		const answer = await ask();
		if (answer) return answer;
		if (Date.now() > end) throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
		await sleep(everyMs);
	}
}

module.exports = { until };
