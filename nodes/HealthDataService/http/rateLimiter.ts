/**
 * Rate limiter: spaces requests evenly, in the order in which they came. Unused time is not saved up, so no burst follows it.
 * A rate can also be learnt: the spacing doubles at each limit that the service reports, and shrinks slowly with each answer.
 */
import { Problem } from '../shared/problem';
import { cancellableSleep, SLEEP_STEP_MS } from './sleep';

/** Resolution of timers: a request may be late by this much without delaying those after it. */
const TIMER_MS = 5;

/** Spacing after the first limit, and its bounds: below the least there is none. */
const LEARNT_MS = { first: 50, least: 10, most: 2_000 };

/** Of the learnt spacing, after an answer. */
const RECOVERY = 0.9;

export class RateLimiter {
	/** Between two requests by the user's own limit; 0 without one. */
	private readonly ownMs: number;

	/** Spacing learnt from the service's limits, in ms; 0 without one. */
	learntMs = 0;

	/** All times by `performance.now()`. */
	private nextAt = 0;
	private lastInLine = Promise.resolve();

	/** @param until requests that would wait longer are rejected */
	constructor(
		perSecond = Infinity,
		private readonly until = Infinity,
	) {
		this.ownMs = 1000 / perSecond;
	}

	/** After a limit that the service has reported. */
	slowDown() {
		this.learntMs = Math.min(LEARNT_MS.most, Math.max(LEARNT_MS.first, 2 * this.learntMs));
	}

	/** After an answer. */
	speedUp() {
		const nextMs = this.learntMs * RECOVERY;
		this.learntMs = nextMs < LEARNT_MS.least ? 0 : nextMs;
	}

	private get intervalMs() {
		return Math.max(this.ownMs, this.learntMs);
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
