/** Resolution of many client user IDs: by one Resolve request each, or by the user list, whichever takes fewer requests. */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, type Get } from '../../http/client';
import { concurrentMap } from '../../shared/concurrentMap';
import { ignoreProblem, problemOfOne, type Problem } from '../../shared/problem';
import { text } from '../../shared/values';
import { userPages } from './list';
import { MAX_PAGE_SIZE, resolveUser, userPage } from './users';

/** The user record; nothing if no user has the ID; a problem if that could not be found out. */
interface Resolved {
	user?: IDataObject;
	problem?: Problem;
}

interface ResolveRequest {
	id: string;
}

/** For fewer IDs the first page of the list is not worth its request. */
const MIN_IDS_FOR_LIST = 8;

/** Resolve requests in progress: as many as there may be, and fewer if the reader may stop early. */
const CONCURRENT_RESOLVES = 64;
const LAZY_CONCURRENT_RESOLVES = 4;

/** In the order of the IDs. @param isLazy whether the reader may stop before the end @throws Problem that concerns all requests */
export async function* resolveMany(get: Get, requests: readonly ResolveRequest[], isLazy: boolean) {
	const known = isLazy ? new Map<string, IDataObject>() : await findOnList(get, requests);
	const width = isLazy ? LAZY_CONCURRENT_RESOLVES : CONCURRENT_RESOLVES;
	yield* concurrentMap(requests, { width }, async ({ id }, isCancelled): Promise<Resolved> => {
		if (known.has(id)) return { user: known.get(id) };
		try {
			return { user: await resolveUser(get, id, { isCancelled }) };
		} catch (error) {
			return { problem: problemOfOne(error, isCancelled()) };
		}
	});
}

/**
 * Users of the list by client user ID. Reads the list as long as the rest of it takes fewer requests than the IDs that are still
 * missing.
 */
export async function findOnList(get: Get, requests: readonly ResolveRequest[]) {
	const found = new Map<string, IDataObject>();
	if (requests.length < MIN_IDS_FOR_LIST) return found;
	const missing = new Set(requests.map(({ id }) => id));
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
		const isWorthIt = () => done < total && Math.ceil((total - done) / size) < missing.size;
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
