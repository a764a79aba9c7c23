/**
 * Cursors: one per user, or per entry of *User IDs*. A cursor says where the next read of the user begins; each result of a read
 * moves the cursor of its user and no other. Only hashes are saved.
 */
import { hash } from 'node:crypto';
import { USER_LENGTH, userPrefix } from '../service/readings/identity';
import type { ListEntry, SelectedUser } from '../service/users/selection';
import { shownUserId } from '../service/users/users';
import { groupBy } from '../shared/values';
import { CLOCK_ERROR_MS, type Clock } from './clock';
import type { TimeWindow } from './seen';
import type { Settings } from './settings';
import {
	partsOf,
	type Cursor,
	type SavedCursor,
	type TriggerState,
} from './state';

/** A user of the list, or an entry whose user is not known. */
export type Listed = Pick<SelectedUser, 'user' | 'entry'>;

/** The user of an entry that is not resolved. */
const NOBODY = { user_id: '', client_user_id: null };

const KEY_LENGTH = 12;

/** Hash of the entry, or of the user ID. */
export const keyOf = ({ user, entry }: Listed) =>
	hash('sha256', entry?.id ?? user.user_id).slice(0, KEY_LENGTH);

/** A user in words: never an entry of the list. */
export const labelOf = ({ user, entry }: Listed) => {
	if (user.user_id || !entry) return shownUserId(user.user_id);
	return entry.at ? `entry ${entry.at} of 'User IDs'` : "the 'User'";
};

export const hasFailed = ({ ended }: Cursor) => ended === 'failed';

/**
 * How a read without success ended: `cut` by the end of the poll, `limited` by a limit that only this user meets, or `failed` in any
 * other way.
 */
export type Miss = 'failed' | 'cut' | 'limited';

type Step = (poll: number) => Partial<Cursor>;

/** The user stays due. */
const stays: Step = () => ({ ended: 'cut' });
/** The user had a turn. */
const passes: Step = (poll) => ({ tried: poll });
/** The next try comes after the reads of all others. */
const fails: Step = (poll) => ({ tried: poll, ended: 'failed' });
/** That try comes before those of reads that failed in this poll. */
const failsEarly: Step = (poll) => ({ tried: poll - 0.5, ended: 'failed' });

/** The next cursor, by how the read ended and how the one before did. The window stays. */
const NEXT: Record<Miss, Record<'read' | 'cut' | 'failed', Step>> = {
	failed: { read: fails, cut: fails, failed: fails },
	cut: { read: stays, cut: failsEarly, failed: failsEarly },
	limited: { read: stays, cut: passes, failed: stays },
};

export class Cursors {
	private readonly all = new Map<string, Cursor>();
	/** Key of an entry → first characters of the hash of its user. */
	private readonly owners = new Map<string, string>();
	/** The same the other way round, of the first entry of each user. */
	private readonly firstOf = new Map<string, string>();
	/** Second entries of users → the first one. */
	private readonly twins = new Map<Listed, ListEntry>();
	/** Users of the list in this poll: key → the user in words. */
	readonly met = new Map<string, string>();
	/** Count of the poll that began this pass; 0 in the first. */
	pass: number;

	constructor(
		private readonly before: TriggerState,
		private readonly settings: Settings,
		private readonly clock: Clock,
	) {
		this.pass = before.pass;
		const { entries } = this.selection;
		const length = KEY_LENGTH + (entries ? USER_LENGTH : 0);
		for (const { users, ...cursor } of before.cursors) {
			for (const saved of partsOf(users, length)) {
				const key = saved.slice(0, KEY_LENGTH);
				this.all.set(key, cursor);
				if (entries) this.own(key, saved.slice(KEY_LENGTH).trim());
			}
		}
		for (const entry of entries ?? []) this.meet({ user: NOBODY, entry });
	}

	private get selection() {
		return this.settings.target.selection;
	}

	/** The cursor of a user of the list; a new one where the user has none. */
	of(listed: Listed): Cursor {
		return this.all.get(this.sourceOf(listed)) ?? this.begun();
	}

	/**
	 * Key of the cursor. An entry that names another user than before takes the cursor that this user
	 * has by another entry.
	 */
	private sourceOf(listed: Listed) {
		const key = keyOf(listed);
		const { user, entry } = listed;
		if (!entry || !user.user_id) return key;
		const prefix = userPrefix(user.user_id);
		const owner = this.owners.get(key);
		if (owner === prefix) return key;
		return this.firstOf.get(prefix) ?? (owner ? '' : key);
	}

	/** Before anything was read: watching begins with the publication, and nothing but a poll without an answer was saved. */
	private get isStarting() {
		return this.before.cursors.length === 0;
	}

	/** When watching began. Both clocks may have been wrong then: it is not later than now. */
	private get since() {
		const { since } = this.before;
		const { now, time, latest } = this.clock;
		if (since === now) return time;
		const latestPossible = this.isStarting ? time : latest;
		return Math.min(since, latestPossible);
	}

	/** The cursor of a user without one. The window reaches back to the last complete pass: time without polls loses nothing. */
	private begun(): Cursor {
		const { entries, isConnectedOnly } = this.selection;
		const { lookback } = this.settings;
		const isAdded = entries && !this.isStarting;
		const since = isAdded ? this.clock.time : this.since;
		if (this.pass === 0 || isAdded || isConnectedOnly) {
			const from = Math.min(since, this.clock.earliest) - lookback;
			return { from, tried: -1, since };
		}
		return { from: since - lookback, tried: -1 };
	}

	has(listed: Listed) {
		return this.all.has(keyOf(listed));
	}

	/** When the user was last read, or since when the user is watched (ms). */
	lastRead({ read, since, from }: Cursor) {
		return read ?? since ?? from + this.settings.lookback;
	}

	/** Users who were not read for an hour, and since when (ms). */
	overdue(isOld: (lastRead: number) => boolean) {
		const times = [...this.entries]
			.map(([, cursor]) => this.lastRead(cursor))
			.filter(isOld);
		if (times.length === 0) return undefined;
		return {
			users: times.length,
			since: times.reduce((a, b) => Math.min(a, b)),
		};
	}

	meet(listed: Listed) {
		this.met.set(keyOf(listed), labelOf(listed));
	}

	/** Whether this pass has read the user, or failed to. */
	readonly isDone = ({ tried }: Cursor) => tried >= this.pass;

	/**
	 * All users met are due again, in the same pass. Failed ones too: their turn, after all others,
	 * would not come.
	 */
	restart() {
		for (const [key, cursor] of this.all) {
			const ended = cursor.ended && 'cut';
			if (this.met.has(key)) this.all.set(key, { ...cursor, ended, tried: -1 });
		}
	}

	/** From now on, nobody has been read in this pass. */
	beginPass() {
		this.pass = this.poll;
	}

	/**
	 * Start of the window that is read (ms): `from`, or earlier after a wrong clock. A first read begins where later ones may: what it
	 * has not seen would look new.
	 */
	windowStart({ from, read }: Cursor): number {
		const { clock } = this;
		const { event, lookback } = this.settings;
		// A user who joins is new, however long ago the service has created the user.
		if (!event.metric) return -Infinity;
		const isRight = read !== undefined && from <= clock.now - lookback;
		return isRight ? from : from - CLOCK_ERROR_MS;
	}

	/** Which readings of the user count. */
	windowOf(cursor: Cursor): TimeWindow {
		const { since, read } = cursor;
		const { time, earliest: end, latest, latestNow } = this.clock;
		const start = this.windowStart(cursor);
		if (read !== undefined) return { start, end };
		if (since === undefined)
			return { start, end, watchingSince: start + CLOCK_ERROR_MS };
		// Watching begins with this poll: either clock may be the wrong one.
		if (since === time) {
			// After a publication without any successful read, later measurements are new.
			const begun = this.before.since;
			const isEarlier = this.isStarting && begun < this.clock.now;
			const watchingSince = isEarlier ? begun : latest;
			return { start, end, watchingSince, readAt: Date.now() };
		}
		return { start, end, watchingSince: since, readAt: latestNow };
	}

	/** After a successful read: the window begins `lookback` before the newest reading of the poll. */
	move(listed: Listed, newest: number) {
		const next = newest - this.settings.lookback;
		const from = Math.max(this.of(listed).from, next);
		this.set(listed, { from, tried: this.poll, read: this.clock.now });
	}

	/** Of a second entry of one user: the first one is read, and its window is that of both. */
	skip(listed: Listed, twinOf: ListEntry) {
		this.twins.set(listed, twinOf);
		this.change(listed, { tried: this.poll, ended: undefined });
	}

	/** When the first entries have been read, or failed to be. */
	private followFirst() {
		for (const [listed, entry] of this.twins) {
			const { from, since, read } = this.of({ ...listed, entry });
			this.change(listed, { from, since, read });
		}
	}

	/** After a read without success. */
	miss(listed: Listed, miss: Miss) {
		const { ended = 'read' } = this.of(listed);
		this.change(listed, NEXT[miss][ended](this.poll));
	}

	private get poll() {
		return this.before.poll + 1;
	}

	private change(listed: Listed, part: Partial<Cursor>) {
		this.set(listed, { ...this.of(listed), ...part });
	}

	private set(listed: Listed, cursor: Cursor) {
		const key = keyOf(listed);
		const { user, entry } = listed;
		this.all.set(key, cursor);
		if (entry && user.user_id) this.own(key, userPrefix(user.user_id));
	}

	private own(key: string, owner: string) {
		this.owners.set(key, owner);
		if (!this.firstOf.has(owner)) this.firstOf.set(owner, key);
	}

	/** At the end of the poll. @param isListRead to its end: then users who left it have no cursor any more */
	settle(isListRead: boolean) {
		this.followFirst();
		for (const key of this.met.keys()) {
			if (!this.all.has(key)) this.all.set(key, this.begun());
		}
		const isWhole = isListRead || this.selection.entries !== undefined;
		for (const key of this.all.keys()) {
			if (isWhole && !this.met.has(key)) this.all.delete(key);
		}
	}

	get entries() {
		return this.all.entries();
	}

	/** `since` of the next poll: whoever joins then was not on the list when this poll began. */
	sinceNext(isPassComplete: boolean) {
		if (!isPassComplete) return this.since;
		const { time } = this.clock;
		const { isConnectedOnly } = this.selection;
		const seenUntil = isConnectedOnly ? time - this.settings.lookback : time;
		return Math.max(this.since, seenUntil);
	}

	/** From where on hashes are needed (ms), by how the keys of a user's readings start. */
	get neededFrom() {
		const windows = new Map<string, number>();
		for (const [key, { from }] of this.all) {
			const prefix = this.owners.get(key) ?? key.slice(0, USER_LENGTH);
			const earliest = from - CLOCK_ERROR_MS;
			const known = windows.get(prefix) ?? earliest;
			windows.set(prefix, Math.min(earliest, known));
		}
		const ofFormerUsers = this.since - this.settings.lookback - CLOCK_ERROR_MS;
		return (prefix: string) => windows.get(prefix) ?? ofFormerUsers;
	}

	toSave(): SavedCursor[] {
		const { time, latest } = this.clock;
		const now = this.isStarting ? time : latest;
		const groups = groupBy(this.all, ([, cursor]) => JSON.stringify(cursor));
		return Array.from(groups.values(), (same) => {
			const [[, cursor]] = same;
			// Undefined is not saved.
			const since = cursor.since && Math.min(cursor.since, now);
			const users = same.map(([key]) => key + this.ownerToSave(key)).join('');
			return { ...cursor, since, users };
		});
	}

	private ownerToSave(key: string): string {
		if (!this.selection.entries) return '';
		return (this.owners.get(key) ?? '').padEnd(USER_LENGTH);
	}
}
