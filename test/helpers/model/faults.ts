/** Faults of a history's service, and its records of a poll. */
import type { Person } from './world';

/** What is wrong with one user. `removed` is a 404 that Resolve confirms. */
export const USER_FAULTS = ['500', '403', '422', '404', 'removed', 'nonsense', 'loop', 'endless', 'hang'] as const;
export type UserFault = (typeof USER_FAULTS)[number] | '503';

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
	/** Whether a fault of everything was met. */
	isHit = false;
	/** When the first page of a user's readings went out. */
	readonly begun = new Map<Person, { at: number; isReversed: boolean }>();
	/** Users with completely served readings: when the first page was sent. */
	readonly served = new Map<Person, number>();
	/** Users with failed requests, and the reason. */
	readonly broken = new Map<Person, UserFault>();
	/** Users of the list whose readings cannot be found. */
	readonly gone = new Set<Person>();
	readonly teamsListed = new Set<string>();
	/** A process that was killed gets no answers. */
	isDead = false;
}
