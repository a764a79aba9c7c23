/**
 * Time that passes only when nothing else can happen: the clocks and timers of the whole process are replaced while a history
 * is played, so that a service that hangs for a minute costs nothing.
 */
interface Timer {
	at: number;
	run: () => void;
}

const realImmediate = setImmediate;
const real = {
	setTimeout: globalThis.setTimeout,
	clearTimeout: globalThis.clearTimeout,
	now: Date.now,
	monotonic: performance.now,
	random: Math.random,
};

export class VirtualTime {
	/** What the time really is. */
	now: number;
	/** By how much n8n's clock is wrong. */
	error = 0;
	private timers: Timer[] = [];

	constructor(private readonly begin: number) {
		this.now = begin;
	}

	install() {
		// The same history is the same run: pauses are spread by chance.
		let random = 1;
		Math.random = () => (random = (random * 16_807) % 2_147_483_647) / 2_147_483_647;
		Date.now = () => Math.round(this.now + this.error);
		performance.now = () => this.now - this.begin;
		globalThis.setTimeout = ((run: () => void, ms = 0) => this.after(ms, run)) as unknown as typeof setTimeout;
		globalThis.clearTimeout = ((timer?: Timer) => {
			this.timers = this.timers.filter((one) => one !== timer);
		}) as unknown as typeof clearTimeout;
	}

	uninstall() {
		Math.random = real.random;
		Date.now = real.now;
		performance.now = real.monotonic;
		globalThis.setTimeout = real.setTimeout;
		globalThis.clearTimeout = real.clearTimeout;
	}

	after(ms: number, run: () => void): Timer {
		// As Node does: never less than a millisecond.
		const timer = { at: Math.ceil(this.now + Math.max(1, ms)), run };
		this.timers.push(timer);
		return timer;
	}

	/** Lets so much time pass for all that is going on. */
	async pass(ms: number) {
		const end = this.now + ms;
		while (await this.step(end));
		this.now = end;
	}

	/** Until `work` is done. @throws Error when it is not within `limitMs`, or will never be */
	async until<T>(work: Promise<T>, limitMs: number): Promise<T> {
		let isDone = false;
		const done = work.finally(() => (isDone = true));
		done.catch(() => undefined);
		const end = this.now + limitMs;
		while (!isDone && (await this.step(end, () => isDone)));
		if (!isDone) throw new NeverEnds(limitMs);
		return await done;
	}

	/** The next timer that is due before `end`, after all that happens without one. */
	private async step(end: number, isDone = () => false): Promise<boolean> {
		await new Promise((resolve) => realImmediate(resolve));
		if (isDone()) return false;
		let next: Timer | undefined;
		for (const timer of this.timers) if (!next || timer.at < next.at) next = timer;
		if (!next || next.at > end) return false;
		this.timers.splice(this.timers.indexOf(next), 1);
		this.now = Math.max(this.now, next.at);
		next.run();
		return true;
	}
}

export class NeverEnds extends Error {
	constructor(limitMs: number) {
		super(`A poll has not ended after ${limitMs / 1000} seconds`);
	}
}
