/**
 * Whose readings are read, and what to make of somebody whom the service does not know.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/connect';
import { text } from '../fields/limit';
import { userPages } from './userPages';
import { Problem } from '../shared/problem';
import type { ReadingOwner } from './readings';
import { isConnectedTo, noSuchClientUser, resolveUser, userId } from './users';

/** In the order of the team's list. */
export type Owners = (get: Get) => AsyncIterable<ReadingOwner>;

/**
 * The user of the 'User' field; By Client User ID costs one more request.
 *
 * @throws Problem, before anything is sent, for what cannot be a user ID
 */
export function oneOwner({ mode, value }: { mode?: string; value: unknown }): Owners {
	const known = mode === 'clientUserId' ? undefined : { user_id: userId(value), client_user_id: null };

	return async function* (get) {
		if (known) return yield known;
		const user = await resolveUser(get, value);
		if (!user) throw noSuchClientUser();
		yield ownerOf(user);
	};
}

/** The users of a window of the team's list: all of them, or those that have the provider (a slug) connected now. */
export function teamOwners(window: Parameters<typeof userPages>[1] = {}, connectedTo?: string): Owners {
	return async function* (get) {
		for await (const users of userPages(get, window)) {
			for (const user of users) if (!connectedTo || isConnectedTo(user, connectedTo)) yield ownerOf(user);
		}
	};
}

const ownerOf = ({ user_id, client_user_id }: IDataObject): ReadingOwner => ({
	user_id: String(user_id),
	client_user_id: text(client_user_id) || null,
});

/** For the user of the 'User' field. */
export const noSuchUser = (): never => {
	throw new Problem(
		"There is no such user: the service does not know the 'User'",
		"Pick the user from the list, or check that the credential's key belongs to the team of this user",
		'404',
	);
};

/** For the whole team: somebody who is on the list but gone when their turn comes was removed in between. */
export const nobody = (): IDataObject => ({ groups: {} });
