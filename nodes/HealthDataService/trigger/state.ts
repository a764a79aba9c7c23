/**
 * Saved state: what the trigger keeps between two polls, its version, and a checksum of what n8n gives back. Keys are saved names and
 * never change; another `version` starts over, so a change of this shape must convert the old one.
 */
import { hash } from 'node:crypto';
import { isObject } from '../shared/values';

const VERSION = 5;

/** All times in ms since 1970. Hashes only: no user ID and no reading. */
export interface TriggerState {
	version: typeof VERSION;
	/** Node ID: n8n keeps static data by node name in memory, by node ID on the durable scheduler. */
	node: string;
	/** What is watched: event, users, provider, Base URL. Another value starts over. */
	of: string;
	/** Hash of the users' team. Another team under the same address starts over. */
	team?: string;
	/** Counts the polls. The durable scheduler may hand a poll the state before the last save. */
	poll: number;
	/** Count of the poll that began this pass over the users; 0 in the first pass. */
	pass: number;
	/** When watching began; later, when the last complete pass ended. Whoever joins is watched since then. */
	since: number;
	/** One cursor per user, and per entry of *User IDs* that names nobody yet. */
	cursors: SavedCursor[];
	/** Hash of an entry of *User IDs* → hash of the user whom it names: the same 12 characters as of `users`. */
	names?: Record<string, string>;
	/** Hour since 1970 → hashes of the readings of that hour (seen.ts). */
	seen: Record<string, string>;
	/** Time of the last report, until all users are read again. */
	told?: number;
	/** Nothing is sent until then: a Retry-After of the service. */
	pausedUntil?: number;
	/** Hash of all other parts: a state with a broken part starts over. */
	check?: string;
}

/** Cursor of one user: where the window of the next read begins, and how the last read ended. */
export interface Cursor {
	from: number;
	/** Count of the poll that last read the user, or failed to; -1 before. */
	tried: number;
	/** Time of the last successful read. */
	read?: number;
	/** Set until the first successful read: readings measured up to then are old. */
	since?: number;
	/** `cut`: by the end of the poll, once. `failed`: anything else, and a second cut. */
	ended?: 'cut' | 'failed';
	/** Since when the list does not show the user. */
	gone?: number;
}

/** Users with equal cursors. */
export interface SavedCursor extends Cursor {
	/** 12 characters of a hash for each user (cursors.ts). */
	users: string;
}

/** Characters of a user's hash, and of the hashes of a reading (seen.ts). */
export const KEY_LENGTH = 12;
export const SEEN_LENGTH = 27;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Poll times are a minute apart at least, and a poll may begin some ms before its time. */
export const JITTER_MS = 30_000;

/** @param poll count of the poll that begins to watch */
export const startState = (
	node: string,
	of: string,
	since: number,
	poll: number,
): TriggerState => ({
	version: VERSION,
	node,
	of,
	poll,
	pass: 0,
	since,
	cursors: [],
	seen: {},
});

/** The parts of a saved text, of equal length. */
export const partsOf = (text: string, length: number): string[] =>
	Array.from({ length: text.length / length }, (_, at) =>
		text.slice(at * length, (at + 1) * length),
	);

/** The parts in an order that no database changes. */
const sorted = (_name: string, part: unknown) =>
	isObject(part)
		? Object.fromEntries(
				Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)),
			)
		: part;

const checkOf = (state: TriggerState) => {
	const parts = { ...state, check: undefined };
	return hash('sha256', JSON.stringify(parts, sorted)).slice(0, KEY_LENGTH);
};

/** The state as it is saved. */
export const sealed = (state: TriggerState): TriggerState => ({
	...state,
	check: checkOf(state),
});

/** Whether a poll can go on with this state: this version has saved it, and nothing has changed it since. */
export const isUsable = (given: TriggerState) =>
	given.version === VERSION && given.check === checkOf(given);
