/**
 * Early check for lists with more users than n8n can take. Without it, a run with a row per user sends a request for each of
 * 100,000 users before it fails. `total` may be wrong (quirk 24), so the first user too many is requested as proof. A file of its
 * own, because userPaginator.ts is near the maximum length.
 */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, type Get } from '../http/client';
import { Problem } from '../shared/problem';
import { userPage, type UserPage } from './users';

/** Maximum number of users, and the error for more. */
export interface Most {
	users: number;
	tooMany: () => Problem;
}

/** @param page the first page, from `offset` on @throws `most.tooMany` */
export async function stopAtLongList(get: Get, offset: number, { users: [first], total = 0 }: UserPage, most: Most) {
	if (total - offset <= most.users) return;
	const { users } = await userPage(get, offset + most.users, 1, SINGLE_ATTEMPT).catch(noUsers);
	// A service that ignores `offset` returns the first user again.
	if (users.length > 0 && users[0].user_id !== first?.user_id) throw most.tooMany();
}

/** Without proof, the read goes on and stops at the limit. */
function noUsers(error: unknown): { users: IDataObject[] } {
	if (error instanceof Problem) return { users: [] };
	throw error;
}
