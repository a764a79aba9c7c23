/**
 * Saved state: what the trigger keeps between two polls, and its version. Keys are saved names and never change; another `version`
 * starts over, so a change of this shape must convert the old one.
 */
import { CLOCK_ERROR_MS } from '../http/serviceClock';

/** All times in ms since 1970. Hashes only: no user ID and no reading. */
export interface TriggerState {
	version: 2;
	/** Node ID: n8n keeps static data by node name in memory, by node ID on the durable scheduler. */
	node: string;
	/** What is watched: event, users, provider, Base URL. Another value starts over. */
	of: string;
	/** Hash of the users' team. Another team under the same address starts over. */
	team?: string;
	/** Counts the polls. The durable scheduler may hand a poll the state before the last save. */
	poll: number;
	/** Count of the poll that began this pass over the users. */
	pass: number;
	/** How many users at the beginning of the list this pass has read. */
	offset: number;
	/** When watching began, until all users were read once; with connected users only, always. */
	since?: number;
	/** Hashes of readings are retained from here on: no window of a user who was read begins earlier. */
	kept: number;
	/** One cursor per user, or per entry of *User IDs*. */
	cursors: SavedCursor[];
	/** Hour since 1970 → hashes of the readings seen in it (seen.ts). */
	seen: Record<string, string>;
	/** Thresholds of the last poll, last, and those of before a change while a window may reach back to it. */
	minimums: SavedThresholds[];
	/** Time of the last report. */
	told?: number;
	/** Nothing is sent until then: a Retry-After of the service. */
	pausedUntil?: number;
}

/** Cursor of one user: where the window of the next read begins, and how the last read ended. */
export interface Cursor {
	from: number;
	/** Count of the poll that last read the user, or failed to. */
	tried: number;
	/** Set until the first successful read: readings measured up to then are old. */
	since?: number;
	/** How many polls in a row have missed the user, or that a read failed (cursors.ts). */
	missed?: number;
}

/** Users with equal cursors. */
export interface SavedCursor extends Cursor {
	/** 12 characters of a hash for each user or entry; entries are followed by 6 of their user's (cursors.ts). */
	users: string;
}

/** Thresholds for readings measured up to `until`, or in force now. */
export interface SavedThresholds {
	until?: number;
	thresholds: Threshold[];
}

/** A reading is emitted for a value of at least `least`, or at most `most`. */
export interface Threshold {
	column: string;
	least?: number;
	most?: number;
}

export const HOUR_MS = 3_600_000;
export function startState(
	node: string,
	of: string,
	now: number,
	lookbackMs: number,
	thresholds: Threshold[],
	poll: number,
): TriggerState {
	const places = {
		poll,
		pass: poll + 1,
		offset: 0,
		since: now,
		kept: now - lookbackMs - CLOCK_ERROR_MS,
	};
	return { version: 2, node, of, ...places, cursors: [], seen: {}, minimums: [{ thresholds }] };
}

/** Whether the same node saved this for the same selection, in a known version. */
export function isStateOf(stored: unknown, node: string, of: string): stored is TriggerState {
	const state = stored as TriggerState | undefined;
	return state?.version === 2 && state.node === node && state.of === of;
}

/**
 * The state with the thresholds of this poll. In memory n8n does not save that a reading was skipped, so the thresholds of before a change
 * also judge the readings measured before it, as long as a window reaches back to it.
 */
export function withThresholds(
	state: TriggerState,
	thresholds: Threshold[],
	now: number,
	isDurable: boolean,
) {
	const last = state.minimums.at(-1)!;
	const isChanged = JSON.stringify(last.thresholds) !== JSON.stringify(thresholds);
	const all = [...state.minimums, ...(isChanged ? [{ ...last, until: now }] : [])];
	const past = isDurable ? [] : all.filter(({ until }) => until! > state.kept);
	return { ...state, minimums: [...past, { thresholds }] };
}
