/**
 * Watch list: the entries of 'User IDs' between polls. Tells added, removed and unresolved entries, none of which affects other
 * users. Only hashes are saved.
 */
import { hash } from 'node:crypto';
import { userPrefix } from '../service/readingId';
import type { SelectedUser, ListEntry } from '../service/userSelection';
import { shownUserId } from '../service/users';
import type { SavedWatchList } from './state';

export type Listed = Partial<Pick<SelectedUser, 'user' | 'entry' | 'connectedOn'>>;

/** Starts the key of an entry that no user matches. No user ID starts with it. */
const UNRESOLVED = '?';

const hashOf = (entry: ListEntry) => hash('sha256', entry.id).slice(0, 12);

export const unresolvedKey = (entry: ListEntry) => UNRESOLVED + hashOf(entry);

/** Key of a user in the saved state: the user ID, or a hash of an unresolved entry. */
export const failedUserKey = ({ user, entry }: Listed) => user?.user_id || (entry && unresolvedKey(entry));

/** By what a checkpoint finds a user again. */
export const fingerprintOf = ({ user, entry }: Listed) => (entry ? hashOf(entry) : userPrefix(user?.user_id));

/** By what a round knows the users it has read: longer, because two users with the same would be taken for one. */
export const doneKeyOf = ({ user, entry }: Listed) =>
	entry ? hashOf(entry) : hash('sha256', user?.user_id ?? '').slice(0, 12);

/** A key in words: never an entry of the list. */
export const labelOf = (key: string) => (key.startsWith(UNRESOLVED) ? "one of 'User IDs'" : shownUserId(key));

export class WatchList {
	/** Of the entries read in this poll. */
	private readonly owners: SavedWatchList = {};

	/** @param entries none where users are not listed @param saved none in the first poll */
	constructor(
		private readonly entries: readonly ListEntry[] | undefined,
		private readonly saved: SavedWatchList | undefined,
	) {}

	/** Whether users are listed. */
	get isGiven() {
		return this.entries !== undefined;
	}

	/** Whether the entry was added, or names another user than before: watching this user starts now. */
	isNew({ user, entry }: Listed): boolean {
		if (!entry || !this.saved) return false;
		const owner = this.saved[hashOf(entry)];
		return owner === undefined || (owner !== '' && Boolean(user?.user_id) && owner !== userPrefix(user?.user_id));
	}

	/** Whether the entry named this user when it was last resolved. */
	hasNamed = (entry: ListEntry, userId: string) => this.saved?.[hashOf(entry)] === userPrefix(userId);

	/** Notes a user who was read, or an entry that is unresolved. */
	add({ user, entry }: Listed) {
		if (!entry) return;
		const hashed = hashOf(entry);
		this.owners[hashed] = user?.user_id ? userPrefix(user.user_id) : (this.saved?.[hashed] ?? '');
	}

	/** Tells for keys of the saved state whether their user is on the list. */
	membership(): (key: string) => boolean {
		const list = this.toSave() ?? {};
		const owners = new Set(Object.values(list));
		return (key) => (key.startsWith(UNRESOLVED) ? key.slice(UNRESOLVED.length) in list : owners.has(userPrefix(key)));
	}

	/** How the keys of a user's readings start. */
	prefixOf = (key: string): string =>
		key.startsWith(UNRESOLVED) ? (this.saved?.[key.slice(UNRESOLVED.length)] ?? '') : userPrefix(key);

	/** The entries of today. One that was added and not read yet is left out, so that it is new in the next poll too. */
	toSave(): SavedWatchList | undefined {
		if (!this.entries) return undefined;
		const owned = this.entries.map(hashOf).flatMap((one) => {
			const owner = this.owners[one] ?? (this.saved ? this.saved[one] : '');
			return owner === undefined ? [] : [[one, owner]];
		});
		return Object.fromEntries(owned) as SavedWatchList;
	}
}
