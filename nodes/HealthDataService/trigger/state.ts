/**
 * What is saved with the workflow between polls, and in which version. Another `version` starts afresh, so a change of this
 * shape must carry the old one over.
 */

/** Hash of an entry of 'User IDs' → first characters of the hash of its user ID; empty until the entry is resolved. */
export type SavedWatchList = Record<string, string>;

/** All times in ms. */
export interface TriggerState {
	version: 1;
	/** The node: n8n keeps static data by the node's name in memory, by its id on the durable scheduler. */
	node: string;
	/** What is watched: event, users, provider, service. Something else starts afresh. */
	of: string;
	/** Whose users: a hash of the team. Another team under the same address starts afresh. */
	team?: string;
	/** Counts what was saved. A poll can be given what was saved before the last one (durable). */
	turn: number;
	/** Start of the window that is read in each round over all users. */
	from: number;
	/** From here on everything that was seen is remembered: the window may move back so far, after a clock was wrong. */
	kept: number;
	/** When watching began, until a first round is complete: what was measured up to then is old. */
	since?: number;
	/** Hour since 1970 → what was seen of it. */
	seen: Record<string, string>;
	/** Where the next poll goes on, if this one could not read everybody. */
	round?: Checkpoint;
	/** Users who could not be read, by user ID; those of a list who could not even be found, by a hash (members.ts). */
	behind: Record<string, FailedUser>;
	/** The minimum values with which the last whole round began: what came before is judged by them. */
	minimums?: Threshold[];
	/** Where a list of users was given: who was on it. */
	members?: SavedWatchList;
}

/** What a column must reach. */
export interface Threshold {
	column: string;
	least: number;
}

/** A round over all users that takes several polls. */
export interface Checkpoint {
	/** How many users of the list are done. */
	at: number;
	/** The last of them, as beginnings of hashes: the list may have moved meanwhile. */
	last: string[];
	/** When it began. */
	began: number;
	/** The newest reading so far. */
	newest?: number;
	/** The minimum values with which it began. */
	minimums?: Threshold[];
}

export interface FailedUser {
	/** They were read up to here. */
	from: number;
	/** What was measured up to then is old: they have never been read. */
	since?: number;
	/** Began the round in which they were last met on the list. */
	met?: number;
	/** When somebody was told, last. */
	told?: number;
}

/**
 * How far the window may move back: as far as a clock is likely to be wrong. A day, since clocks are set wrong by time zones
 * and dates.
 */
const CLOCK_ERROR_MS = 24 * 3_600_000;

export const startState = (node: string, of: string, now: number, lookback: number): TriggerState => ({
	version: 1,
	node,
	of,
	// Anywhere, so that no turn of a state that is gone is taken for one of this.
	turn: Math.floor(Math.random() * 1e9),
	from: now - lookback,
	kept: now - lookback - CLOCK_ERROR_MS,
	since: now,
	seen: {},
	behind: {},
});

/** Whether this was saved by the same node of the same events, in a version that is understood. */
export function isStateOf(stored: unknown, node: string, of: string): stored is TriggerState {
	const state = stored as TriggerState | undefined;
	return state?.version === 1 && state.node === node && state.of === of;
}

/** The window after a whole round: `lookback` before the newest reading, and never in the future of `now`. */
export function moveWindow(
	{ from, kept }: TriggerState,
	{ now, newest }: { now: number; newest?: number },
	lookback: number,
) {
	// Without readings it stays, unless a clock that was ahead has put it there.
	const next = Math.max(kept, Math.min(now, newest ?? from + lookback) - lookback);
	return { from: next, kept: Math.max(kept, next - CLOCK_ERROR_MS) };
}
