/**
 * Cursors: one per user. A cursor says where the next read of the user begins; each result of a read moves the cursor of its user and
 * no other. An entry of *User IDs* is a name for a user, and has a cursor of its own until a read of its user succeeds. Only hashes are
 * saved.
 */
import { hash } from 'node:crypto';
import { USER_LENGTH } from '../service/readings/identity';
import type { SelectedUser } from '../service/users/selection';
import { shownUserId } from '../service/users/users';
import { groupBy } from '../shared/values';
import { CLOCK_ERROR_MS, type Clock } from './clock';
import type { TimeWindow } from './seen';
import type { Settings } from './settings';
import {
	KEY_LENGTH,
	partsOf,
	type Cursor,
	type SavedCursor,
	type TriggerState,
} from './state';

/** A user of the list, or an entry whose user is not known. */
export type Listed = Pick<SelectedUser, 'user' | 'entry'>;

/** The user of an entry that is not resolved. */
const NOBODY = { user_id: '', client_user_id: null };

/** 72 bits: a list of entries has no two with the same key. */
const keyOf = (id: string) =>
	hash('sha256', id, 'base64url').slice(0, KEY_LENGTH);

/** How the keys of the user's readings begin (`userPrefix`). */
const prefixOf = (key: string) =>
	Buffer.from(key, 'base64url').toString('hex').slice(0, USER_LENGTH);

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

/** How the cursor changes, by how the read ended and how the one before did. The window stays. */
function afterMiss(miss: Miss, { ended }: Cursor, poll: number) {
	// The next try comes after the reads of all others.
	const isFailure = miss === 'failed' || (miss === 'cut' && ended);
	if (isFailure) return { tried: poll, ended: 'failed' } as const;
	const hadTurn = ended === 'cut';
	return hadTurn ? { tried: poll } : ({ ended: 'cut' } as const);
}

export class Cursors {
	private readonly all = new Map<string, Cursor>();
	/** Key of an entry → key of the user whom it names. */
	private readonly names = new Map<string, string>();
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
		for (const { users, ...cursor } of before.cursors) {
			for (const key of partsOf(users, KEY_LENGTH)) this.all.set(key, cursor);
		}
		for (const entry of this.selection.entries ?? []) {
			const key = keyOf(entry.id);
			const named = before.names?.[key];
			if (named) this.names.set(key, named);
			this.meet({ user: NOBODY, entry });
		}
	}

	private get selection() {
		return this.settings.target.selection;
	}

	/** Of the user of the list, or of the one whom the entry names; of the entry itself until that is known. */
	keyOf({ user, entry }: Listed): string {
		const key = keyOf(entry?.id ?? user.user_id);
		return this.names.get(key) ?? key;
	}

	/** The cursor that a user of the list has; a new one where there is none. */
	of(listed: Listed): Cursor {
		return this.all.get(this.keyOf(listed)) ?? this.begun();
	}

	/**
	 * The cursor for a read, when Resolve has told the user: only its own, or that of an entry that names nobody yet. Before a first
	 * read, the one that began earlier: `watch` may have begun its own one while the entry was watched.
	 */
	ofRead(listed: Listed): Cursor {
		const { user, entry } = listed;
		const own = this.all.get(keyOf(user.user_id));
		const isNamed = entry && this.names.has(keyOf(entry.id));
		const ofEntry = isNamed ? this.begun() : this.of(listed);
		const isOwn = own && (own.read !== undefined || own.from < ofEntry.from);
		return isOwn ? own : ofEntry;
	}

	/** Before anything was read: watching begins with the publication, and nothing but a poll without an answer was saved. */
	private get isStarting() {
		return this.before.cursors.length === 0;
	}

	/** When watching began. The clock may have been wrong then: it is not later than now. */
	private get since() {
		return Math.min(this.before.since, this.clock.time);
	}

	/** The cursor of a user without one. The window reaches back to the last complete pass: time without polls loses nothing. */
	private begun(): Cursor {
		const { entries, isConnectedOnly } = this.selection;
		const { lookback } = this.settings;
		const isAdded = entries && !this.isStarting;
		const since = isAdded ? this.clock.earliest : this.since;
		const isWatched = this.pass === 0 || isAdded || isConnectedOnly;
		const from = since - lookback;
		return { from, tried: -1, since: isWatched ? since : undefined };
	}

	has(listed: Listed) {
		return this.all.has(this.keyOf(listed));
	}

	/** When the user was last read, or since when the user is watched (ms). */
	lastRead({ read, from }: Cursor) {
		return read ?? from + this.settings.lookback;
	}

	/** Users who were not read for an hour, and since when (ms). */
	overdue(isOld: (lastRead: number) => boolean) {
		const times = this.present.map(([, cursor]) => this.lastRead(cursor));
		const old = times.filter(isOld).sort((a, b) => a - b);
		return old.length > 0 ? { users: old.length, since: old[0] } : undefined;
	}

	meet(listed: Listed) {
		this.met.set(this.keyOf(listed), labelOf(listed));
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
		const latest = clock.time - lookback;
		const isRight = read !== undefined && from <= latest;
		return isRight ? from : Math.min(from, latest) - CLOCK_ERROR_MS;
	}

	/** Which readings of the user count. */
	windowOf(cursor: Cursor): TimeWindow {
		const { from, since, read } = cursor;
		const { time: end, latest, latestNow } = this.clock;
		const start = this.windowStart(cursor);
		// After a clock that was ahead: of what is older, the hashes may be gone.
		if (read !== undefined)
			return { start, end, watchingSince: from - CLOCK_ERROR_MS };
		if (since === undefined)
			return { start, end, watchingSince: start + CLOCK_ERROR_MS };
		// At the publication, either clock may be the wrong one.
		if (this.before.since === this.clock.now)
			return { start, end, watchingSince: latest, readAt: Date.now() };
		const watchingSince = Math.min(since, end);
		return { start, end, watchingSince, readAt: latestNow };
	}

	/** After a successful read with that cursor: the window begins `lookback` before the newest reading of the poll. */
	move(listed: Listed, before: Cursor, newest: number) {
		const { lookback } = this.settings;
		const latest = this.clock.time - lookback;
		const from = Math.max(Math.min(before.from, latest), newest - lookback);
		this.name(listed);
		const key = this.keyOf(listed);
		this.all.set(key, { from, tried: this.poll, read: this.clock.now });
	}

	/** After a read without success. */
	miss(listed: Listed, miss: Miss) {
		const before = this.of(listed);
		const part = afterMiss(miss, before, this.poll);
		this.all.set(this.keyOf(listed), { ...before, ...part });
		this.watch(listed);
	}

	/**
	 * Watching a user begins when Resolve first gives the ID, though the entry names another user until a read succeeds: readings of
	 * the time between would look old.
	 */
	private watch({ user, entry }: Listed) {
		const own = keyOf(user.user_id);
		const named = entry && this.names.get(keyOf(entry.id));
		if (!user.user_id || !named || named === own) return;
		const cursor = this.all.get(own) ?? this.begun();
		this.all.set(own, { ...cursor, gone: this.clock.time });
	}

	/** Number of this poll. */
	get poll() {
		return this.before.poll + 1;
	}

	/** From now on, the entry names this user. The cursor of the one before is kept for a while: Resolve may have been wrong. */
	private name({ user, entry }: Listed) {
		if (!entry) return;
		const own = keyOf(entry.id);
		const key = keyOf(user.user_id);
		const former = this.names.get(own);
		const cursor = former && this.all.get(former);
		if (cursor) this.all.set(former, { ...cursor, gone: this.clock.time });
		if (own !== key) this.names.set(own, key);
	}

	/** At the end of the poll. @param isListRead to its end */
	settle(isListRead: boolean) {
		const { entries } = this.selection;
		const present = new Set(
			entries?.map((entry) => this.keyOf({ user: NOBODY, entry })) ??
				this.met.keys(),
		);
		for (const key of present) {
			const cursor = this.all.get(key) ?? this.begun();
			this.all.set(key, { ...cursor, gone: undefined });
		}
		if (!isListRead && !entries) return;
		// An entry that was not read in this poll may name another user than before.
		const areNamed = !entries || [...present].every((key) => this.wasRead(key));
		for (const [key, cursor] of this.all)
			if (!present.has(key)) this.leave(key, cursor, areNamed);
	}

	private wasRead(key: string) {
		const cursor = this.all.get(key);
		return cursor?.tried === this.poll && !cursor.ended;
	}

	/**
	 * A user whom the list does not show keeps the cursor for the lookback, as after a wrong Resolve: the answer may be wrong. An entry
	 * that was removed does not. @param areNamed whether all users of the list are known
	 */
	private leave(key: string, cursor: Cursor, areNamed: boolean) {
		const { time } = this.clock;
		const { gone = time } = cursor;
		const isRemoved = this.selection.entries && cursor.gone === undefined;
		const isOver = areNamed && time - gone > this.settings.lookback;
		if (isRemoved || isOver) this.all.delete(key);
		else this.all.set(key, { ...cursor, gone });
	}

	/** Of all users whom the list shows, as far as is known. */
	get present() {
		return [...this.all].filter(([, { gone }]) => gone === undefined);
	}

	/** `since` of the next poll: whoever joins then was not on the list when this poll began. */
	sinceNext(isPassComplete: boolean, isListEmpty: boolean) {
		const { since } = this;
		const { earliest: time } = this.clock;
		const { isConnectedOnly } = this.selection;
		const isEmptyTeam = isListEmpty && this.isStarting;
		if (!isPassComplete && !isEmptyTeam) return since;
		const isPart = isConnectedOnly || isEmptyTeam;
		const seenUntil = isPart ? time - this.settings.lookback : time;
		return Math.max(since, seenUntil);
	}

	/** From where on hashes are needed (ms), by how the keys of a user's readings start. */
	get neededFrom() {
		const windows = new Map<string, number>();
		for (const [key, { from }] of this.all) {
			const prefix = prefixOf(key);
			windows.set(prefix, Math.min(from, windows.get(prefix) ?? from));
		}
		const ofFormerUsers = this.since - this.settings.lookback;
		return (prefix: string) =>
			(windows.get(prefix) ?? ofFormerUsers) - CLOCK_ERROR_MS;
	}

	toSave(): SavedCursor[] {
		const groups = groupBy(this.all, ([, cursor]) => JSON.stringify(cursor));
		return Array.from(groups.values(), (same) => {
			const [[, cursor]] = same;
			const users = same.map(([key]) => key).join('');
			return { ...cursor, users };
		});
	}

	/** Of the entries that name a user. */
	namesToSave() {
		return this.names.size > 0 ? Object.fromEntries(this.names) : undefined;
	}
}
