/**
 * How many requests are sent in a second: one after the other, evenly, and never a burst for what was not used before.
 */
import { Problem } from '../shared/problem';
import { LONGEST_SLEEP_MS, wait } from './wait';

/** Timers are no finer: a request may be so late without those behind it being late, too. */
const TIMER_MS = 5;

export class Rate {
	/** Between two requests; 0 without a limit. */
	private readonly intervalMs: number;
	/** All times by `performance.now()`. */
	private dueAt = 0;
	private line = Promise.resolve();
	private heldMs = 0;
	private heldSince?: number;

	/** @param until when nobody waits any more */
	constructor(
		perSecond = Infinity,
		private readonly until = Infinity,
	) {
		this.intervalMs = 1000 / perSecond;
	}

	/**
	 * Waits for the turn of one request, behind all that came before.
	 *
	 * @param mayGo looked at again and again: false leaves the line without a turn, and what it throws goes through
	 */
	async turn(mayGo: () => boolean): Promise<void> {
		if (this.intervalMs === 0) return;
		const came = performance.now();
		const before = this.line;
		let next = () => {};
		this.line = new Promise((resolve) => (next = resolve));
		await before;
		try {
			if (await this.isDue(mayGo)) this.take(came);
		} finally {
			next();
		}
	}

	/** Milliseconds in which nothing was sent for the limit alone. Who was there meanwhile has waited for it so long. */
	get held(): number {
		return this.heldMs + (this.heldSince === undefined ? 0 : performance.now() - this.heldSince);
	}

	private async isDue(mayGo: () => boolean): Promise<boolean> {
		this.heldSince = performance.now();
		try {
			while (mayGo()) {
				const now = performance.now();
				if (now >= this.dueAt) return true;
				if (now >= this.until) throw tooSlow();
				await wait(Math.min(this.dueAt - now, LONGEST_SLEEP_MS), () => {});
			}
			return false;
		} finally {
			this.heldMs = this.held;
			this.heldSince = undefined;
		}
	}

	/** Timers are late: what is lost by that is made up for, but by no more than half an interval, or two would go out together. */
	private take(came: number) {
		const mostLate = Math.max(this.intervalMs / 2, TIMER_MS);
		this.dueAt = Math.max(this.dueAt, came, performance.now() - mostLate) + this.intervalMs;
	}
}

const tooSlow = () =>
	new Problem(
		"The time was over before 'Requests per Second' allowed the next request",
		"Raise 'Requests per Second' in the options, or read fewer users",
		{ kind: 'temporarily-unavailable' },
	);
