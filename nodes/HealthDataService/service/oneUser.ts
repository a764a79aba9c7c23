/**
 * A single user, as somebody named them. One who was picked from a list is read by user ID, and named by what the list showed if
 * Resolve still says so: asked when there are rows to name, and once for all that share the answers.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/client';
import { Problem } from '../shared/problem';
import type { UserRef } from './readings';
import {
	userExists,
	throwIfUserExists,
	toSelectedUser,
	type UserIdentifier,
	type UserSelection,
	type WhenNotFound,
} from './userSelection';
import { noSuchClientUser, resolveUser } from './users';

/** Who has a client user ID: nobody where that could not be found out. */
export type ResolvedNames = Map<string, Promise<UserRef | undefined>>;

/** Somebody waits, and the readings are worth more than the name: what failed twice is left out. */
const MAX_ATTEMPTS = 2;

/** By client user ID costs one more request. A user whom nobody has is an error, or with `empty` no user at all. */
export const oneUser = (
	{ by, id, shownAs }: UserIdentifier,
	whenNotFound: WhenNotFound = 'error',
	answers: ResolvedNames = new Map(),
): UserSelection => ({
	async *users(get) {
		if (by === 'userId') return yield { user: { user_id: id, client_user_id: null }, place: 1 };
		const user = await resolveUser(get, id);
		if (user) return yield toSelectedUser(user, 1);
		if (whenNotFound === 'error') throw noSuchClientUser();
	},
	async whenMissing(get, { user }) {
		if (user.client_user_id !== null) await throwIfUserExists(get, user);
		// Asked anew: they may have been removed since.
		else if (shownAs !== undefined && (await resolveQuietly(get, shownAs))?.user_id === id) throw userExists();
		if (whenNotFound === 'empty') return;
		throw new Problem(
			"There is no such user: the service does not know the 'User'",
			"Pick the user from the list, or check that the credential's key belongs to the team of this user",
			{ httpCode: '404' },
		);
	},
	async addClientUserIds(get, rows, isCancelled) {
		if (shownAs === undefined || rows.length === 0) return;
		const answer = answers.get(shownAs) ?? resolveQuietly(get, shownAs, isCancelled);
		answers.set(shownAs, answer);
		const user = await answer;
		if (user?.user_id === id) nameAll(rows, user);
	},
});

function nameAll(rows: readonly IDataObject[], { client_user_id }: UserRef) {
	for (const row of rows) row.client_user_id = client_user_id;
}

const resolveQuietly = async (get: Get, clientUserId: string, isCancelled?: () => boolean) =>
	await resolveUser(get, clientUserId, { maxAttempts: MAX_ATTEMPTS, ignoreFailure: true, isCancelled }).then(
		(user) => user && toSelectedUser(user, 1).user,
		ignoreProblem,
	);

/** Whatever concerns the readings, too, they have said or will say themselves. */
function ignoreProblem(error: unknown): undefined {
	if (!(error instanceof Problem)) throw error;
}
