/**
 * Change detection: which readings of a user are new or updated, by the hashes of those seen before. Duplicates are dropped.
 * Knows neither n8n nor the service.
 *
 * Each round reads a window that starts `lookback` before the newest reading, and reports what has no hash yet. That finds
 * readings that arrive late, out of order or while n8n is down. The window follows the readings, because clocks may be set.
 */
import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { identify, toId, USER_LENGTH, userPrefix, type IdentifiedRow, type Identity } from '../service/readingId';
import { withServiceFields } from '../service/readings';
import { HOUR_MS, type FailedUser, type PollClock, type TriggerState } from './state';
import type { Listed, WatchList } from './watchList';

export type Change = 'created' | 'updated';

/** Which rows of one user count. All times in ms. */
export interface TimeWindow {
	/** Earlier readings are ignored. */
	start: number;
	/** Set until a first successful read: readings measured up to then are old. */
	watchingSince?: number;
	/** Set for a user who is not known yet: earlier readings are old, also before the window. */
	lateUntil?: number;
	/** Set at the first read: readings dated after it are old too, since the device's clock is ahead. */
	readAt?: number;
}

export interface ChangedRow extends IdentifiedRow {
	change: Change;
}

export interface DetectedChanges {
	/** To emit, then to remember. */
	changes: ChangedRow[];
	/** Measured before watching began, or found too late: to remember only. */
	old: IdentifiedRow[];
	/** Time of the newest reading in the window (ms). */
	newest?: number;
}

/** @param rows all of one user from the window's start on; of identical rows one counts */
export function detectChanges(
	identity: Identity,
	rows: IDataObject[],
	seen: SeenReadings,
	window: TimeWindow,
): DetectedChanges {
	const changes: ChangedRow[] = [];
	const old: IdentifiedRow[] = [];
	let newest: number | undefined;

	const distinct = new Map(identify(identity, rows).map((row) => [row.key, row]));
	for (const row of distinct.values()) {
		const isLate = row.time !== undefined && row.time < (window.lateUntil ?? -Infinity);
		if (row.time !== undefined && row.time < window.start && !isLate) continue;
		if (row.time !== undefined && !isLate) newest = Math.max(newest ?? row.time, row.time);
		const change = seen.changeOf(row);
		if (change && (isLate || isOld(row.time, window))) old.push(row);
		else if (change) changes.push({ ...row, change });
	}
	return { changes, old, newest };
}

const isOld = (time: number | undefined, { watchingSince, readAt }: TimeWindow) =>
	watchingSince !== undefined &&
	(time === undefined || time <= watchingSince || (readAt !== undefined && time > readAt));

/** What the windows of a poll depend on. */
export interface WindowOptions {
	/** Before anything is read (ms): readings that arrive meanwhile must stay inside the window. */
	now: number;
	/** ms */
	lookback: number;
	/** Whether watching starts with this poll. */
	isFirst: boolean;
	/** Of all users (ms). */
	windowStart: number;
	/** Once answers have come. */
	clock: Pick<PollClock, 'confirmedNow' | 'earliestNow' | 'latestNow'>;
}

/**
 * Windows of the users in a poll. Of a user who is not known yet, all is read that the window may ever move back to: else what the
 * user brought would be new then.
 */
export class UserWindows {
	/** IDs of users with a new entry on the list. */
	private readonly added = new Set<string>();

	constructor(
		private readonly seen: SeenReadings,
		private readonly watchList: WatchList,
		private readonly before: Pick<TriggerState, 'kept' | 'since' | 'published'>,
		private readonly options: WindowOptions,
	) {}

	/** Notes a user who is going to be read. */
	expect(listed: Listed) {
		if (this.watchList.isNew(listed)) this.added.add(listed.user!.user_id);
	}

	/** Where the read of a user without a failure starts (ms). */
	startOf = (userId: string): number => (this.isKnown(userId) ? this.options.windowStart : this.before.kept);

	/** @param failed set for a failed user */
	of(listed: Listed, failed?: FailedUser): TimeWindow {
		const { isFirst, windowStart, clock } = this.options;
		const { since } = failed ?? this.before;
		const isStart = isFirst || this.watchList.isNew(listed);
		const readAt = isStart ? Date.now() : since === undefined ? undefined : clock.latestNow();
		if (failed) return { start: failed.from, watchingSince: failed.since, readAt, lateUntil: failed.late };
		return { start: windowStart, watchingSince: this.sinceOf(listed), readAt, lateUntil: this.lateUntil(listed) };
	}

	/** Of a user who cannot be read. From `kept`: a clock that was ahead may have moved the window too far. */
	afterFailure(listed: Listed): FailedUser {
		const { kept } = this.before;
		const late = this.lateUntil(listed) ?? kept;
		return { from: kept, since: this.sinceOf(listed), ...(late > kept && { late }) };
	}

	/** Set until a first read: readings measured up to then are old. */
	private sinceOf(listed: Listed): number | undefined {
		const { since, published = Infinity } = this.before;
		if (this.watchList.isNew(listed)) return this.options.now;
		// A user who connected the provider later was not read in the first round.
		return since ?? ((listed.connectedOn ?? -Infinity) > published ? published : undefined);
	}

	/** Whether an earlier poll has read the user, with readings. */
	private isKnown = (userId: string) => !this.added.has(userId) && this.seen.hasUser(userPrefix(userId));

	/** Readings that had passed the lookback before they were found are old, not hidden by a clock that was ahead. */
	private lateUntil({ user }: Listed): number | undefined {
		const { windowStart, lookback, clock } = this.options;
		if (!user?.user_id || this.isKnown(user.user_id)) return undefined;
		return this.added.has(user.user_id) ? windowStart : Math.min(windowStart, clock.earliestNow() - lookback);
	}
}

/** The row as it is emitted: with its `id`, and `change` after it. */
export function toItem(identity: Identity, { key, change, row }: ChangedRow): IDataObject {
	const fields = Object.entries(row);
	const at = fields.findIndex(([name]) => name === 'id');
	const ours = { ...Object.fromEntries(fields.slice(0, at)), id: toId(identity, key), change };
	return withServiceFields(ours, Object.fromEntries(fields.slice(at + 1)));
}

/** Most rows of one poll: n8n and every node after the trigger keep them in memory. */
export const MAX_ROWS_PER_POLL = 10_000;

/** The rows to emit, oldest first, and those left, which the next poll finds again. @param now for rows without a time (ms) */
export function takeOldest<T extends { row: ChangedRow }>(found: T[], now: number): { emitted: T[]; left: T[] } {
	const sorted = [...found].sort((a, b) => (a.row.time ?? now) - (b.row.time ?? now));
	return { emitted: sorted.slice(0, MAX_ROWS_PER_POLL), left: sorted.slice(MAX_ROWS_PER_POLL) };
}

/** Of the key of a reading. */
const SAVED_KEY_LENGTH = 20;
const VALUES_LENGTH = 6;
const ENTRY_LENGTH = SAVED_KEY_LENGTH + VALUES_LENGTH;

/** In place of an hour for readings without a time: they are retained forever. */
const NO_HOUR = 'none';

const hourOf = ({ time }: IdentifiedRow) => (time === undefined ? NO_HOUR : String(Math.floor(time / HOUR_MS)));

/** With the key in it: there are so few different values that trying them all would reverse a hash of values alone. */
const hashOfValues = ({ key, values }: IdentifiedRow) => hash('sha256', key + values).slice(0, VALUES_LENGTH);

/**
 * Hashes of the readings seen, never readings: 26 characters each, of which 20 are of the reading's key (6 of these of the user)
 * and 6 of key and values. One text per hour, so that whole hours are dropped at once; 100,000 readings take 2.6 MB.
 */
export class SeenReadings {
	/** Hour → hash of key → hash of key and values. */
	private readonly hours = new Map<string, Map<string, string>>();
	/** Prefixes of the users with readings in the saved state. */
	private readonly users = new Set<string>();

	constructor(saved: Record<string, string>) {
		for (const [hour, entries] of Object.entries(saved)) {
			const known = new Map<string, string>();
			for (let at = 0; at < entries.length; at += ENTRY_LENGTH) {
				known.set(entries.slice(at, at + SAVED_KEY_LENGTH), entries.slice(at + SAVED_KEY_LENGTH, at + ENTRY_LENGTH));
				this.users.add(entries.slice(at, at + USER_LENGTH));
			}
			this.hours.set(hour, known);
		}
	}

	/** Whether the saved state has readings of a user. */
	hasUser = (prefix: string) => this.users.has(prefix);

	/** Nothing for a duplicate. */
	changeOf(row: IdentifiedRow): Change | undefined {
		const before = this.hours.get(hourOf(row))?.get(row.key.slice(0, SAVED_KEY_LENGTH));
		if (before === undefined) return 'created';
		return before === hashOfValues(row) ? undefined : 'updated';
	}

	remember(row: IdentifiedRow) {
		const hour = hourOf(row);
		const known = this.hours.get(hour) ?? new Map<string, string>();
		this.hours.set(hour, known);
		known.set(row.key.slice(0, SAVED_KEY_LENGTH), hashOfValues(row));
	}

	/**
	 * Without the hours that end before `retainFrom` (ms).
	 *
	 * @param users who have a window of their own: the prefix of their keys, and its start
	 */
	toSave(retainFrom: number, users: Array<{ prefix: string; start: number }>): Record<string, string> {
		const starts = new Map(users.map(({ prefix, start }) => [prefix, start]));
		const saved: Record<string, string> = {};
		for (const [hour, known] of this.hours) {
			const end = hour === NO_HOUR ? Infinity : (Number(hour) + 1) * HOUR_MS;
			let entries = '';
			for (const [key, values] of known) {
				if (end > retainFrom || end > (starts.get(key.slice(0, USER_LENGTH)) ?? Infinity)) entries += key + values;
			}
			if (entries) saved[hour] = entries;
		}
		return saved;
	}
}
