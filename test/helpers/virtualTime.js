/**
 * Virtual time: replaces the clocks and timers of this process, and jumps to the next timer when nothing else can happen.
 * Waiting, deadlines, rate limits and backoff cost nothing and are exact; real HTTP over loopback stays.
 *
 * When time advances: never while anything is on its way between a client and a server of this process (wire.js). What a
 * server of this process holds back on purpose (latency, a hang, a drip) waits for a timer, so it does not stop the time.
 * Nothing else stops it: work in other processes, on files or in threads must not run against a timer.
 *
 * Replaced: `setTimeout`, `clearTimeout` (and with them n8n's `sleep`, axios and Fastify), `Date.now`, `performance.now`, the
 * timeout of an HTTP request, and `Math.random`, by one sequence for the tests of a file. Not replaced: `setImmediate`, `setInterval`,
 * `AbortSignal.timeout`, the timers of jest and of Node's servers.
 * Computing takes no virtual time: a loop that ends by the clock needs something that waits (`switches.latencyMs`).
 */
const { ClientRequest } = require('node:http');
const { promisify } = require('node:util');
const { Wire } = require('./wire');

const realImmediate = setImmediate;
const real = {
	setTimeout: globalThis.setTimeout,
	clearTimeout: globalThis.clearTimeout,
	now: Date.now,
	monotonic: performance.now,
	random: Math.random,
	requestTimeout: ClientRequest.prototype.setTimeout,
};

/** Turns of the event loop without anything on the wire: what an answer sets off may need more than one. */
const QUIET_TURNS = 3;

class Timer {
	/** @param {VirtualTime} time @param {number} ms @param {() => void} run */
	constructor(time, ms, run) {
		this.time = time;
		// As Node does: never less than a millisecond, and one for what no timer can hold.
		this.ms = ms >= 1 && ms < 2 ** 31 ? ms : 1;
		this.run = run;
		this.at = 0;
		this.refresh();
	}

	refresh() {
		this.at = Math.ceil(this.time.now + this.ms);
		this.time.timers.add(this);
		this.time.flow();
		return this;
	}

	ref() {
		return this;
	}

	unref() {
		return this;
	}

	hasRef() {
		return true;
	}
}

class VirtualTime {
	/** By how much n8n's clock is wrong. */
	error = 0;
	/** @type {Set<Timer>} */
	timers = new Set();
	/** @type {Wire | undefined} */
	wire;
	isFlowing = false;
	/** The same tests are the same run: jitter is random. */
	random = 1;

	/** @param {number} begin */
	constructor(begin) {
		this.begin = begin;
		/** The correct time. */
		this.now = begin;
	}

	/** Milliseconds since the beginning. */
	get elapsed() {
		return this.now - this.begin;
	}

	install() {
		Math.random = () => (this.random = (this.random * 16_807) % 2_147_483_647) / 2_147_483_647;
		Date.now = () => Math.round(this.now + this.error);
		performance.now = () => this.elapsed;
		const setVirtual = (/** @type {(...args: any[]) => void} */ run, ms = 0, /** @type {any[]} */ ...args) =>
			this.after(ms, () => run(...args));
		globalThis.setTimeout = /** @type {any} */ (
			Object.assign(setVirtual, {
				[promisify.custom]: (/** @type {number} */ ms, /** @type {unknown} */ value) =>
					new Promise((resolve) => this.after(ms, () => resolve(value))),
			})
		);
		globalThis.clearTimeout = /** @type {any} */ (
			(/** @type {any} */ timer) => {
				if (timer instanceof Timer) this.timers.delete(timer);
				else real.clearTimeout(timer);
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
		return new Timer(this, ms, run);
	}

	/** Lets so much time pass for all that is going on. @param {number} ms */
	async pass(ms) {
		if (this.wire) return await new Promise((resolve) => this.after(ms, () => resolve(undefined)));
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

	/** Runs the next timer that is due before `end`, after all that happens without one. @param {number} end */
	async step(end, isDone = () => false) {
		await this.settle();
		if (isDone()) return false;
		/** @type {Timer | undefined} */
		let next;
		for (const timer of this.timers) if (!next || timer.at < next.at) next = timer;
		if (!next || next.at > end) return false;
		this.timers.delete(next);
		this.now = Math.max(this.now, next.at);
		next.run();
		return true;
	}

	/** Until nothing can happen without a timer. */
	async settle() {
		for (let quiet = this.wire ? QUIET_TURNS : 1; quiet > 0; ) {
			await new Promise((resolve) => realImmediate(resolve));
			quiet = this.wire?.isBusy() ? QUIET_TURNS : quiet - 1;
		}
	}

	/** With a wire, time advances by itself as long as there are timers. */
	flow() {
		if (!this.wire || this.isFlowing) return;
		this.isFlowing = true;
		void (async () => {
			while (this.wire && this.timers.size > 0) await this.step(Infinity, () => !this.wire);
			this.isFlowing = false;
		})();
	}
}

/** The timeout of a request: so many milliseconds in which nothing comes. @param {VirtualTime} time */
const requestTimeout = (time) =>
	/** @this {ClientRequest} @param {number} ms @param {() => void} [callback] */
	function (ms, callback) {
		const own = /** @type {ClientRequest & { virtualTimer?: Timer }} */ (this);
		if (own.virtualTimer) time.timers.delete(own.virtualTimer);
		if (callback) own.once('timeout', callback);
		if (ms === 0 || own.destroyed) return own;
		let seen = 0;
		const timer = (own.virtualTimer = time.after(ms, () => {
			const { bytesRead = 0 } = own.socket ?? {};
			if (bytesRead === seen) return void own.emit('timeout');
			seen = bytesRead;
			timer.refresh();
		}));
		own.once('close', () => time.timers.delete(timer));
		return own;
	};

/**
 * Virtual time in each test of a file or a `describe`, which advances by itself. What a test waits for when it ends goes on in
 * the next one. The mocks of a test are removed before the clocks are put back.
 *
 * @param {number} [begin] the time at which the first test begins
 */
function useVirtualTime(begin = Date.UTC(2026, 5, 1, 12)) {
	const time = new VirtualTime(begin);
	const wire = new Wire();
	beforeAll(() => wire.open());
	beforeEach(() => {
		time.install();
		ClientRequest.prototype.setTimeout = requestTimeout(time);
		time.wire = wire;
		if (time.timers.size > 0) time.flow();
	});
	afterEach(() => {
		jest.restoreAllMocks();
		time.wire = undefined;
		ClientRequest.prototype.setTimeout = real.requestTimeout;
		time.uninstall();
	});
	afterAll(() => wire.close());
	return time;
}

module.exports = { VirtualTime, useVirtualTime };
