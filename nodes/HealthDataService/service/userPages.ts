/**
 * The team's user list, page after page: where to ask is the walk's decision, how far ahead is decided here.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/client';
import { stopAtLongList, type Most } from './longList';
import { Prefetch } from './prefetch';
import { UserPaginator } from './userPaginator';

export { userPage, type UserPage } from './userPage';

/** Pages asked for ahead of the one that is read. The request queue decides how many of them are in flight. */
const PREFETCHED_PAGES = 8;

/** A part of the team's list. */
export interface ListSlice {
	offset?: number;
	/** Most users of it. */
	limit?: number;
	/** Pages that may be asked for before they are wanted; 0 is for whoever may stop early. */
	prefetch?: number;
	/** Set where it can be known from the start that there are too many. */
	most?: Most;
}

/** The users of the list from `offset` on, in order, each once, at most `limit` of them: whoever stays on it is among them. */
export async function* userPages(
	get: Get,
	{ offset = 0, limit = Infinity, prefetch = PREFETCHED_PAGES, most }: ListSlice = {},
): AsyncGenerator<IDataObject[]> {
	const walk = new UserPaginator(offset, limit);
	const pages = new Prefetch(get);
	let unchecked = most && limit > most.users ? most : undefined;
	try {
		while (!walk.isOver) {
			const ask = walk.next();
			const page = await pages.take(ask);
			if (unchecked) await stopAtLongList(get, offset, page, unchecked);
			unchecked = undefined;
			const users = walk.read(ask, page);
			// People have moved: what is on its way no longer says where anybody is.
			if (users.length === 0) pages.cancel();
			else if (!walk.isOver) for (const one of walk.nextPages(prefetch)) pages.start(one);
			yield users;
		}
	} finally {
		pages.cancel();
	}
}
