/** User selection: one user, listed users, or the team, and what a user who is not found means for each. */
import type { IDataObject } from 'n8n-workflow';
import {
	FEW_ATTEMPTS,
	SINGLE_ATTEMPT,
	withOptions,
	type Get,
} from '../../http/client';
import { ignoreProblem, Problem } from '../../shared/problem';
import { text } from '../../shared/values';
import { userPages, type ListSlice } from './list';
import {
	isClientUserId,
	isConnectedTo,
	lowerUserId,
	noSuchClientUser,
	noSuchUser,
	resolveUser,
	userPage,
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
	/** The entry of *User IDs*. */
	entry?: ListEntry;
	/**
	 * Finds the user of an entry with an empty `user_id`, or the client user ID of a picked user.
	 *
	 * @returns undefined if the entry is skipped
	 */
	resolve?(one: SelectedUser, get: Get): Promise<SelectedUser | undefined>;
}

export type SelectedUsers =
	| Iterable<SelectedUser>
	| AsyncIterable<SelectedUser>;

export interface ListEntry {
	id: string;
	/** Position in the list, from 1; 0 for the value of *User*. */
	at: number;
}

export interface UserSelection {
	/** In the order of the list. */
	users(get: Get): SelectedUsers;
	/** The error of a user who is not found. Without it, that user is skipped. */
	notFound?(entry?: ListEntry): Problem;
	/** Whether it is the value of *User*, without a list. */
	isOne?: boolean;
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

interface TeamOptions extends ListSlice {
	/** Slug of a provider: only users who have it connected now. */
	connectedTo?: string;
}

export function wholeTeam({
	connectedTo,
	...slice
}: TeamOptions = {}): UserSelection {
	return {
		isConnectedOnly: Boolean(connectedTo),
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

/** By client user ID, or picked from the list, it costs one more request. */
export function oneUser(
	{ by, id, shownAs }: UserIdentifier,
	whenNotFound?: WhenNotFound,
): UserSelection {
	if (by === 'clientUserId') {
		const options = { whenNotFound, noUser: noSuchClientUser };
		return { ...listedUsers(by, [{ id, at: 0 }], options), isOne: true };
	}
	const user = { user_id: lowerUserId(id), client_user_id: null };
	const resolve = shownAs === undefined ? undefined : confirmationOf(shownAs);
	return {
		isOne: true,
		users: () => [{ user, sentId: id, place: 1, knownAs: shownAs, resolve }],
		notFound: whenNotFound === 'empty' ? undefined : noSuchPickedUser,
	};
}

const noSuchPickedUser = () =>
	noSuchUser("There is no such user: the service does not know the 'User'");

/** A picked user has the client user ID that the list showed if Resolve confirms it. */
const confirmationOf =
	(shownAs: string): SelectedUser['resolve'] =>
	async (one, get) => {
		const getOfName = withOptions(get, { maxAttempts: FEW_ATTEMPTS });
		// The readings are worth more than the name. A problem that also concerns them is reported by their own requests.
		const record = await resolveUser(getOfName, shownAs).catch(ignoreProblem);
		if (!record || !isSameUser(record, one.user.user_id)) return one;
		return { ...one, record, user: toSelectedUser(record, 1).user };
	};

interface ListedOptions {
	/** With `empty`, an entry that no user has is skipped. */
	whenNotFound?: WhenNotFound;
	/** Whether the reader may stop before the end: then the user list is not read for the client user IDs. */
	isLazy?: boolean;
	/** Why an entry has no user. */
	noUser?: UserSelection['notFound'];
}

/** In the order of the list. */
export function listedUsers(
	by: UserIdentifier['by'],
	entries: readonly ListEntry[],
	{ whenNotFound, isLazy, noUser = noSuchEntry }: ListedOptions = {},
): UserSelection {
	const notFound = whenNotFound === 'empty' ? undefined : noUser;
	return {
		entries,
		notFound,
		async *users(get) {
			const isResolved = by === 'clientUserId';
			const known = await findOnList(get, isResolved && !isLazy ? entries : []);
			const resolve = isResolved ? resolver(known, notFound) : undefined;
			for (const [index, entry] of entries.entries()) {
				const { id } = entry;
				const user = isResolved
					? { user_id: '', client_user_id: id }
					: { user_id: id, client_user_id: null };
				yield { user, place: index + 1, entry, resolve };
			}
		},
	};
}

/** For fewer IDs the first page of the list is not worth its request. */
const MIN_IDS_FOR_LIST = 8;

/**
 * Users of the list by client user ID: fewer requests than a Resolve for each. Reads the list as long as the rest of it takes fewer
 * requests than the IDs that are still missing. A page that fails ends the list: the other users are resolved instead.
 */
async function findOnList(get: Get, entries: readonly ListEntry[]) {
	const found = new Map<string, IDataObject>();
	if (entries.length < MIN_IDS_FOR_LIST) return found;
	const missing = new Set(entries.map(({ id }) => id));
	const getOnce = withOptions(get, SINGLE_ATTEMPT);
	let done = 0;
	let size = 1;
	// The next page may not be needed.
	const pages = userPages(getOnce, { isLazy: true });
	try {
		for await (const { users, total = 0 } of pages) {
			done += users.length;
			size = Math.max(size, users.length);
			for (const user of users) {
				const id = text(user.client_user_id);
				if (missing.delete(id)) found.set(id, user);
			}
			const pagesLeft = Math.ceil((total - done) / size);
			if (pagesLeft <= 0 || pagesLeft >= missing.size) break;
		}
	} catch (error) {
		// The list only saves requests: a problem that concerns all is thrown by the next request.
		ignoreProblem(error);
	}
	return found;
}

/** Resolves an entry when its user is read, with the same budget, so that one that fails or hangs holds up no other. */
const resolver =
	(
		known: ReadonlyMap<string, IDataObject>,
		notFound: UserSelection['notFound'],
	): SelectedUser['resolve'] =>
	async ({ entry, place }, get) => {
		const { id } = entry!;
		const record = known.get(id) ?? (await resolveUser(get, id));
		if (!record && notFound) throw notFound(entry);
		return record && toSelectedUser(record, place);
	};

const noSuchEntry = (entry?: ListEntry) =>
	noSuchUser(
		`Entry ${entry?.at} of 'User IDs' is an identifier that no user has`,
	);

/**
 * For a 404 of a user's readings: the user may have been removed before they were requested.
 *
 * @throws Problem for a user who still exists, while the user list is not found either, and unless the selection skips a user who is
 * not found
 */
export async function throwUnlessSkipped(
	get: Get,
	{ notFound }: UserSelection,
	selected: SelectedUser,
) {
	const { user, record, knownAs, entry } = selected;
	const name = knownAs ?? user.client_user_id ?? '';
	const now = isClientUserId(name) ? await resolveUser(get, name) : record;
	if (isSameUser(now, user.user_id))
		throw unfound('the readings of a user whom it knows');
	// A gateway that has lost the service answers 404 to everything, and no user was removed.
	if (record) await userPage(get, 0, 1);
	if (notFound) throw notFound(entry);
}

const unfound = (what: string) =>
	new Problem(
		`The service does not find ${what} (status 404)`,
		'Try again later. If it stays, ask the people who run the service',
		{ httpCode: '404' },
	);

export const unfoundUser = () => unfound('a user of its list');

const isSameUser = (record: IDataObject | undefined, userId: string) =>
	lowerUserId(String(record?.user_id)) === userId;

export function toSelectedUser(
	record: IDataObject,
	place: number,
): SelectedUser {
	const { user_id, client_user_id } = record;
	const sentId = String(user_id);
	const user = {
		user_id: lowerUserId(sentId),
		client_user_id: text(client_user_id) || null,
	};
	return { user, sentId, place, record };
}
