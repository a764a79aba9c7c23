/** Pickers: the lists of users and of providers, read from the user list, because the service has no search. */
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
} from 'n8n-workflow';
import { pickerRow } from '../fields/users';
import { connect, type Get } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { SHORT_RETRY } from '../http/retry';
import {
	connectedSources,
	isClientUserId,
	isUserId,
	MAX_PAGE_SIZE,
	pageBeyondTotal,
	resolveUser,
	userPage,
	type UserPage,
} from '../service/users/users';
import { Problem, toNodeError } from '../shared/problem';
import { text } from '../shared/values';

/** Maximum pages of the user list per call: some services allow ten requests a minute. */
export const MAX_PAGES = 3;

type Search = (
	get: Get,
	filter: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/** `search` as n8n calls it: with the typed text and, after scrolling to the end, with the token of the last result. */
function picker(search: Search) {
	return async function (
		this: ILoadOptionsFunctions,
		filter = '',
		paginationToken?: string,
	) {
		try {
			const get = await connect(this, {
				...SHORT_RETRY,
				queueOf: () => new RequestQueue({ concurrency: MAX_PAGES }),
			});
			return await search(get, filter.trim(), paginationToken);
		} catch (error) {
			throw toNodeError(this.getNode(), error, { isPicker: true });
		}
	};
}

/**
 * A row with a message: picking it leaves the field blank. Its value is a blank, not empty: in an empty field, the editor marks the
 * row with the empty value as picked.
 */
const hintRow = (name: string) => ({ name, value: ' ' });

/** A list of fewer rows cannot be scrolled, and during a search the editor requests the next page only on scrolling. */
const ROWS_TO_SCROLL = 20;

/** Resolve finds a complete client user ID; the list is searched for other text. */
export const searchUsers = picker(async (get, filter, paginationToken) => {
	const isFirstCall = paginationToken === undefined;
	const named =
		isFirstCall && isClientUserId(filter) ? await resolveTyped(get, filter) : undefined;

	const found = named && isOffered(named) ? [named] : [];
	const maxPages = named ? 1 : MAX_PAGES;
	let offset = offsetOf(paginationToken ?? '0');
	let isEnd = false;
	for (let page = 0; page < maxPages && !isEnd && found.length < ROWS_TO_SCROLL; page++) {
		const { users, total = Infinity } = await userPage(get, offset);
		for (const user of users) {
			const isNew = isOffered(user) && user.user_id !== named?.user_id;
			if (isNew && isMatch(user, filter)) found.push(user);
		}
		offset += users.length;
		isEnd = users.length === 0 || offset >= total;
	}

	const results = found.map((user) => ({
		name: pickerRow(user),
		value: String(user.user_id),
	}));
	if (isEnd) {
		if (isFirstCall && results.length === 0) results.push(hintRow(noUsers(filter)));
		return { results };
	}
	const isStuck = isFirstCall && !named && found.length < ROWS_TO_SCROLL;
	if (isStuck) results.push(...moreUsersHint(filter, found, offset));
	return { results, paginationToken: String(offset) };
});

const noUsers = (filter: string) =>
	filter === ''
		? 'The team has no users'
		: 'No match in client user IDs, user IDs and providers';

/** n8n evaluates a picked value that begins with `=`, so that a service could read data of other nodes. */
const isExpression = (value: string) => value.startsWith('=');

const isOffered = (user: IDataObject) => isUserId(String(user.user_id));

/** @throws Problem for a token that no result of the picker has: n8n's API passes on any text */
function offsetOf(token: string): number {
	if (/^\d{1,9}$/.test(token)) return Number(token);
	throw new Problem(
		'The list of users cannot be continued there',
		'Close the list and open it again',
	);
}

/** Undefined for a partial identifier, which the service may reject: then the list is searched. */
const resolveTyped = async (get: Get, filter: string): Promise<IDataObject | undefined> =>
	await resolveUser(async (path) => await get(path), filter).catch(
		(error: Partial<Problem>) => {
			if (
				error.httpCode !== undefined &&
				error.kind !== 'credential-invalid' &&
				!error.isTransient
			)
				return undefined;
			throw error;
		},
	);

/**
 * Searches the text of the row. In the first call, Resolve has found the user with exactly this client user ID: later calls do not
 * list this user again.
 */
function isMatch(user: IDataObject, filter: string): boolean {
	const wanted = filter.toLowerCase();
	if (filter === '' || String(user.user_id).toLowerCase() === wanted) return true;
	return (
		text(user.client_user_id) !== filter && pickerRow(user).toLowerCase().includes(wanted)
	);
}

/** The service cannot look up a user ID: a typed user ID is offered unchecked. For other text, the row asks for the whole identifier. */
function moreUsersHint(filter: string, found: IDataObject[], searched: number) {
	if (isUserId(filter))
		return found.length
			? []
			: [{ name: `User ID ${filter}`, value: filter.toLowerCase() }];
	return [
		hintRow(
			`Type the whole client user ID (first ${searched.toLocaleString('en')} searched)`,
		),
	];
}

/** Sorting more holds up n8n. A search finds the others. */
const MAX_PROVIDERS = 1000;

const NO_PROVIDER = 'No match in names and slugs of providers';

const providerRow = (slug: string, name: string) =>
	name === slug || isExpression(name) ? slug : `${name} (${slug})`;

/** Needed because the editor cannot clear a picked value. */
const ALL_PROVIDERS = { name: 'All Providers', value: '' };

/**
 * The providers that users on a sample of the list have connected. Gives no pagination token: with a token, the editor requests
 * pages until the rows can be scrolled, which may read the whole team.
 */
export const searchProviders = picker(async (get, filter) => {
	const first = await userPage(get, 0);
	const others = await Promise.all(
		spread(first).map(
			async (offset) => await pageBeyondTotal(get, offset, MAX_PAGE_SIZE, {}),
		),
	);
	const pages = [first, ...others];
	const users = pages.flatMap((page) => page.users);
	const names = new Map(
		users.flatMap(connectedSources).map(({ slug, name }) => [slug, name]),
	);

	const wanted = filter.toLowerCase();
	const results = [...names]
		.filter(([slug]) => !isExpression(slug))
		.map(([slug, name]) => ({ name: providerRow(slug, name), value: slug }))
		.filter(({ name }) => name.toLowerCase().includes(wanted))
		.slice(0, MAX_PROVIDERS)
		.sort((a, b) => a.name.localeCompare(b.name));
	if (filter === '') results.unshift(ALL_PROVIDERS);
	const isSample =
		first.total === undefined
			? pages.at(-1)!.users.length > 0
			: first.total > users.length;
	const seen = users.length.toLocaleString('en');
	if (isSample)
		results.push(hintRow(`Another one? Use By Slug (${seen} users looked at)`));
	if (results.length === 0) results.push(hintRow(NO_PROVIDER));
	return { results };
});

/** Offsets of the other pages: evenly spread over the list, or consecutive if its length is unknown. */
function spread({
	users: { length: size },
	total = MAX_PAGES * size,
}: UserPage): number[] {
	if (size === 0) return [];
	const others = Math.min(MAX_PAGES, Math.ceil(total / size)) - 1;
	return Array.from({ length: others }, (_, i) =>
		Math.floor(((i + 1) * (total - size)) / others),
	);
}
