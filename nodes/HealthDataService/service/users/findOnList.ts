/** Many client user IDs: users that the user list gives with fewer requests than a Resolve request for each. */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, type Get } from '../../http/client';
import { ignoreProblem } from '../../shared/problem';
import { text } from '../../shared/values';
import { userPages } from './list';
import { MAX_PAGE_SIZE, userPage } from './users';

/** For fewer IDs the first page of the list is not worth its request. */
const MIN_IDS_FOR_LIST = 8;

/**
 * Users of the list by client user ID. Reads the list as long as the rest of it takes fewer requests than the IDs that are still
 * missing.
 */
export async function findOnList(get: Get, entries: ReadonlyArray<{ id: string }>) {
	const found = new Map<string, IDataObject>();
	if (entries.length < MIN_IDS_FOR_LIST) return found;
	const missing = new Set(entries.map(({ id }) => id));
	let done = 0;
	const take = (users: IDataObject[]) => {
		done += users.length;
		for (const user of users) {
			const id = text(user.client_user_id);
			if (missing.delete(id)) found.set(id, user);
		}
	};
	const readList = async () => {
		const { users, total = 0 } = await userPage(get, 0, MAX_PAGE_SIZE, SINGLE_ATTEMPT);
		const size = users.length;
		const isWorthIt = () =>
			done < total && Math.ceil((total - done) / size) < missing.size;
		take(users);
		if (!isWorthIt()) return;
		for await (const page of userPages(get, { offset: size, maxUsers: total - size })) {
			take(page.users);
			if (!isWorthIt()) return;
		}
	};
	// The list only saves requests: a problem that concerns all is thrown by the next request.
	await readList().catch(ignoreProblem);
	return found;
}
