/** User list pagination: overlapping pages, pages ahead, stall detection, and the end of the list. */
import type { IDataObject } from 'n8n-workflow';
import { withOptions, type Get } from '../../http/client';
import { problemOfAll } from '../../shared/problem';
import {
	lowerUserId,
	MAX_PAGE_SIZE,
	pageBeyondTotal,
	userPage,
	type UserPage,
} from './users';

/** Pages requested before they are needed. The request queue decides how many are sent at once. */
const PAGES_AHEAD = 8;

export interface ListSlice {
	offset?: number;
	/** Most users. */
	maxUsers?: number;
	/** Whether each page is requested when it is needed: for a reader that may stop, or at a slow rate. */
	isLazy?: boolean;
}

/** The new users of a page. Only `isLast` says that the list is read to its end: `total` may be wrong (quirk 12). */
export interface ListedPage extends UserPage {
	isLast: boolean;
}

/**
 * Pages of the users from `offset` on, in the order of the list, without duplicates. A user who stays on the list while it is read
 * is never missed.
 *
 * @throws Problem for an invalid page, and when the list cannot be read to its end
 */
export async function* userPages(
	get: Get,
	{ offset = 0, maxUsers = Infinity, isLazy }: ListSlice = {},
): AsyncGenerator<ListedPage> {
	const read = new ListRead(offset, maxUsers);
	const ahead = prefetch(get);
	try {
		while (!read.hasEnded) {
			const request = read.next();
			const page = await ahead.take(request);
			const users = read.take(request, page);
			// Users have moved on the list: the pages ahead no longer fit.
			if (users.length === 0) ahead.cancel();
			else if (!isLazy)
				for (const next of read.further()) void ahead.start(next);
			yield { ...page, users, isLast: read.hasEnded };
		}
	} finally {
		ahead.cancel();
	}
}

interface PageRequest {
	offset: number;
	pageSize: number;
	/** Whether it begins at `total`. */
	isBeyondTotal: boolean;
}

/** Far more than a team needs: reached only if the list never ends. */
const MAX_PAGES = 20_000;

/** Stall detection: pages in a row without a new user. Users who move cost a few pages. */
const MAX_STALLED_PAGES = 50;

const idOf = ({ user_id }: IDataObject) => lowerUserId(String(user_id));

/**
 * Offset paging that misses no user. Users may join and leave while the list is read, and `total` may be wrong (quirks 12, 24).
 *
 * Overlap: each page begins with the last user of the page before. If its first user is new, users before it have left, and it
 * steps back, half a page at first, then twice as far each time, until a page begins with a known user. Pages of one user do not
 * overlap.
 *
 * End: a page without new users that has room for some.
 */
class ListRead {
	/** Offset behind the last user read. */
	private position: number;
	private readonly seen = new Set<string>();
	/** Users that the next page repeats. */
	private overlap = 0;
	/** Length of the longest page: the service's own maximum. */
	private largest = 1;
	/** Whether the last page was as long as the longest. */
	private wasLong = true;
	private total?: number;
	private stalledPages = 0;
	private pages = 0;
	private isAtEnd = false;

	constructor(
		private readonly start: number,
		private readonly maxUsers: number,
	) {
		this.position = start;
	}

	get hasEnded() {
		return this.isAtEnd || this.missing <= 0;
	}

	private get missing() {
		return this.maxUsers - this.seen.size;
	}

	/** The next page; with an argument, that from a later position on. */
	next(position = this.position): PageRequest {
		const missing = this.missing - (position - this.position);
		return {
			offset: position - this.overlap,
			pageSize: Math.min(MAX_PAGE_SIZE, missing + this.overlap),
			isBeyondTotal: position === this.total && this.overlap === 0,
		};
	}

	/** The next pages up to the end that `total` predicts; none after a short page, after which others may be short. */
	further(): PageRequest[] {
		const requests: PageRequest[] = [];
		if (!this.wasLong) return requests;
		const { total = 0 } = this;
		const wantedUntil = this.position + this.missing;
		let { position } = this;
		while (position < wantedUntil && requests.length < PAGES_AHEAD) {
			requests.push(this.next(position));
			if (position >= total) break;
			position = Math.min(position - this.overlap + this.largest, total);
		}
		return requests;
	}

	/** The new users of a page, in order; none after users have moved, when it must be read again. */
	take(request: PageRequest, page: UserPage): IDataObject[] {
		const { users } = page;
		if (request.offset === 0 && users.length === 0 && Number(page.total) > 0)
			throw listProblem(
				'The first page of the user list is empty, although its total counts users',
				'Try again later',
			);
		const hasMoved = this.hasMoved(request, users);
		const fresh = hasMoved ? [] : this.unseen(users);
		const hasRoom = users.length < Math.min(this.largest, request.pageSize);
		this.isAtEnd = !hasMoved && fresh.length === 0 && hasRoom;
		this.total = page.total ?? this.total;
		this.largest = Math.max(this.largest, users.length);
		this.wasLong = users.length === this.largest;
		if (hasMoved) this.stepBack();
		else this.advance(request.offset + users.length);
		this.throwIfStalled(fresh.length > 0);
		return fresh;
	}

	private hasMoved({ offset }: PageRequest, users: IDataObject[]) {
		const isOverlapping = offset !== this.start && offset < this.position;
		return (
			isOverlapping && (users.length === 0 || !this.seen.has(idOf(users[0])))
		);
	}

	private stepBack() {
		const further = Math.max(2 * this.overlap, Math.ceil(this.largest / 2));
		this.overlap = Math.min(further, this.position - this.start);
	}

	private advance(position: number) {
		this.position = position;
		this.overlap = this.largest > 1 ? Math.min(1, position - this.start) : 0;
	}

	private unseen(users: IDataObject[]) {
		return users.filter((user) => {
			const id = idOf(user);
			return !this.hasEnded && !this.seen.has(id) && this.seen.add(id);
		});
	}

	private throwIfStalled(isProgress: boolean) {
		this.stalledPages = isProgress ? 0 : this.stalledPages + 1;
		this.pages++;
		const isStalled = !this.hasEnded && this.stalledPages >= MAX_STALLED_PAGES;
		if (isStalled || this.pages > MAX_PAGES)
			throw listProblem(
				'The user list of the service cannot be read to its end',
				"It ignores 'offset', changes faster than it can be read, or does not end. 'Listed Users' does not need the list",
			);
	}
}

/** A user list that cannot be read to its end. */
const listProblem = (message: string, advice: string) =>
	problemOfAll(
		message,
		`${advice}. If it stays, ask the people who run the service`,
	);

/** Pages requested before they are needed. */
export function prefetch(get: Get) {
	/** Another map after each cancel: requests of an earlier one are not sent any more. */
	let started = new Map<string, Promise<UserPage>>();
	/** An error is thrown by `take`, and ignored if the page is never taken. */
	const start = ({ offset, pageSize, isBeyondTotal }: PageRequest) => {
		const ofNow = started;
		const isCancelled = () => started !== ofNow;
		const key = `${offset} ${pageSize}`;
		const request = isBeyondTotal ? pageBeyondTotal : userPage;
		const page =
			started.get(key) ??
			request(withOptions(get, { isCancelled }), offset, pageSize);
		page.catch(() => undefined);
		started.set(key, page);
		return page;
	};
	return {
		start,
		async take(request: PageRequest): Promise<UserPage> {
			const page = start(request);
			started.delete(`${request.offset} ${request.pageSize}`);
			return await page;
		},
		/** Requests that wait in the queue are not sent. */
		cancel() {
			started = new Map();
		},
	};
}
