/**
 * A list of users that somebody gave, from poll to poll: who has come onto it, who has left it, and who stands on it but cannot
 * be found. Whatever changes concerns nobody else. Of the list only hashes are remembered.
 */
import { hash } from 'node:crypto';
import { userPrefix } from '../service/readingId';
import type { SelectedUser, ListEntry, UserSelection } from '../service/userSelection';
import type { FailedUser, SavedWatchList } from './state';

type Met = Partial<Pick<SelectedUser, 'user' | 'entry'>>;

/** No user ID begins so. */
const UNRESOLVED = '?';

const hashOf = (entry: ListEntry) => hash('sha256', entry.id).slice(0, 12);

/** What somebody is called in the state: the user ID, or a hash of the ID on the list. */
export const failedUserKey = ({ user, entry }: Met) => user?.user_id || (entry && UNRESOLVED + hashOf(entry));

/** What is remembered of those whom a round has done. */
export const fingerprintOf = ({ user, entry }: Met) => (entry ? hashOf(entry) : userPrefix(user?.user_id));

/** How many of a list are done, of which these were the last; all of it is to do where none is found near `place`. */
export function positionAfter(entries: readonly ListEntry[], last: string[], place: number, reach: number): number {
	const from = Math.max(0, place - reach);
	const near = entries.slice(from, place + reach).map((entry) => last.includes(hashOf(entry)));
	const at = near.lastIndexOf(true);
	return at === -1 ? 0 : from + at + 1;
}

/** What somebody is called for people, as far as it is known. */
export const labelOf = (key: string) => (key.startsWith(UNRESOLVED) ? "one of 'User IDs'" : key);

export class WatchList {
	/** Whose IDs they are, of those met in this poll. */
	private readonly met: SavedWatchList = {};

	/** @param before as it was saved; nothing when watching begins */
	constructor(
		private readonly entries: readonly ListEntry[] | undefined,
		private readonly before: SavedWatchList | undefined,
		private readonly behind: Record<string, FailedUser>,
	) {}

	/** Whether there is a list at all. */
	get isGiven() {
		return this.entries !== undefined;
	}

	/** Whether watching them begins now, though it has begun for others: what they measured up to now is old. */
	isNew({ user, entry }: Met): boolean {
		if (!entry || !this.before) return false;
		const owner = this.before[hashOf(entry)];
		return owner === undefined || (owner !== '' && Boolean(user?.user_id) && owner !== userPrefix(user?.user_id));
	}

	/** The same users; each who could not be found until now goes on where that began. */
	recovering = (selection: UserSelection): UserSelection => ({
		...selection,
		users: (get, skip) => this.found(selection.users(get, skip, this.hasFailed)),
	});

	private hasFailed = (entry: ListEntry) => UNRESOLVED + hashOf(entry) in this.behind;

	private async *found(users: AsyncIterable<SelectedUser>) {
		for await (const one of users) {
			const lost = one.entry && UNRESOLVED + hashOf(one.entry);
			const late = lost && one.user.user_id ? this.behind[lost] : undefined;
			if (late) {
				delete this.behind[lost!];
				if (!this.isNew(one)) this.behind[one.user.user_id] ??= late;
			}
			yield one;
		}
	}

	/** After they were read, or could not be. */
	meet({ user, entry }: Met) {
		if (!entry) return;
		if (user?.user_id) this.met[hashOf(entry)] = userPrefix(user.user_id);
		else this.lose(entry);
	}

	/** Who was behind when they could still be found stays so. */
	private lose(entry: ListEntry) {
		const owner = this.before?.[hashOf(entry)] ?? '';
		this.met[hashOf(entry)] = owner;
		const userId = Object.keys(this.behind).find((id) => owner !== '' && userPrefix(id) === owner);
		if (userId === undefined) return;
		this.behind[UNRESOLVED + hashOf(entry)] = this.behind[userId];
		delete this.behind[userId];
	}

	/** Forgets who is behind and on the list no more. */
	forgetOthers() {
		const members = this.toSave() ?? {};
		const owners = new Set(Object.values(members));
		for (const key of Object.keys(this.behind)) {
			const isMember = key.startsWith(UNRESOLVED)
				? key.slice(UNRESOLVED.length) in members
				: owners.has(userPrefix(key));
			if (!isMember) delete this.behind[key];
		}
	}

	/** The beginning of the keys of their readings. */
	prefixOf = (key: string): string =>
		key.startsWith(UNRESOLVED) ? (this.before?.[key.slice(UNRESOLVED.length)] ?? '') : userPrefix(key);

	/** Who is on the list now; who has come onto it and was not read yet comes anew in the next poll. */
	toSave(): SavedWatchList | undefined {
		if (!this.entries) return undefined;
		const hashes = this.entries.map(hashOf);
		const saved = hashes.flatMap((one) => {
			const owner = this.met[one] ?? (this.before ? this.before[one] : '');
			return owner === undefined ? [] : [[one, owner]];
		});
		return Object.fromEntries(saved) as SavedWatchList;
	}
}
