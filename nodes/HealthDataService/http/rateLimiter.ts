/**
 * Rate limiter: spaces requests evenly, in the order in which they came. Unused time is not saved up, so no burst follows it.
 */
import { Problem } from '../shared/problem';
import { cancellableSleep, SLEEP_STEP_MS } from './sleep';

/** Resolution of timers: a request may be late by this much without delaying those after it. */
const TIMER_MS = 5;

export class RateLimiter {
	/** Between two requests; 0 without a limit. */
	private readonly intervalMs: number;
	/** All times by `performance.now()`. */
	private nextAt = 0;
	private lastInLine = Promise.resolve();

	/** @param until requests that would wait longer are rejected */
	constructor(
		perSecond = Infinity,
		private readonly until = Infinity,
	) {
		this.intervalMs = 1000 / perSecond;
	}

	/**
	 * Resolves when the next request may be sent. The caller checks `canSend` again: the place may have been left without it.
	 *
	 * @param canSend checked repeatedly; false leaves the line without using up an interval, and errors are passed on
	 * @throws Problem when the request would wait longer than `until`
	 */
	async acquire(canSend: () => boolean): Promise<void> {
		if (this.intervalMs === 0) return;
		const arrivedAt = performance.now();
		const before = this.lastInLine;
		let leave = () => {};
		this.lastInLine = new Promise((resolve) => (leave = resolve));
		await before;
		try {
			if (await this.isDue(canSend)) this.scheduleNext(arrivedAt);
		} finally {
			leave();
		}
	}

	private async isDue(canSend: () => boolean): Promise<boolean> {
		while (canSend()) {
			const now = performance.now();
			if (now >= this.nextAt) return true;
			if (now >= this.until) throw outOfTime();
			await cancellableSleep(Math.min(this.nextAt - now, SLEEP_STEP_MS), () => {});
		}
		return false;
	}

	/** The delay of timers is made up for, but by half an interval at most: two requests never leave together. */
	private scheduleNext(arrivedAt: number) {
		const maxDelayMs = Math.max(this.intervalMs / 2, TIMER_MS);
		this.nextAt = Math.max(this.nextAt, arrivedAt, performance.now() - maxDelayMs) + this.intervalMs;
	}
}

const outOfTime = () =>
	new Problem(
		"The time was over before 'Requests per Second' allowed the next request",
		"Raise 'Requests per Second' in the options, or read fewer users",
		{ kind: 'temporarily-unavailable' },
	);
