/**
 * The picker of users. A search is answered by Resolve for whoever is named in full, and by reading the user list, which
 * the service cannot search, for the others.
 */
import type { IDataObject, INodeListSearchItems } from 'n8n-workflow';
import type { Get } from '../http/client';
import { Problem } from '../shared/problem';
import { text } from '../shared/values';
import { rowOf } from '../fields/user';
import { userPage } from '../service/userPages';
import { isClientUserId, isUserId, resolveUser } from '../service/users';
import { MAX_PAGES, picker, hintRow } from './picker';

/** Fewer rows cannot be scrolled, and during a search the editor asks for the next page only when they are. */
const ROWS_TO_SCROLL = 20;

export const searchUsers = picker(async (get, filter, paginationToken) => {
	const isFirstCall = paginationToken === undefined;
	const named = isFirstCall && isClientUserId(filter) ? await resolveTyped(get, filter) : undefined;

	const found = named ? [named] : [];
	const maxPages = named ? 1 : MAX_PAGES;
	let offset = Number(paginationToken ?? 0);
	let isEnd = false;
	for (let page = 0; page < maxPages && !isEnd && found.length < ROWS_TO_SCROLL; page++) {
		const { users, total = Infinity } = await userPage(get, offset);
		found.push(...users.filter((user) => user.user_id !== named?.user_id && isMatch(user, filter)));
		offset += users.length;
		isEnd = users.length === 0 || offset >= total;
	}

	const results = found.map(toRow);
	if (isEnd) return { results };
	const isStuck = isFirstCall && !named && found.length < ROWS_TO_SCROLL;
	return {
		results: isStuck ? [...results, ...moreUsersHint(filter, found, offset)] : results,
		paginationToken: String(offset),
	};
});

/** Half an identifier may be one that the service refuses: then the list may still know better. */
const resolveTyped = async (get: Get, filter: string): Promise<IDataObject | undefined> =>
	await resolveUser(get, filter).catch((error: unknown) => {
		if (error instanceof Problem && isAboutThisOne(error)) return undefined;
		throw error;
	});

const isAboutThisOne = ({ httpCode, kind, isTransient }: Problem) =>
	httpCode !== undefined && kind !== 'credential-invalid' && !isTransient;

/**
 * Whatever the row shows is searched. Whoever has exactly this client user ID was found by Resolve in the first call, and is not
 * listed again in a later one.
 */
function isMatch(user: IDataObject, filter: string): boolean {
	const wanted = filter.toLowerCase();
	if (filter === '' || user.user_id === wanted) return true;
	return text(user.client_user_id) !== filter && rowOf(user).toLowerCase().includes(wanted);
}

const toRow = (user: IDataObject): INodeListSearchItems => ({ name: rowOf(user), value: String(user.user_id) });

/** The service cannot look up a user ID: it is offered unseen. For anything else only the whole identifier helps. */
function moreUsersHint(filter: string, found: IDataObject[], searched: number): INodeListSearchItems[] {
	if (isUserId(filter)) return found.length ? [] : [{ name: `User ID ${filter}`, value: filter }];
	return [hintRow(`Type the whole client user ID (first ${searched.toLocaleString('en')} users searched)`)];
}
