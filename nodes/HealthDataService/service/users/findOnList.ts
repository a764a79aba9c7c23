/** Many client user IDs: users that the user list gives with fewer requests than a Resolve request for each. */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, withOptions, type Get } from '../../http/client';
import { ignoreProblem } from '../../shared/problem';
import { text } from '../../shared/values';
import { userPages } from './list';

/** For fewer IDs the first page of the list is not worth its request. */
const MIN_IDS_FOR_LIST = 8;

/**
 * Users of the list by client user ID. Reads the list as long as the rest of it takes fewer requests than the IDs that are still
 * missing. A page that fails ends the list: the other users are resolved instead.
 */
export async function findOnList(get: Get, entries: ReadonlyArray<{ id: string }>) {
	const found = new Map<string, IDataObject>();
	if (entries.length < MIN_IDS_FOR_LIST) return found;
	const wanted = new Set(entries.map(({ id }) => id));
	const getOnce = withOptions(get, SINGLE_ATTEMPT);
	let done = 0;
	let size = 1;
	// The next page may not be needed.
	const slice = { pagesAhead: 0 };
	try {
		for await (const { users, total = 0 } of userPages(getOnce, slice)) {
			done += users.length;
			size = Math.max(size, users.length);
			for (const user of users) {
				const id = text(user.client_user_id);
				if (wanted.has(id)) found.set(id, user);
			}
			const pagesLeft = Math.ceil((total - done) / size);
			const isWorth = pagesLeft > 0 && pagesLeft < wanted.size - found.size;
			if (!isWorth) break;
		}
	} catch (error) {
		// The list only saves requests: a problem that concerns all is thrown by the next request.
		ignoreProblem(error);
	}
	return found;
}
