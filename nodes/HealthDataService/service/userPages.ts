/**
 * The team's user list, page after page: where to ask is the walk's decision, how far ahead is decided here.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/connect';
import { stopAtLongList, type Most } from './longList';
import { PagesAhead } from './pagesAhead';
import { UserWalk } from './userWalk';

export { userPage, type UserPage } from './userPage';

/** Pages asked for ahead of the one that is read. The gate decides how many of them are really on their way. */
const PAGES_AHEAD = 8;

/** A part of the team's list. */
export interface UserWindow {
	offset?: number;
	/** Most users of it. */
	limit?: number;
	/** Pages that may be asked for before they are wanted; 0 is for whoever may stop early. */
	ahead?: number;
	/** Set where it can be known from the start that there are too many. */
	most?: Most;
}

/** The users of the list from `offset` on, in order, each once, at most `limit` of them: whoever stays on it is among them. */
export async function* userPages(
	get: Get,
	{ offset = 0, limit = Infinity, ahead = PAGES_AHEAD, most }: UserWindow = {},
): AsyncGenerator<IDataObject[]> {
	const walk = new UserWalk(offset, limit);
	const pages = new PagesAhead(get);
	let unchecked = most && limit > most.users ? most : undefined;
	try {
		while (!walk.isOver) {
			const ask = walk.next();
			const page = await pages.take(ask);
			if (unchecked) await stopAtLongList(get, offset, page, unchecked);
			unchecked = undefined;
			const users = walk.read(ask, page);
			// People have moved: what is on its way no longer says where anybody is.
			if (users.length === 0) pages.callOff();
			else if (!walk.isOver) for (const one of walk.ahead(ahead)) pages.ask(one);
			yield users;
		}
	} finally {
		pages.callOff();
	}
}
