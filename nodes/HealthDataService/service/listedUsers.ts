/**
 * The users of a list that somebody gave, and what one whom nobody has means.
 */
import { Problem } from '../shared/problem';
import { resolveMany } from './resolveMany';
import {
	throwIfUserExists,
	toSelectedUser,
	type SelectedUser,
	type ListEntry,
	type UserIdentifier,
	type UserSelection,
	type WhenNotFound,
} from './userSelection';

/**
 * In the order of the list. Whom nobody has is a problem of their own, or with `empty` no user at all.
 *
 * @param options.isLazy fewer may be wanted than there are
 */
export const listedUsers = (
	by: UserIdentifier['by'],
	entries: readonly ListEntry[],
	{ whenNotFound = 'error', isLazy = false }: { whenNotFound?: WhenNotFound; isLazy?: boolean } = {},
): UserSelection => ({
	entries,
	async *users(get, skip = 0, hasFailed = () => false) {
		const wanted = entries.slice(skip);
		let place = skip;
		if (by === 'userId') {
			for (const entry of wanted) yield { user: { user_id: entry.id, client_user_id: null }, place: ++place, entry };
			return;
		}
		const given = new Set<unknown>();
		const asked = wanted.map((entry) => ({ id: entry.id, hasFailed: hasFailed(entry) }));
		for await (const { user, problem } of resolveMany(get, asked, isLazy)) {
			const entry = entries[place++];
			// Several texts may name the same user where the service does not tell upper from lower case.
			if (user && given.has(user.user_id)) continue;
			given.add(user?.user_id);
			if (user) yield { ...toSelectedUser(user, place), entry };
			else if (problem) yield unresolved(entry, place, problem);
			else if (whenNotFound === 'error') yield unresolved(entry, place, noSuchEntry(by, entry));
		}
	},
	async whenMissing(get, { user, entry }) {
		if (by === 'clientUserId') await throwIfUserExists(get, { ...user, client_user_id: entry!.id });
		if (whenNotFound === 'error') throw noSuchEntry(by, entry!);
	},
});

const unresolved = (entry: ListEntry, place: number, problem: Problem): SelectedUser => ({
	user: { user_id: '', client_user_id: entry.id },
	place,
	entry,
	problem,
});

const noSuchEntry = (by: UserIdentifier['by'], { at }: ListEntry) =>
	new Problem(
		`Entry ${at} of 'User IDs' is ${by === 'userId' ? 'a user whom the service does not know' : 'an identifier that no user has'}`,
		"Check it, including upper and lower case (User → List shows them), and that the credential's key belongs to the team of this user",
		{ httpCode: '404' },
	);
