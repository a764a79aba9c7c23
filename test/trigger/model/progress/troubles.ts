/** Troubles of a history of progress: which users fail, how slow the service is and how many requests it admits, by poll. */
import type { UserFault } from '../faults';

export interface Stretch {
	/** Polls: the first, and the first without it. */
	from: number;
	until: number;
	/** The first of the users in a row, and how many. */
	place: number;
	count: number;
	fault: UserFault;
	/** Whether it is every second user of the row. */
	isEverySecond?: boolean;
	/** Whether it is the next stretch at each poll. */
	isMoving?: boolean;
}

export interface Throttle {
	from: number;
	until: number;
	requests: number;
	minutes: number;
	isAnnounced: boolean;
	isSliding: boolean;
	/** Whether requests of the user list are not limited. */
	isOfReadings?: boolean;
}

export interface Slowness {
	from: number;
	until: number;
	latencyMs: number;
	spreadMs: number;
}

/** A history of progress; all else about it follows. */
export interface ProgressHistory {
	kind: string;
	scheduler: 'memory' | 'durable';
	/** Whether the budget of each poll is five minutes, as that of a start. */
	isLong: boolean;
	people: number;
	/** All Users, Listed Users by their ID or by client user ID, or One User. */
	scope: 'all' | 'listed' | 'clients' | 'one';
	/** *Concurrent Requests*. */
	concurrency: number;
	/** *Requests per Second*. */
	rate?: number;
	latencyMs: number;
	isListQuick: boolean;
	everyMinutes: number;
	/** By how much poll times are off. */
	jitterMs: number;
	/** How many, after the one at the start, which is number 0. */
	polls: number;
	stretches: Stretch[];
	throttles: Throttle[];
	slownesses: Slowness[];
	/** Measured, and at the service, a moment before a poll. */
	readings: Array<{ poll: number; user: number }>;
}

/** Whether there is more than one trouble, maybe at once. */
export const isMixed = ({ stretches, throttles, slownesses }: ProgressHistory) =>
	stretches.length + throttles.length + slownesses.length > 1;

/** Whether requests are limited, for all or for some. */
export const isLimited = ({ stretches, throttles, rate }: ProgressHistory) =>
	throttles.length > 0 || rate !== undefined || stretches.some(({ fault }) => / for |429/.test(fault));

/** Whether each failure is told by its second poll: a read that the end of a poll cuts off is no failure. */
export const isPrompt = (history: ProgressHistory) =>
	!isLimited(history) &&
	history.slownesses.length === 0 &&
	(!isMixed(history) || history.stretches.every(({ fault }) => fault !== 'hang' && fault !== 'endless'));

export const isDuring = (poll: number, { from, until }: { from: number; until: number }) =>
	poll >= from && poll < until;

/** What is wrong with each user at a poll, by place. */
export function faultsAt({ people, stretches }: ProgressHistory, poll: number): Map<number, UserFault> {
	const faults = new Map<number, UserFault>();
	for (const one of stretches) {
		if (!isDuring(poll, one)) continue;
		const first = one.place + (one.isMoving ? (poll - one.from) * one.count : 0);
		const apart = one.isEverySecond ? 2 : 1;
		for (let i = 0; i < one.count; i += apart) faults.set((first + i) % people, one.fault);
	}
	return faults;
}
