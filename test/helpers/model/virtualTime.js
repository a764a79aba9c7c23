/**
 * Time that passes only when nothing else can happen: the clocks and timers of the whole process are replaced while a history
 * is played, so that a service that hangs for a minute costs nothing.
 */
const realImmediate = setImmediate;
const real = {
	setTimeout: globalThis.setTimeout,
	clearTimeout: globalThis.clearTimeout,
	now: Date.now,
	monotonic: performance.now,
	random: Math.random,
};

/** @typedef {{ at: number, run: () => void }} Timer */

class VirtualTime {
	/** By how much n8n's clock is wrong. */
	error = 0;
	/** @type {Timer[]} */
	timers = [];

	/** @param {number} begin */
	constructor(begin) {
		this.begin = begin;
		/** What the time really is. */
		this.now = begin;
	}

	install() {
		// The same history is the same run: pauses are spread by chance.
		let random = 1;
		Math.random = () => (random = (random * 16_807) % 2_147_483_647) / 2_147_483_647;
		Date.now = () => Math.round(this.now + this.error);
		performance.now = () => this.now - this.begin;
		globalThis.setTimeout = /** @type {any} */ ((/** @type {() => void} */ run, ms = 0) => this.after(ms, run));
		globalThis.clearTimeout = /** @type {any} */ (
			(/** @type {Timer | undefined} */ timer) => {
				this.timers = this.timers.filter((one) => one !== timer);
			}
		);
	}

	uninstall() {
		Math.random = real.random;
		Date.now = real.now;
		performance.now = real.monotonic;
		globalThis.setTimeout = real.setTimeout;
		globalThis.clearTimeout = real.clearTimeout;
	}

	/** @param {number} ms @param {() => void} run @returns {Timer} */
	after(ms, run) {
		// As Node does: never less than a millisecond.
		const timer = { at: Math.ceil(this.now + Math.max(1, ms)), run };
		this.timers.push(timer);
		return timer;
	}

	/** Lets so much time pass for all that is going on. @param {number} ms */
	async pass(ms) {
		const end = this.now + ms;
		while (await this.step(end));
		this.now = end;
	}

	/**
	 * Until `work` is done.
	 * @template T
	 * @param {Promise<T>} work
	 * @param {number} limitMs
	 * @returns {Promise<T>}
	 * @throws Error when it is not within `limitMs`, or will never be
	 */
	async until(work, limitMs) {
		let isDone = false;
		const done = work.finally(() => (isDone = true));
		done.catch(() => undefined);
		const end = this.now + limitMs;
		while (!isDone && (await this.step(end, () => isDone)));
		if (!isDone) throw new Error(`A poll has not ended after ${limitMs / 1000} seconds`);
		return await done;
	}

	/** The next timer that is due before `end`, after all that happens without one. @param {number} end */
	async step(end, isDone = () => false) {
		await new Promise((resolve) => realImmediate(resolve));
		if (isDone()) return false;
		/** @type {Timer | undefined} */
		let next;
		for (const timer of this.timers) if (!next || timer.at < next.at) next = timer;
		if (!next || next.at > end) return false;
		this.timers.splice(this.timers.indexOf(next), 1);
		this.now = Math.max(this.now, next.at);
		next.run();
		return true;
	}
}

module.exports = { VirtualTime };
