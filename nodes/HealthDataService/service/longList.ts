/**
 * Whether the user list has more users than can be handed on, before they are read. `total` may be wrong (quirk 24), so it is
 * not believed: the one who would be too many is asked for.
 */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, type Get } from '../http/client';
import { Problem } from '../shared/problem';
import { userPage, type UserPage } from './users';

/** How many users can be handed on, and what is thrown when there are more. */
export interface Most {
	users: number;
	tooMany: () => Problem;
}

/** @param page the first that was read, from `offset` on */
export async function stopAtLongList(get: Get, offset: number, { users: [first], total = 0 }: UserPage, most: Most) {
	if (total - offset <= most.users) return;
	const [beyond] = await oneAt(get, offset + most.users);
	// A service that ignores `offset` gives the same user again.
	if (beyond && beyond.user_id !== first?.user_id) throw most.tooMany();
}

const oneAt = async (get: Get, offset: number): Promise<IDataObject[]> =>
	await userPage(get, offset, 1, SINGLE_ATTEMPT).then(({ users }) => users, nobody);

/** Where that cannot be found out: reading on will tell. */
function nobody(error: unknown): IDataObject[] {
	if (error instanceof Problem) return [];
	throw error;
}
