/** User list pagination: overlapping pages, prefetch, stall detection, and the end of the list. */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../../http/client';
import { Problem } from '../../shared/problem';
import { MAX_PAGE_SIZE, pageBeyondTotal, userPage, type UserPage } from './users';

/** Pages requested before they are needed. The request queue decides how many are sent at once. */
export const PREFETCHED_PAGES = 8;

export interface ListSlice {
	offset?: number;
	limit?: number;
	/** Whether the reader may stop before the end: then no page is prefetched. */
	isLazy?: boolean;
	/** Pages prefetched once the reader has taken all users: a slow rate is not spent on pages while users wait. */
	pagesOnDemand?: number;
	/** Called with the number of users that the `total` of the first page announces. May throw to stop the read. */
	onTotal?: (users: number) => void;
}

/**
 * Pages of the users from `offset` on, in the order of the list, without duplicates, at most `limit` users. A user who stays on
 * the list while it is read is never missed.
 *
 * @throws Problem for an invalid page, and when the list cannot be read to its end
 */
export async function* userPages(
	get: Get,
	{ offset = 0, limit = Infinity, isLazy = false, pagesOnDemand, onTotal }: ListSlice = {},
): AsyncGenerator<UserPage> {
	const paginator = new UserPaginator(offset, limit);
	const pages = new Prefetch(get);
	const prefetch = (count: number) => {
		if (paginator.hasEnded || isLazy) return;
		for (const next of paginator.nextPages(count)) pages.start(next);
	};
	try {
		while (!paginator.hasEnded) {
			const request = paginator.next();
			const page = await pages.take(request);
			if (request.offset === offset) onTotal?.(Math.min((page.total ?? 0) - offset, limit));
			const users = paginator.read(request, page);
			// Users have moved on the list: the prefetched pages no longer fit.
			if (users.length === 0) pages.cancel();
			else if (pagesOnDemand === undefined) prefetch(PREFETCHED_PAGES);
			yield { users, total: page.total };
			if (users.length > 0 && pagesOnDemand !== undefined) prefetch(pagesOnDemand);
		}
	} finally {
		pages.cancel();
	}
}

interface PageRequest {
	offset: number;
	limit: number;
	/** Whether it begins at or after `total`. */
	isBeyondTotal: boolean;
}

/** Step back after users have moved, as a part of a page: covers several users, and costs less than a page read again. */
const STEP_BACK = 1 / 25;

/** Far more than a team needs: reached only if the list never ends. */
const MAX_PAGES = 20_000;

/** Stall detection: pages in a row without a new user. Users who move cost a few pages. */
const MAX_STALLED_PAGES = 50;

/**
 * Offset paging that misses no user. Users may join and leave while the list is read, and `total` may be wrong (quirks 12, 24).
 *
 * Overlap: each page begins with the last user of the page before. If its first user is new, users before it have left, and it
 * steps back, twice as far each time, until a page begins with a known user. Pages of one user and the full pages of a Limit, which
 * requests no more records than that, have no overlap; for them a smaller `total` tells that users have left.
 *
 * End: a page without new users that is shorter than the service allows. With pages of one user, an empty page. That costs one more
 * request, except where a page less than half full ends exactly at a `total` that was the same on all pages.
 */
class UserPaginator {
	/** Offset behind the last user read. */
	private position: number;
	private readonly seen = new Set<unknown>();
	/** Length of the longest page: the service's own maximum. */
	private largest = 0;
	/** Whether the last page was as long as the longest, and as long as requested. */
	private wasLong = true;
	private wasFull = false;
	private total?: number;
	private isTotalSteady = true;
	/** Users read again with each page, and while stepping back; 0 until users have moved. */
	private overlap = 0;
	private stepBack = 0;
	private hasProgressed = false;
	private stalledPages = 0;
	private pages = 0;
	private isAtEnd = false;

	constructor(
		private readonly start: number,
		private readonly limit: number,
	) {
		this.position = start;
	}

	get hasEnded() {
		return this.isAtEnd || this.seen.size >= this.limit;
	}

	/** The next page; with arguments, the next page from that position on. */
	next(position = this.position, returned = this.seen.size): PageRequest {
		const overlap = Math.min(
			Math.max(this.overlapAt(position), this.stepBack),
			position - this.start,
		);
		return {
			offset: position - overlap,
			limit: Math.min(MAX_PAGE_SIZE, this.limit - returned + overlap),
			isBeyondTotal: position === this.total && this.stepBack === 0,
		};
	}

	/** At most `count` pages up to the end that `total` predicts, including the page that proves it; one after a short page. */
	nextPages(count: number): PageRequest[] {
		const requests: PageRequest[] = [];
		let { position } = this;
		let returned = this.seen.size;
		while (requests.length < count) {
			const request = this.next(position, returned);
			requests.push(request);
			const reached = Math.min(
				request.offset + Math.min(request.limit, this.largest),
				this.total ?? 0,
			);
			returned += reached - position;
			if (
				!this.wasLong ||
				reached <= position ||
				returned >= this.limit ||
				this.isEvidentEnd(request, reached)
			)
				break;
			position = reached;
		}
		return requests;
	}

	/** The new users of a page, in order; none after users have moved, when it must be read again. */
	read(request: PageRequest, { users, total }: UserPage): IDataObject[] {
		if (request.offset === 0 && users.length === 0 && Number(total) > 0)
			throw listProblem(
				'The first page of the user list is empty, although its total counts users',
				'Try again later',
			);
		const continues = this.doesContinue(request, users, total);
		this.isTotalSteady &&= total !== undefined && total === (this.total ?? total);
		this.total = total ?? this.total;
		if (!continues) this.moveBack(request);

		const fresh = continues ? this.unseen(users) : [];
		if (continues) this.advance(request, users.length, fresh.length);
		this.stalledPages = fresh.length > 0 ? 0 : this.stalledPages + 1;
		if (++this.pages > MAX_PAGES)
			throw listProblem(
				'The user list of the service does not end: it has more than 20,000 pages',
				"'Listed Users' does not need the list",
			);
		if (!this.hasEnded && this.stalledPages >= MAX_STALLED_PAGES) throw this.stalledAt(users);
		return fresh;
	}

	/** The page begins with the first user of the list again if the service ignores `offset`. */
	private stalledAt([first]: IDataObject[]): Problem {
		const [firstSeen] = this.seen;
		return first && first.user_id === firstSeen
			? listProblem(
					'The service gives the same page of its user list again and again',
					"It seems to ignore 'offset', so that the list cannot be read to its end",
				)
			: listProblem(
					'The user list changes while it is read, faster than it can be read',
					'Try again when fewer users come and go, or ask whether the list has a fixed order',
				);
	}

	private doesContinue({ offset }: PageRequest, users: IDataObject[], total?: number): boolean {
		if (offset === this.start) return true;
		if (offset < this.position) return users.length > 0 && this.seen.has(users[0].user_id);
		const hasShrunk = total !== undefined && this.total !== undefined && total < this.total;
		// Only once after each progress: a `total` that merely fluctuates must not stop the read.
		if (hasShrunk && this.hasProgressed) return false;
		return users.length > 0 || this.largest < 2;
	}

	private moveBack({ offset }: PageRequest) {
		const further = Math.max(2 * (this.position - offset), Math.floor(this.largest * STEP_BACK), 1);
		this.stepBack = this.overlap = further;
		this.hasProgressed = false;
	}

	private advance(request: PageRequest, length: number, fresh: number) {
		const hasRoom = length < Math.min(this.largest, request.limit);
		this.stepBack = 0;
		this.position = request.offset + length;
		this.hasProgressed ||= fresh > 0;
		this.wasLong = length >= this.largest;
		this.wasFull = length >= request.limit;
		this.isAtEnd =
			length === 0 ||
			(fresh === 0 && hasRoom) ||
			(fresh > 0 && this.isEvidentEnd(request, this.position));
		this.largest = Math.max(this.largest, length);
	}

	/** Whether a page that ends at `end` is the last without proof. */
	private isEvidentEnd(request: PageRequest, end: number): boolean {
		const isHalfEmpty = 2 * (end - request.offset) < Math.min(this.largest, request.limit);
		return isHalfEmpty && this.isTotalSteady && end === this.total;
	}

	private overlapAt(position: number): number {
		if (this.largest < 2) return 0;
		const mayEndThere = this.total !== undefined && this.total <= position;
		if (this.limit !== Infinity && this.wasFull && this.overlap === 0 && !mayEndThere) return 0;
		return Math.max(1, Math.min(this.overlap, Math.floor(this.largest / 2)));
	}

	private unseen(users: IDataObject[]): IDataObject[] {
		return users.filter(
			({ user_id }) => !this.hasEnded && !this.seen.has(user_id) && this.seen.add(user_id),
		);
	}
}

/** A user list that cannot be read to its end. */
const listProblem = (message: string, advice: string) =>
	new Problem(message, `${advice}. If it stays, ask the people who run the service`, {
		concernsAll: true,
	});

/** Prefetch: pages requested before they are needed. */
export class Prefetch {
	/** Another map after each cancel: requests of an earlier one are not sent any more. */
	private started = new Map<string, Promise<UserPage>>();

	constructor(private readonly get: Get) {}

	/** An error is thrown by `take`, and ignored if the page is never taken. */
	start(page: PageRequest) {
		const { started } = this;
		const { offset, limit, isBeyondTotal } = page;
		const request = isBeyondTotal ? pageBeyondTotal : userPage;
		if (started.has(pageKey(page))) return;
		const result = request(this.get, offset, limit, {
			isCancelled: () => this.started !== started,
		});
		result.catch(() => undefined);
		started.set(pageKey(page), result);
	}

	async take(page: PageRequest): Promise<UserPage> {
		this.start(page);
		const result = this.started.get(pageKey(page))!;
		this.started.delete(pageKey(page));
		return await result;
	}

	/** Requests that wait in the queue are not sent. */
	cancel() {
		this.started = new Map();
	}
}

const pageKey = ({ offset, limit }: PageRequest) => `${offset} ${limit}`;
