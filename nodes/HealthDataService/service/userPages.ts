/**
 * The two kinds of paging of the service, as plain loops over `get`: they know the service, not n8n.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get, Query } from '../http/connect';
import { explainBody, isObject } from '../http/explain';
import { quietly } from '../shared/inOrder';
import { Problem } from '../shared/problem';

/** Most users that one request may ask for (contract section 8). */
const MOST_USERS_PER_PAGE = 500;

/**
 * Pages of a grouped timeseries query (contract 4.1, 4.2), in order. Only a missing cursor ends it: pages may be empty (quirk 2).
 * Every page repeats the whole query. A cursor that comes back a second time is an error, not an endless loop (quirk 3).
 */
export async function* cursorPages(
	get: Get,
	path: string,
	query: Query,
	onMissing?: () => IDataObject,
): AsyncGenerator<IDataObject> {
	const seen = new Set<string>();
	let cursor: string | undefined;

	do {
		const page = await get(path, { ...query, next_cursor: cursor }, onMissing);
		yield page;

		cursor = nextCursor(page);
		if (cursor !== undefined && seen.has(cursor)) {
			throw new Problem(
				'The service sent the same page mark twice, so the rest of the data cannot be read',
				'Nothing was returned, because it would be incomplete. Try again, or choose a shorter date range',
			);
		}
		if (cursor !== undefined) seen.add(cursor);
	} while (cursor !== undefined);
}

/** The contract's `next_cursor`, or its deprecated twin `next`; null, absent and empty all mean the end (quirk 1). */
function nextCursor({ next_cursor, next }: IDataObject): string | undefined {
	const cursor = next_cursor ?? next ?? '';
	if (typeof cursor !== 'string') throw explainBody(undefined, 'next_cursor');
	return cursor || undefined;
}

/** One page of the team's user list (contract 4.3), as long as the service makes it. */
export interface UserPage {
	users: IDataObject[];
	/** How many there are in all, if the service says so (quirk 12). */
	total?: number;
}

export async function userPage(get: Get, offset: number, limit = MOST_USERS_PER_PAGE): Promise<UserPage> {
	const { users, total } = await get('/v2/user', { offset, limit });
	if (!Array.isArray(users) || !users.every(isObject)) throw explainBody(undefined, 'users');
	return { users: users as IDataObject[], total: typeof total === 'number' ? total : undefined };
}

/** How much further back than needed the list is read again when users leave it: more may leave in the meantime. */
const STEP_BACK = 20;

/** Pages asked for ahead of the one that is read. The gate decides how many of them are really on their way. */
const PAGES_AHEAD = 8;

/**
 * Pages of the team's user list (contract 4.3) from `offset` on, each user once, at most `most` of them.
 * Moves on by what arrived, never by what was asked for: servers cap pages. Ends at `total`, if there is one, or at an empty
 * page (quirk 12). When `total` shrinks on the way, users have moved towards the front, past the place that was read next:
 * it steps back as far and reads on from there. Once `total` is known, up to `ahead` of the pages that follow are asked for
 * together; 0 is for whoever may stop early.
 */
export async function* userPages(
	get: Get,
	{ offset = 0, most = Infinity, ahead = PAGES_AHEAD } = {},
): AsyncGenerator<IDataObject[]> {
	const asked = new Map<string, Promise<UserPage>>();
	const ask = (position: number, limit: number) => {
		const key = `${position} ${limit}`;
		const page = asked.get(key) ?? quietly(userPage(get, position, limit));
		asked.set(key, page);
		return page;
	};
	const limitAfter = (count: number) => Math.min(MOST_USERS_PER_PAGE, most - count);

	const seen = new Set<unknown>();
	let position = offset;
	let given = 0;
	let lastTotal: number | undefined;
	let lowestTotal = Infinity;
	/** Whether somebody new came since the last step back: a total that merely flickers must not hold us in place. */
	let hasProgressed = false;

	while (given < most) {
		const limit = limitAfter(given);
		const { users, total } = await ask(position, limit);
		asked.delete(`${position} ${limit}`);

		const fresh = newUsers(users, seen);
		given += fresh.length;
		hasProgressed ||= fresh.length > 0;
		const shrunk = total !== undefined && lastTotal !== undefined ? lastTotal - total : 0;
		lastTotal = total ?? lastTotal;
		const isNewLow = lastTotal !== undefined && lastTotal < lowestTotal;
		lowestTotal = Math.min(lowestTotal, lastTotal ?? Infinity);

		if (shrunk > 0 && (hasProgressed || isNewLow)) {
			hasProgressed = false;
			asked.clear();
			position = Math.max(offset, position - shrunk - STEP_BACK);
		} else if (users.length === 0) {
			return;
		} else {
			position += users.length;
		}

		const isLast = lastTotal !== undefined && position >= lastTotal;
		for (let page = 0; page < ahead && !isLast; page++) {
			const skipped = page * users.length;
			if (lastTotal === undefined || position + skipped >= lastTotal || given + skipped >= most) break;
			void ask(position + skipped, limitAfter(given + skipped));
		}
		yield fresh;
		if (isLast) return;
	}
}

/** The users of a page that were not seen before, in order; `seen` learns them. */
function newUsers(users: IDataObject[], seen: Set<unknown>): IDataObject[] {
	return users.filter(({ user_id }) => {
		if (seen.has(user_id)) return false;
		if (user_id !== undefined) seen.add(user_id);
		return true;
	});
}
