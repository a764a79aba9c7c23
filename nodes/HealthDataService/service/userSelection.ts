/**
 * Whose readings are read, and what a user who is gone means: the whole team here, others in files of their own.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/client';
import { Problem } from '../shared/problem';
import { text } from '../shared/values';
import type { UserRef } from './readings';
import { userPages, type ListSlice } from './userPages';
import { isConnectedTo, resolveUser } from './users';

/** A user whose readings are wanted, and where they stand among the others. */
export interface SelectedUser {
	user: UserRef;
	/** How many users of the list are done with this one. */
	place: number;
	/** Their team, if the service has said so. */
	team?: string;
	/** Who they are in a list that somebody gave. */
	entry?: ListEntry;
	/** Why nobody could be found there: the `user_id` is empty then. */
	problem?: Problem;
}

/** One of a list that somebody gave. */
export interface ListEntry {
	id: string;
	/** The place in the list, from 1. */
	at: number;
}

/** Entries that could not be resolved the last time: these get a single attempt. */
export type HasFailed = (entry: ListEntry) => boolean;

export interface UserSelection {
	/** In the order of the list, without the first `skip` of it. */
	users(get: Get, skip?: number, hasFailed?: HasFailed): AsyncIterable<SelectedUser>;
	/** The service does not know a user whose readings were asked for. Throws a Problem unless they are passed over. */
	whenMissing(get: Get, listed: SelectedUser): Promise<void>;
	/** Adds to rows what takes a request of its own, and is worth none without rows; nothing is asked once `isCancelled`. */
	addClientUserIds?(get: Get, rows: readonly IDataObject[], isCancelled?: () => boolean): Promise<void>;
	/** The list that somebody gave, each once. */
	entries?: readonly ListEntry[];
}

/** A single user as somebody named them. */
export interface UserIdentifier {
	by: 'userId' | 'clientUserId';
	id: string;
	/** What a list from which they were picked said in place of their client user ID. */
	shownAs?: string;
}

export type WhenNotFound = 'error' | 'empty';

/** A window of the team's list: all of its users, or those who have the provider (a slug) connected now. */
export const wholeTeam = (window: ListSlice = {}, connectedTo?: string): UserSelection => ({
	async *users(get, skip = 0) {
		let place = skip;
		for await (const users of userPages(get, { ...window, offset: (window.offset ?? 0) + skip })) {
			for (const user of users) {
				place++;
				if (!connectedTo || isConnectedTo(user, connectedTo)) yield toSelectedUser(user, place);
			}
		}
	},
	whenMissing: async (get, { user }) => await throwIfUserExists(get, user),
});

/** Somebody who was on the list may have been removed before their turn came. A user who is still there is not passed over. */
export async function throwIfUserExists(get: Get, { user_id, client_user_id }: UserRef) {
	const now = client_user_id === null ? { user_id } : await resolveUser(get, client_user_id);
	if (now?.user_id === user_id) throw userExists();
}

export const userExists = () =>
	new Problem(
		'The service does not find the readings of a user whom it knows (status 404)',
		'Try again later. If it stays, ask the people who run the service',
		{ httpCode: '404' },
	);

export const toSelectedUser = ({ user_id, client_user_id, team_id }: IDataObject, place: number): SelectedUser => ({
	user: { user_id: String(user_id), client_user_id: text(client_user_id) || null },
	place,
	...(typeof team_id === 'string' && { team: team_id }),
});
