/**
 * When the team's user list ends (contract 4.3, quirk 12): a loop over `get` that knows the service, not n8n.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/connect';
import { answerLacks } from '../http/explain';
import { quietly } from '../shared/inOrder';
import { isObject } from '../shared/json';

/** Most users that one request may ask for (contract section 8). */
const MAX_PAGE_SIZE = 500;

/** One page of the list, as long as the service makes it. */
export interface UserPage {
	users: IDataObject[];
	/** How many there are in all, if the service says so (quirk 12). */
	total?: number;
}

export async function userPage(get: Get, offset: number, limit = MAX_PAGE_SIZE): Promise<UserPage> {
	const { users, total } = await get('/v2/user', { offset, limit });
	if (!Array.isArray(users) || !users.every(isObject)) throw answerLacks('users');
	return { users: users as IDataObject[], total: typeof total === 'number' ? total : undefined };
}

/** How much further back than needed the list is read again when users leave it: more may leave in the meantime. */
const STEP_BACK = 20;

/** Pages asked for ahead of the one that is read. The gate decides how many of them are really on their way. */
const PAGES_AHEAD = 8;

/** A part of the team's list. */
export interface UserWindow {
	offset?: number;
	/** Most users of it. */
	limit?: number;
	/** Pages that may be asked for before they are wanted; 0 is for whoever may stop early. */
	ahead?: number;
}

/**
 * Pages of the list from `offset` on, each user once, at most `limit` of them.
 * Moves on by what arrived, never by what was asked for: servers cap pages. Ends at `total`, if there is one, or at an empty
 * page. When `total` shrinks on the way, users have moved towards the front, past the place that was read next:
 * it steps back as far and reads on from there.
 */
export async function* userPages(
	get: Get,
	{ offset = 0, limit = Infinity, ahead = PAGES_AHEAD }: UserWindow = {},
): AsyncGenerator<IDataObject[]> {
	const pages = new PagesAhead(get);
	const totals = new Totals();
	const seen = new Set<unknown>();
	const pageSize = (count: number) => Math.min(MAX_PAGE_SIZE, limit - count);
	let position = offset;
	let given = 0;

	while (given < limit) {
		const { users, total } = await pages.take(position, pageSize(given));
		const fresh = newUsers(users, seen);
		given += fresh.length;

		const gone = totals.shrunkBy(total, fresh.length > 0);
		if (gone > 0) {
			pages.forget();
			position = Math.max(offset, position - gone - STEP_BACK);
		} else if (users.length === 0) {
			return;
		} else {
			position += users.length;
		}

		const end = totals.last;
		const isLast = end !== undefined && position >= end;
		for (let page = 0; end !== undefined && !isLast && page < ahead; page++) {
			const skipped = page * users.length;
			if (position + skipped >= end || given + skipped >= limit) break;
			pages.ask(position + skipped, pageSize(given + skipped));
		}
		yield fresh;
		if (isLast) return;
	}
}

/** Pages on their way, by what was asked for. */
class PagesAhead {
	private readonly asked = new Map<string, Promise<UserPage>>();

	constructor(private readonly get: Get) {}

	ask(position: number, limit: number) {
		const key = `${position} ${limit}`;
		if (!this.asked.has(key)) this.asked.set(key, quietly(userPage(this.get, position, limit)));
	}

	async take(position: number, limit: number): Promise<UserPage> {
		this.ask(position, limit);
		const key = `${position} ${limit}`;
		const page = this.asked.get(key)!;
		this.asked.delete(key);
		return await page;
	}

	/** What was asked for no longer says where anybody is. */
	forget() {
		this.asked.clear();
	}
}

/** What the pages say about the length of the list. */
class Totals {
	last?: number;
	private lowest = Infinity;
	/** Whether somebody new came since the last step back: a total that merely flickers must not hold us in place. */
	private hasProgressed = false;

	/** How many have left since the page before, where that is worth a step back; else 0. */
	shrunkBy(total: number | undefined, isProgress: boolean): number {
		this.hasProgressed ||= isProgress;
		const gone = total !== undefined && this.last !== undefined ? this.last - total : 0;
		this.last = total ?? this.last;
		const isNewLow = this.last !== undefined && this.last < this.lowest;
		this.lowest = Math.min(this.lowest, this.last ?? Infinity);

		if (gone <= 0 || !(this.hasProgressed || isNewLow)) return 0;
		this.hasProgressed = false;
		return gone;
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
