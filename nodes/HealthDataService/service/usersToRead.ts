/**
 * Whose readings are read, and what a user who is gone means.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/connect';
import { Problem } from '../shared/problem';
import { text } from '../shared/values';
import type { UserRef } from './readings';
import { userPages, type UserWindow } from './userPages';
import { isConnectedTo, noSuchClientUser, resolveUser } from './users';

export interface UsersToRead {
	/** In the order of the team's list. */
	users(get: Get): AsyncIterable<UserRef>;
	/** What to make of a user that the service does not know: an empty page, or a Problem. */
	onMissing: () => IDataObject;
}

/** A single user as somebody named them. */
export interface NamedUser {
	by: 'userId' | 'clientUserId';
	id: string;
}

/** By client user ID costs one more request. */
export const oneUser = ({ by, id }: NamedUser): UsersToRead => ({
	async *users(get) {
		if (by === 'userId') return yield { user_id: id, client_user_id: null };
		const user = await resolveUser(get, id);
		if (!user) throw noSuchClientUser();
		yield toUserRef(user);
	},
	onMissing: () => {
		throw new Problem(
			"There is no such user: the service does not know the 'User'",
			"Pick the user from the list, or check that the credential's key belongs to the team of this user",
			{ httpCode: '404' },
		);
	},
});

/** A window of the team's list: all of its users, or those who have the provider (a slug) connected now. */
export const wholeTeam = (window: UserWindow = {}, connectedTo?: string): UsersToRead => ({
	async *users(get) {
		for await (const users of userPages(get, window)) {
			for (const user of users) if (!connectedTo || isConnectedTo(user, connectedTo)) yield toUserRef(user);
		}
	},
	// Somebody who is on the list but gone when their turn comes was removed in between.
	onMissing: () => ({ groups: {} }),
});

const toUserRef = ({ user_id, client_user_id }: IDataObject): UserRef => ({
	user_id: String(user_id),
	client_user_id: text(client_user_id) || null,
});
