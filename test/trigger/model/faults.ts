/** Faults and rate limits of a history's service, and its records of a poll. */
import type { Person } from './world';

/** What is wrong with one user. `removed` is a 404 that Resolve confirms. */
export const USER_FAULTS = ['500', '403', '422', '404', 'removed', 'nonsense', 'loop', 'endless', 'hang'] as const;
/** A limit of one user, or a status 503, that says until when or not; and Resolve of one entry of a list. */
export const LIMITS = ['429', '429 for 40', '503 for 3600'] as const;
export const RESOLVES = ['resolve 500', 'resolve hang', 'resolve 429', 'resolve 429 for 40'] as const;
/** `malformed`: some value in the answer is not what it should be. */
export type UserFault =
	| (typeof USER_FAULTS)[number]
	| (typeof LIMITS)[number]
	| (typeof RESOLVES)[number]
	| '503'
	| 'malformed';

/** What is wrong with everything, or with the list alone. */
export const FAULTS = ['500', '503', '401', 'reset', 'list 500', 'list nonsense', 'html'] as const;
export type Fault = { kind: (typeof FAULTS)[number]; from: number };

/** One poll, as seen from the service. */
export class PollRecord {
	requests = 0;
	/** Requests that the rate limit refused. */
	throttled = 0;
	/** When the next request is admitted, by the latest of these refusals. */
	retryAt = 0;
	/** Whether the list was asked after such a refusal, and answered. */
	isListFree = false;
	/** Whether a fault of everything was met. */
	isHit = false;
	/** When the first page of a user's readings went out. */
	readonly begun = new Map<Person, { at: number; isReversed: boolean }>();
	/** Users with completely served readings: when the first page was sent. */
	readonly served = new Map<Person, number>();
	/** Users with failed requests, but a 429. */
	readonly broken = new Set<Person>();
	/** Users whose requests were answered with a 429 of their own. */
	readonly limited = new Set<Person>();
	/** Users of the list whose readings cannot be found. */
	readonly gone = new Set<Person>();
	readonly listed = new Set<Person>();
	/** A process that was killed gets no answers. */
	isDead = false;
}

export class RateLimit {
	/** Times of the admitted requests that count. */
	private admitted: number[] = [];

	constructor(
		readonly requests: number,
		readonly windowMs: number,
		/** Whether a refusal says when the next request is admitted. */
		readonly isAnnounced: boolean,
		private readonly isSliding: boolean,
		readonly isOfReadings = false,
	) {}

	/** Requests that would be admitted now. */
	free(now: number): number {
		const since = this.isSliding ? now - this.windowMs : now - (now % this.windowMs) - 1;
		this.admitted = this.admitted.filter((at) => at > since);
		return this.requests - this.admitted.length;
	}

	/** Counts a request. @returns undefined where it is admitted, else the milliseconds until one would be */
	refuse(now: number): number | undefined {
		if (this.free(now) > 0) {
			this.admitted.push(now);
			return undefined;
		}
		return this.isSliding ? this.admitted[0] + this.windowMs - now : this.windowMs - (now % this.windowMs);
	}
}
