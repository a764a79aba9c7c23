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
	team?: string;
	/** The entry of *User IDs*. */
	entry?: ListEntry;
	/**
	 * Finds the user of an entry with an empty `user_id`.
	 *
	 * @returns undefined if another entry is the same user, or if the entry is skipped
	 */
	resolve?(get: Get, request: RequestOptions): Promise<SelectedUser | undefined>;
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
	/** Called when the service answers 404 for a user's readings. Throws a Problem unless that user is skipped. */
	whenMissing(get: Get, selected: SelectedUser): Promise<void>;
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
	/** Place of the last user known so far. With several users only. */
	lastPlace?(): number;
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
	let lastPlace = 0;
	return {
		isConnectedOnly: Boolean(connectedTo),
		isWhole: offset === 0 && maxUsers === Infinity,
		async *users(get) {
			let place = 0;
			for await (const { users } of userPages(get, slice)) {
				const selected = users
					.map((user, index) => toSelectedUser(user, place + index + 1))
					.filter(({ record }) => !connectedTo || isConnectedTo(record!, connectedTo));
				place += users.length;
				lastPlace = Math.max(lastPlace, selected.at(-1)?.place ?? 0);
				yield* selected;
			}
		},
		whenMissing: async (get, { user }) => await throwIfUserExists(get, user),
		lastPlace: () => lastPlace,
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
	{
		whenNotFound = 'error',
		resolved = new Map(),
		needsRecord = false,
	}: OneUserOptions = {},
): UserSelection {
	/** The record of a picked user, if Resolve confirms what the list showed. */
	const confirmed = async (get: Get, isCancelled?: () => boolean) => {
		if (shownAs === undefined) return undefined;
		const resolving = resolved.get(shownAs) ?? resolveQuietly(get, shownAs, isCancelled);
		resolved.set(shownAs, resolving);
		const record = await resolving;
		return lowerUserId(String(record?.user_id)) === lowerUserId(id) ? record : undefined;
	};
	return {
		isOne: true,
		async *users(get) {
			if (by === 'userId') {
				const record = needsRecord ? await confirmed(get) : undefined;
				return yield {
					...toSelectedUser(record ?? { user_id: id }, 1),
					sentId: id,
					record,
				};
			}
			const user = await resolveUser(get, id);
			if (user) return yield toSelectedUser(user, 1);
			if (whenNotFound === 'error') throw noSuchClientUser(id);
		},
		async whenMissing(get, { user }) {
			if (user.client_user_id !== null) await throwIfUserExists(get, user);
			// Not from `resolved`: the user may have been removed since.
			else if (
				shownAs !== undefined &&
				lowerUserId(String((await resolveQuietly(get, shownAs))?.user_id)) ===
					user.user_id
			)
				throw userExists();
			if (whenNotFound === 'empty') return;
			throw new Problem(
				"There is no such user: the service does not know the 'User'",
				"Pick the user from the list, or check that the credential's key belongs to the team of this user",
				{ httpCode: '404' },
			);
		},
		async addClientUserIds(get, rows, isCancelled) {
			if (rows.length === 0) return;
			const record = await confirmed(get, isCancelled);
			if (!record) return;
			const { client_user_id } = toSelectedUser(record, 1).user;
			for (const row of rows) row.client_user_id = client_user_id;
		},
	};
}

/** The readings are worth more than the name. A problem that also concerns them is reported by their own requests. */
const resolveQuietly = async (
	get: Get,
	clientUserId: string,
	isCancelled?: () => boolean,
) =>
	await resolveUser(get, clientUserId, {
		maxAttempts: FEW_ATTEMPTS,
		ignoreFailure: true,
		isCancelled,
	}).catch(ignoreProblem);

interface ListedOptions {
	/** With `empty`, an entry that no user has is skipped. */
	whenNotFound?: WhenNotFound;
	/** Whether the reader may stop before the end: then the user list is not read for the client user IDs. */
	isLazy?: boolean;
	/** Why an entry has no user. */
	noUser?: (entry: ListEntry) => Problem;
}

/** In the order of the list. */
export const listedUsers = (
	by: UserIdentifier['by'],
	entries: readonly ListEntry[],
	options: ListedOptions = {},
): UserSelection =>
	by === 'userId' ? byUserId(entries, options) : byClientUserId(entries, options);

const byUserId = (
	entries: readonly ListEntry[],
	{ whenNotFound = 'error' }: ListedOptions,
): UserSelection => ({
	entries,
	lastPlace: () => entries.length,
	users: () =>
		entries.map((entry, index) => {
			const user = { user_id: entry.id, client_user_id: null };
			return { user, place: index + 1, entry };
		}),
	async whenMissing(_get, { entry }) {
		if (whenNotFound === 'error') throw noSuchEntry('userId', entry!);
	},
});

/** Each is resolved when its user is read, with the same budget, so that one that fails or hangs holds up no other. */
function byClientUserId(
	entries: readonly ListEntry[],
	{ whenNotFound = 'error', isLazy = false, noUser = noSuchClientEntry }: ListedOptions,
): UserSelection {
	const throwUnlessEmpty = (entry: ListEntry) => {
		if (whenNotFound === 'error') throw noUser(entry);
	};
	return {
		entries,
		lastPlace: () => entries.length,
		async *users(get) {
			const known = await findOnList(get, isLazy ? [] : entries);
			/** The entry of each user. */
			const found = new Map<string, string>();
			for (const [index, entry] of entries.entries()) {
				const { id } = entry;
				const place = index + 1;
				yield {
					user: { user_id: '', client_user_id: id },
					place,
					entry,
					async resolve(ofUser, request) {
						const record = known.get(id) ?? (await resolveUser(ofUser, id, request));
						if (!record) {
							throwUnlessEmpty(entry);
							return undefined;
						}
						const selected = { ...toSelectedUser(record, place), entry };
						const { user_id } = selected.user;
						const other = found.get(user_id);
						if (other !== undefined && other.toLowerCase() !== id.toLowerCase())
							throw sameRecord(entry);
						found.set(user_id, id);
						return other === undefined ? selected : undefined;
					},
				};
			}
		},
		async whenMissing(get, { user, entry }) {
			await throwIfUserExists(get, { ...user, client_user_id: entry!.id });
			throwUnlessEmpty(entry!);
		},
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

const noSuchEntry = (by: UserIdentifier['by'], { at, id }: ListEntry) =>
	new Problem(
		`Entry ${at} of 'User IDs' is ${by === 'userId' ? 'a user whom the service does not know' : 'an identifier that no user has'}`,
		separatorHint(id) +
			blankAround(id) +
			"Check it, including upper and lower case (User → List shows them), and that the credential's key belongs to the team of this user",
		{ httpCode: '404' },
	);

const noSuchClientEntry = (entry: ListEntry) => noSuchEntry('clientUserId', entry);

/** A listed user may be removed before the readings are requested. A 404 for a user who still exists is an error. */
export async function throwIfUserExists(get: Get, { user_id, client_user_id }: UserRef) {
	const isKnown = client_user_id !== null && isClientUserId(client_user_id);
	const now = isKnown ? await resolveUser(get, client_user_id) : { user_id };
	if (now && lowerUserId(String(now.user_id)) === user_id) throw userExists();
}

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
