/** User selection: one user, listed users, or the team, and what a user who is not found means for each. */
import type { IDataObject } from 'n8n-workflow';
import { FEW_ATTEMPTS, type Get, type RequestOptions } from '../../http/client';
import { ignoreProblem, Problem } from '../../shared/problem';
import { text } from '../../shared/values';
import { findOnList } from './findOnList';
import { userPages, type ListSlice } from './list';
import {
	blankAround,
	isClientUserId,
	isConnectedTo,
	lowerUserId,
	noSuchClientUser,
	resolveUser,
	type UserRef,
} from './users';

export interface SelectedUser {
	user: UserRef;
	/** The user ID for paths, which may be in another case than in the rows. */
	sentId?: string;
	/** Number of users of the list up to this one, the next offset. */
	place: number;
	record?: IDataObject;
	/** The client user ID, also where the rows may not have it. */
	knownAs?: string;
	team?: string;
	/** The entry of *User IDs*. */
	entry?: ListEntry;
	/**
	 * Finds the user of an entry with an empty `user_id`.
	 *
	 * @returns undefined if another entry is the same user, or if the entry is skipped
	 */
	resolve?(
		one: SelectedUser,
		get: Get,
		request: RequestOptions,
	): Promise<SelectedUser | undefined>;
}

export type SelectedUsers = Iterable<SelectedUser> | AsyncIterable<SelectedUser>;

export interface ListEntry {
	id: string;
	/** Position in the list, from 1. */
	at: number;
}

export interface UserSelection {
	/** In the order of the list. */
	users(get: Get): SelectedUsers;
	/** The error of a user who is not found. Without it, that user is skipped. */
	notFound?(entry?: ListEntry): Problem;
	/** Fills in client user IDs that cost a request of their own. Sends nothing without rows or once `isCancelled`. */
	addClientUserIds?(
		get: Get,
		rows: readonly IDataObject[],
		isCancelled?: () => boolean,
	): Promise<void>;
	/** Whether it is the value of *User*, without a list. */
	isOne?: boolean;
	/** Whether it is the team, without a window of it. */
	isWhole?: boolean;
	/** *Only Connected Users*: reads only users with the provider connected now. */
	isConnectedOnly?: boolean;
	/** The entries of *User IDs*, without duplicates. */
	entries?: readonly ListEntry[];
}

/** The value of *User*. */
export interface UserIdentifier {
	by: 'userId' | 'clientUserId';
	id: string;
	/** What the picker showed in place of the client user ID. */
	shownAs?: string;
}

export type WhenNotFound = 'error' | 'empty';

/** @param connectedTo slug of a provider: only users who have it connected now */
export function wholeTeam(slice: ListSlice = {}, connectedTo?: string): UserSelection {
	const { offset = 0, maxUsers = Infinity } = slice;
	return {
		isConnectedOnly: Boolean(connectedTo),
		isWhole: offset === 0 && maxUsers === Infinity,
		async *users(get) {
			let place = 0;
			for await (const { users } of userPages(get, slice)) {
				for (const user of users) {
					place++;
					const isSelected = !connectedTo || isConnectedTo(user, connectedTo);
					if (isSelected) yield toSelectedUser(user, place);
				}
			}
		},
	};
}

/** Client user ID → record, shared by the items of a run. Undefined if Resolve failed or found none. */
export type ResolvedNames = Map<string, Promise<IDataObject | undefined>>;

interface OneUserOptions {
	whenNotFound?: WhenNotFound;
	resolved?: ResolvedNames;
	/** Whether a picked user is confirmed before the readings are read. */
	needsRecord?: boolean;
}

/**
 * By client user ID it costs one more request. A user picked from the list is read by user ID; the client user ID that the list
 * showed is added to the rows if Resolve confirms it.
 */
export function oneUser(
	{ by, id, shownAs }: UserIdentifier,
	options: OneUserOptions = {},
): UserSelection {
	const { whenNotFound, resolved = new Map(), needsRecord = false } = options;
	if (by === 'clientUserId') {
		const noUser = () => noSuchClientUser(id);
		const list = listedUsers(by, [{ id, at: 1 }], { whenNotFound, noUser });
		return { ...list, isOne: true };
	}
	/** The record of a picked user, if Resolve confirms what the list showed. */
	const confirmed = async (get: Get, isCancelled?: () => boolean) => {
		if (shownAs === undefined) return undefined;
		const request = { maxAttempts: FEW_ATTEMPTS, isCancelled };
		// The readings are worth more than the name. A problem that also concerns them is reported by their own requests.
		const resolving =
			resolved.get(shownAs) ?? resolveUser(get, shownAs, request).catch(ignoreProblem);
		resolved.set(shownAs, resolving);
		const record = await resolving;
		return isSameUser(record, lowerUserId(id)) ? record : undefined;
	};
	return {
		isOne: true,
		async *users(get) {
			const record = needsRecord ? await confirmed(get) : undefined;
			const selected = toSelectedUser(record ?? { user_id: id }, 1);
			yield { ...selected, sentId: id, record, knownAs: shownAs };
		},
		notFound: whenNotFound === 'empty' ? undefined : noSuchUser,
		async addClientUserIds(get, rows, isCancelled) {
			if (rows.length === 0) return;
			const record = await confirmed(get, isCancelled);
			if (!record) return;
			const client_user_id = text(record.client_user_id) || null;
			for (const row of rows) row.client_user_id = client_user_id;
		},
	};
}

const noSuchUser = () =>
	new Problem(
		"There is no such user: the service does not know the 'User'",
		"Pick the user from the list, or check that the credential's key belongs to the team of this user",
		{ httpCode: '404' },
	);

interface ListedOptions {
	/** With `empty`, an entry that no user has is skipped. */
	whenNotFound?: WhenNotFound;
	/** Whether the reader may stop before the end: then the user list is not read for the client user IDs. */
	isLazy?: boolean;
	/** Why an entry has no user. */
	noUser?: (entry: ListEntry) => Problem;
}

/** In the order of the list. */
export function listedUsers(
	by: UserIdentifier['by'],
	entries: readonly ListEntry[],
	{ whenNotFound, isLazy, noUser = noSuchEntry(by) }: ListedOptions = {},
): UserSelection {
	const notFound: UserSelection['notFound'] =
		whenNotFound === 'empty' ? undefined : (entry) => noUser(entry!);
	return {
		entries,
		notFound,
		async *users(get) {
			const isResolved = by === 'clientUserId';
			const known = await findOnList(get, isResolved && !isLazy ? entries : []);
			const resolve = resolver(known, notFound);
			for (const [index, entry] of entries.entries()) {
				const { id } = entry;
				const place = index + 1;
				yield isResolved
					? { user: { user_id: '', client_user_id: id }, place, entry, resolve }
					: { user: { user_id: id, client_user_id: null }, place, entry };
			}
		},
	};
}

/** Resolves an entry when its user is read, with the same budget, so that one that fails or hangs holds up no other. */
function resolver(
	known: ReadonlyMap<string, IDataObject>,
	notFound: UserSelection['notFound'],
): SelectedUser['resolve'] {
	/** The entry of each user. */
	const found = new Map<string, string>();
	return async ({ entry, place }, get, request) => {
		const { id } = entry!;
		const record = known.get(id) ?? (await resolveUser(get, id, request));
		if (!record && notFound) throw notFound(entry);
		if (!record) return undefined;
		const selected = { ...toSelectedUser(record, place), knownAs: id, entry };
		const { user_id } = selected.user;
		const other = found.get(user_id) ?? id;
		if (other.toLowerCase() !== id.toLowerCase()) throw sameRecord(entry!);
		const isFirst = !found.has(user_id);
		found.set(user_id, id);
		return isFirst ? selected : undefined;
	};
}

const separatorHint = (id: string) =>
	/[;\s]/.test(id.trim()) ? 'Separate client user IDs by commas or lines. ' : '';

/** Two entries are the same user where the service ignores upper and lower case, else not. */
const sameRecord = ({ at }: ListEntry) =>
	new Problem(
		`The service gave the record of another entry for entry ${at} of 'User IDs'`,
		'Nothing was read for this entry, because the data would be those of another person. Ask the people who run the service',
	);

const noSuchEntry =
	(by: UserIdentifier['by']) =>
	({ at, id }: ListEntry) =>
		new Problem(
			`Entry ${at} of 'User IDs' is ${by === 'userId' ? 'a user whom the service does not know' : 'an identifier that no user has'}`,
			separatorHint(id) +
				blankAround(id) +
				"Check it, including upper and lower case (User → List shows them), and that the credential's key belongs to the team of this user",
			{ httpCode: '404' },
		);

/**
 * For a 404 of a user's readings: the user may have been removed before they were requested.
 *
 * @throws Problem for a user who still exists, and unless the selection skips a user who is not found
 */
export async function throwUnlessSkipped(
	get: Get,
	{ notFound }: UserSelection,
	selected: SelectedUser,
	request?: RequestOptions,
) {
	const { user, record, knownAs, entry } = selected;
	const name = knownAs ?? user.client_user_id ?? '';
	const now = isClientUserId(name) ? await resolveUser(get, name, request) : record;
	if (isSameUser(now, user.user_id)) throw userExists();
	if (notFound) throw notFound(entry);
}

const isSameUser = (record: IDataObject | undefined, userId: string) =>
	lowerUserId(String(record?.user_id)) === userId;

const userExists = () =>
	new Problem(
		'The service does not find the readings of a user whom it knows (status 404)',
		'Try again later. If it stays, ask the people who run the service',
		{ httpCode: '404' },
	);

export function toSelectedUser(record: IDataObject, place: number): SelectedUser {
	const { user_id, client_user_id, team_id } = record;
	const sentId = String(user_id);
	const user = {
		user_id: lowerUserId(sentId),
		client_user_id: text(client_user_id) || null,
	};
	return {
		user,
		sentId,
		place,
		record,
		team: typeof team_id === 'string' ? team_id : undefined,
	};
}
