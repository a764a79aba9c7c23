/**
 * Saved state: what the trigger keeps between two polls, and its version. Keys are saved names and never change; another `version`
 * starts over, so a change of this shape must convert the old one.
 */

/** All times in ms since 1970. Hashes only: no user ID and no reading. */
export interface TriggerState {
	version: 3;
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
	/** One cursor per user, or per entry of *User IDs*. */
	cursors: SavedCursor[];
	/** Hour since 1970 → hashes of the readings of that hour (seen.ts). */
	seen: Record<string, string>;
	/** Time of the last report, until all users are read again. */
	told?: number;
	/** Nothing is sent until then: a Retry-After of the service. */
	pausedUntil?: number;
}

/** Cursor of one user: where the window of the next read begins, and how the last read ended. */
export interface Cursor {
	from: number;
	/**
	 * Count of the poll that last read the user, or failed to; -1 before. After a second cut in a row,
	 * 0.5 less: that try comes first among those of the poll.
	 */
	tried: number;
	/** Time of the last successful read. */
	read?: number;
	/** Set until the first successful read: readings measured up to then are old. */
	since?: number;
	/** `cut`: by the end of the poll, once. `failed`: anything else, and a second cut. */
	ended?: 'cut' | 'failed';
}

/** Users with equal cursors. */
export interface SavedCursor extends Cursor {
	/** 12 characters of a hash for each user; after those of an entry, 6 of its user's (cursors.ts). */
	users: string;
}

export const HOUR_MS = 3_600_000;

/** @param poll count of the poll that begins to watch */
export const startState = (
	node: string,
	of: string,
	since: number,
	poll: number,
): TriggerState => ({
	version: 3,
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
