/**
 * What counts as a page of the team's user list (contract 4.3), and as its end where the service refuses to give one.
 */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, type Get, type RequestOptions } from '../http/client';
import { missingFieldError } from '../http/errors';
import { classifyStatus } from '../http/classify';
import { isObject } from '../shared/json';
import { Problem } from '../shared/problem';
import { text } from '../shared/values';

/** Most users that one request may ask for (contract section 8). */
export const MAX_PAGE_SIZE = 500;

/** One page of the list, as long as the service makes it. */
export interface UserPage {
	users: IDataObject[];
	/** How many there are in all, if the service says so. Any number: it may be wrong (quirk 24). */
	total?: number;
}

export async function userPage(
	get: Get,
	offset: number,
	limit = MAX_PAGE_SIZE,
	once?: RequestOptions,
): Promise<UserPage> {
	const { users, total } = await get('/v2/user', { offset, limit }, undefined, once);
	if (!Array.isArray(users) || !users.every(isObject)) throw missingFieldError('users');
	if (!users.every(({ user_id }) => typeof user_id === 'string' && text(user_id))) throw userWithoutId();
	return { users: users as IDataObject[], total: typeof total === 'number' ? total : undefined };
}

/**
 * A page that begins where `total` says that the list has ended: some services refuse it instead of giving an empty one, with
 * any status (quirk 12), so it is tried once. What may have other causes is tried again as always.
 */
export async function pageBeyondTotal(
	get: Get,
	offset: number,
	limit: number,
	once: RequestOptions,
): Promise<UserPage> {
	try {
		return await userPage(get, offset, limit, { ...once, ...SINGLE_ATTEMPT });
	} catch (error) {
		const status = error instanceof Problem ? Number(error.httpCode) : NaN;
		if (status >= 400 && classifyStatus(status) !== 'throttled') return { users: [] };
		return await userPage(get, offset, limit, once);
	}
}

const userWithoutId = () =>
	new Problem(
		"A user in the service's list has no 'user_id'",
		'Without it nobody can be told from the others. Ask the people who run the service',
		{ concernsAll: true },
	);
