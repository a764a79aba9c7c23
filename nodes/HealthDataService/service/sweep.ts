/**
 * Reading many users side by side, in the order of the users.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get, Query } from '../http/connect';
import { inOrder } from '../shared/inOrder';
import { pathOf, type Metric } from './metrics';
import { readingPages } from './readingPages';
import { readingRows, type UserRef } from './readings';
import type { UsersToRead } from './usersToRead';

type Pages = AsyncIterable<IDataObject>;

/** Makes rows of the pages of one user; stops early when `isOver`. */
export type Collect = (pages: Pages, user: UserRef, isOver: () => boolean) => Promise<IDataObject[]>;

/** Users in work for each request that may be on its way: those further down are read while one takes its time. */
export const USERS_PER_REQUEST = 4;

interface Sweep {
	metric: Metric;
	query: Query;
	usersToRead: UsersToRead;
	/** How many users at once; the gate keeps to the number of requests. */
	usersAtOnce: number;
	collect: Collect;
}

/** The rows of one user after the other. Whoever stops reading ends it. */
export const sweep = (
	get: Get,
	{ metric, query, usersToRead, usersAtOnce, collect }: Sweep,
): AsyncGenerator<IDataObject[]> =>
	inOrder(usersToRead.users(get), usersAtOnce, async (user, isOver) => {
		const pages = readingPages(get, pathOf(metric, user.user_id), query, usersToRead.onMissing);
		return await collect(pages, user, isOver);
	});

/** One row per reading, `limit` of them at most. `check` is told how many there are, page by page, and may throw. */
export const flatRows =
	(columns: readonly string[], limit: number, check: (count: number) => void): Collect =>
	async (pages, user, isOver) => {
		const rows: IDataObject[] = [];
		for await (const page of pages) {
			for (const row of readingRows(page, columns, user)) if (rows.length < limit) rows.push(row);
			check(rows.length);
			if (rows.length >= limit || isOver()) break;
		}
		return rows;
	};
