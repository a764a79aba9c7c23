/**
 * Cursors: one per user, or per entry of *User IDs*. A cursor says where the next read of the user begins; each result of a read
 * moves the cursor of its user and no other. Only hashes are saved.
 */
import { hash } from 'node:crypto';
import { CLOCK_ERROR_MS, type ServiceClock } from '../http/serviceClock';
import { USER_LENGTH, userPrefix } from '../service/readings/identity';
import type { ListEntry, SelectedUser } from '../service/users/selection';
import type { Cursor, SavedCursor, TriggerState } from './state';

/** A user of the list. `user_id` is empty where no user matches the entry. */
export type Listed = Pick<SelectedUser, 'user' | 'entry'>;

/** Polls in a row that missed a user, from which on the user holds no pass open. Under a throttle they miss different users. */
const MISSED_OFTEN = 3;
/** A read has failed: the user comes after all others, and once the service has refused the request there, no longer. */
const FAILED = 4;
const FAILED_THEN_MISSED = 5;

/** Whether a read was ended so often that the cause seems to be the user. */
export const isOftenMissed = ({ missed = 0 }: Cursor) => missed >= MISSED_OFTEN;
export const hasFailed = ({ missed = 0 }: Cursor) => missed >= FAILED;
export const isAside = ({ missed }: Cursor) => missed === FAILED;

/** The user of an entry that no user matches. */
export const NOBODY = { user_id: '', client_user_id: null };
export const KEY_LENGTH = 12;
/** Owner of an entry that is not resolved yet. */
const UNKNOWN = ' '.repeat(USER_LENGTH);

/** Hash of the entry, or of the user ID. */
export const keyOf = ({ user, entry }: Listed) =>
	hash('sha256', entry?.id ?? user.user_id).slice(0, KEY_LENGTH);

const ownerOf = ({ user, entry }: Listed) =>
	entry && user.user_id ? userPrefix(user.user_id) : undefined;

export class Cursors {
	/** `owner`: first characters of the hash of the user behind an entry; `UNKNOWN` at first. */
	private readonly all = new Map<string, Cursor & { owner?: string }>();
	/** Keys of the users found on the list in this poll. */
	private readonly met = new Set<string>();
	/** The earliest window of all users who can be read: after a wrong clock, before what `kept` tells. */
	private readonly earliest: number;

	/** @param options times in ms, `now` at the start of the poll; `entries` of *User IDs*: watching an added one begins now */
	constructor(
		private readonly before: TriggerState,
		private readonly options: {
			now: number;
			clock: Pick<ServiceClock, 'earliest' | 'corrected'>;
			lookback: number;
			entries?: readonly ListEntry[];
		},
	) {
		const { entries } = options;
		this.earliest = Math.min(
			...before.cursors.filter((one) => !hasFailed(one)).map(({ from }) => from),
		);
		const ownerLength = entries ? USER_LENGTH : 0;
		for (const { users, ...cursor } of before.cursors) {
			for (let at = 0; at < users.length; at += KEY_LENGTH + ownerLength) {
				const ownerAt = at + KEY_LENGTH;
				const owner = users.slice(ownerAt, ownerAt + ownerLength);
				this.all.set(users.slice(at, ownerAt), entries ? { ...cursor, owner } : cursor);
			}
		}
		for (const entry of entries ?? []) {
			const key = keyOf({ user: NOBODY, entry });
			if (!this.all.has(key)) this.all.set(key, { ...this.added(), owner: UNKNOWN });
		}
	}

	/** The cursor of a user of the list; a new one where the user has none, or the entry names another user than before. */
	of(listed: Listed): Cursor {
		const cursor = this.all.get(keyOf(listed));
		const owner = ownerOf(listed);
		if (cursor && (owner === undefined || [owner, UNKNOWN].includes(cursor.owner!))) return cursor;
		return listed.entry ? this.added() : this.joined();
	}

	meet(listed: Listed) {
		this.met.add(keyOf(listed));
		this.set(listed, this.of(listed));
	}

	/** Whether this pass has read the user, or failed to. */
	isDone = (listed: Listed) => this.of(listed).tried >= this.before.pass;

	/** The cursor of an added entry: readings measured up to now are old. */
	private added = (): Cursor => ({ ...this.joined(), since: this.options.now });

	/** The cursor of a user who joined. The window reaches back to the last complete pass: time without polls loses nothing. */
	private joined(): Cursor {
		const { clock, lookback } = this.options;
		const from = Math.min(
			this.before.kept + CLOCK_ERROR_MS,
			this.earliest,
			clock.earliest() - lookback,
		);
		return { from, tried: 0, since: Math.max(from, this.before.since ?? from) };
	}

	/**
	 * Start of the window that is read (ms). A first read covers all that a window may ever move back to: else its readings would
	 * look new then. A window that begins too late, after a wrong clock, begins where hashes are retained.
	 */
	windowStart({ from, since }: Cursor): number {
		const { now, lookback } = this.options;
		return since === undefined && from <= now - lookback ? from : Math.min(from, this.before.kept);
	}

	/** After a successful read: the window begins `lookback` before the newest reading of this poll, and stays without one. */
	move(listed: Listed, poll: number, newest?: number) {
		const { from } = this.of(listed);
		const { clock, lookback } = this.options;
		const next = Math.min(clock.earliest(), newest ?? from + lookback) - lookback;
		this.set(listed, { from: Math.max(Math.min(from, this.before.kept), next), tried: poll });
	}

	/** After a failed read: the window stays. */
	fail(listed: Listed, poll: number) {
		this.set(listed, { ...this.of(listed), tried: poll, missed: FAILED });
	}

	/** After a read that a throttle or the end of the poll has ended: the user stays open for the next poll. */
	miss(listed: Listed, poll: number) {
		const { missed = 0, ...cursor } = this.of(listed);
		const now = missed >= FAILED ? FAILED_THEN_MISSED : Math.min(missed + 1, MISSED_OFTEN);
		this.set(listed, { ...cursor, missed: now, ...(now >= MISSED_OFTEN && { tried: poll }) });
	}

	private set(listed: Listed, cursor: Cursor) {
		const owner = ownerOf(listed) ?? this.all.get(keyOf(listed))?.owner;
		this.all.set(keyOf(listed), { ...cursor, owner });
	}

	/** How many users cannot be read. @param tried in this poll only */
	unreadable(tried?: number): number {
		return [...this.all.values()].filter(
			(one) => hasFailed(one) && one.tried === (tried ?? one.tried),
		).length;
	}

	/** Whether this pass has neither read nor found some user: the user has left, or the list has moved meanwhile. */
	get hasUnmet(): boolean {
		for (const [key, { tried }] of this.all)
			if (tried < this.before.pass && !this.met.has(key)) return true;
		return false;
	}

	/** Before the list is read again from its beginning. */
	forgetMet = () => this.met.clear();

	/** At the end of a list that was read from its beginning: users who left it have no cursor any more. */
	removeUnmet() {
		for (const key of this.all.keys()) if (!this.met.has(key)) this.all.delete(key);
	}

	/** Hashes of readings are retained from here on: a day before the earliest window of all users who can be read. */
	kept(): number {
		let earliest = Infinity;
		for (const cursor of this.all.values())
			if (!hasFailed(cursor)) earliest = Math.min(earliest, cursor.from);
		return earliest === Infinity
			? this.before.kept
			: Math.max(this.before.kept, earliest - CLOCK_ERROR_MS);
	}

	/** Windows that begin before `kept`: how the keys of the user's readings start → start of the window. */
	earlierThan(kept: number): Map<string, number> {
		const starts = new Map<string, number>();
		for (const [key, { from, owner }] of this.all) {
			const prefix = owner ?? key.slice(0, USER_LENGTH);
			if (from < kept) starts.set(prefix, Math.min(from, starts.get(prefix) ?? from));
		}
		return starts;
	}

	toSave(): SavedCursor[] {
		const { clock } = this.options;
		const groups = new Map<string, Cursor & { keys: string[] }>();
		for (const [key, { from, tried, since, missed, owner = '' }] of this.all) {
			const text = `${from} ${tried} ${since} ${missed}`;
			const watched = since !== undefined && { since: clock.corrected(since) };
			const group = groups.get(text) ?? {
				from,
				tried,
				...watched,
				...(missed && { missed }),
				keys: [],
			};
			group.keys.push(key + owner);
			groups.set(text, group);
		}
		return [...groups.values()].map(({ keys, ...cursor }) => ({ ...cursor, users: keys.join('') }));
	}
}
