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

/** A user whose readings are wanted, and where they stand among the others. */
export interface ListedUser {
	user: UserRef;
	/** How many users of the list are done with this one. */
	place: number;
	/** Their team, if the service has said so. */
	team?: string;
}

export interface UsersToRead {
	/** In the order of the team's list, without the first `skip` of it. */
	users(get: Get, skip?: number): AsyncIterable<ListedUser>;
	/** The service does not know a user whose readings were asked for. Throws a Problem unless they are passed over. */
	whenMissing(get: Get, user: UserRef): Promise<void>;
}

/** A single user as somebody named them. */
export interface NamedUser {
	by: 'userId' | 'clientUserId';
	id: string;
}

/** By client user ID costs one more request. A user whom nobody has is an error, or with `empty` no user at all. */
export const oneUser = ({ by, id }: NamedUser, whenNotFound: 'error' | 'empty' = 'error'): UsersToRead => ({
	async *users(get) {
		if (by === 'userId') return yield { user: { user_id: id, client_user_id: null }, place: 1 };
		const user = await resolveUser(get, id);
		if (user) return yield toListed(user, 1);
		if (whenNotFound === 'error') throw noSuchClientUser();
	},
	async whenMissing(get, user) {
		if (user.client_user_id !== null) await stopIfStillThere(get, user);
		if (whenNotFound === 'empty') return;
		throw new Problem(
			"There is no such user: the service does not know the 'User'",
			"Pick the user from the list, or check that the credential's key belongs to the team of this user",
			{ httpCode: '404' },
		);
	},
});

/** A window of the team's list: all of its users, or those who have the provider (a slug) connected now. */
export const wholeTeam = (window: UserWindow = {}, connectedTo?: string): UsersToRead => ({
	async *users(get, skip = 0) {
		let place = skip;
		for await (const users of userPages(get, { ...window, offset: (window.offset ?? 0) + skip })) {
			for (const user of users) {
				place++;
				if (!connectedTo || isConnectedTo(user, connectedTo)) yield toListed(user, place);
			}
		}
	},
	whenMissing: stopIfStillThere,
});

/** Somebody who was on the list may have been removed before their turn came. A user who is still there is not passed over. */
async function stopIfStillThere(get: Get, { user_id, client_user_id }: UserRef) {
	const now = client_user_id === null ? { user_id } : await resolveUser(get, client_user_id);
	if (now?.user_id !== user_id) return;
	throw new Problem(
		'The service does not find the readings of a user whom it knows (status 404)',
		'Try again later. If it stays, ask the people who run the service',
		{ httpCode: '404' },
	);
}

const toListed = ({ user_id, client_user_id, team_id }: IDataObject, place: number): ListedUser => ({
	user: { user_id: String(user_id), client_user_id: text(client_user_id) || null },
	place,
	...(typeof team_id === 'string' && { team: team_id }),
});
