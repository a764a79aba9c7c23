/**
 * User picker: Resolve finds a complete client user ID, reading the user list finds the rest, because the service has no search.
 */
import type { IDataObject, INodeListSearchItems } from 'n8n-workflow';
import type { Get } from '../http/client';
import { Problem } from '../shared/problem';
import { text } from '../shared/values';
import { pickerRow } from '../fields/users';
import { isClientUserId, isUserId, resolveUser, userPage } from '../service/users';
import { MAX_PAGES, picker, hintRow } from './picker';

/** Fewer rows cannot be scrolled, and during a search the editor requests the next page only on scrolling. */
const ROWS_TO_SCROLL = 20;

export const searchUsers = picker(async (get, filter, paginationToken) => {
	const isFirstCall = paginationToken === undefined;
	const named = isFirstCall && isClientUserId(filter) ? await resolveTyped(get, filter) : undefined;

	const found = named ? [named] : [];
	const maxPages = named ? 1 : MAX_PAGES;
	let offset = offsetOf(paginationToken ?? '0');
	let isEnd = false;
	for (let page = 0; page < maxPages && !isEnd && found.length < ROWS_TO_SCROLL; page++) {
		const { users, total = Infinity } = await userPage(get, offset);
		found.push(...users.filter((user) => user.user_id !== named?.user_id && isMatch(user, filter)));
		offset += users.length;
		isEnd = users.length === 0 || offset >= total;
	}

	const results = found.map(toResult);
	if (isEnd) return { results };
	const isStuck = isFirstCall && !named && found.length < ROWS_TO_SCROLL;
	return {
		results: isStuck ? [...results, ...moreUsersHint(filter, found, offset)] : results,
		paginationToken: String(offset),
	};
});

/** @throws Problem for a token that no result of the picker has: n8n's API passes on any text */
function offsetOf(token: unknown): number {
	const offset = /^\d{1,9}$/.test(String(token)) ? Number(token) : undefined;
	if (offset !== undefined) return offset;
	throw new Problem('The list of users cannot be continued there', 'Close the list and open it again');
}

/** The service may reject a partial identifier: then the list is searched. */
const resolveTyped = async (get: Get, filter: string): Promise<IDataObject | undefined> =>
	await resolveUser(get, filter, { isListNext: true }).catch((error: unknown) => {
		if (error instanceof Problem && isAboutThisIdentifier(error)) return undefined;
		throw error;
	});

const isAboutThisIdentifier = ({ httpCode, kind, isTransient }: Problem) =>
	httpCode !== undefined && kind !== 'credential-invalid' && !isTransient;

/**
 * Searches the text of the row. The user with exactly this client user ID was found by Resolve in the first call, so later calls do
 * not list that user again.
 */
function isMatch(user: IDataObject, filter: string): boolean {
	const wanted = filter.toLowerCase();
	if (filter === '' || String(user.user_id).toLowerCase() === wanted) return true;
	return text(user.client_user_id) !== filter && pickerRow(user).toLowerCase().includes(wanted);
}

const toResult = (user: IDataObject): INodeListSearchItems => ({ name: pickerRow(user), value: String(user.user_id) });

/** The service cannot look up a user ID, so it is offered unchecked. Otherwise only the complete identifier helps. */
function moreUsersHint(filter: string, found: IDataObject[], searched: number): INodeListSearchItems[] {
	if (isUserId(filter)) return found.length ? [] : [{ name: `User ID ${filter}`, value: filter.toLowerCase() }];
	return [hintRow(`Type the whole client user ID (first ${searched.toLocaleString('en')} users searched)`)];
}
