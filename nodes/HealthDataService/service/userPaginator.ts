/**
 * Where the next page of the user list begins, whether a page continues the one before, and when the list ends. Not `total`
 * decides it but the pages: each begins with the last user of the one before, so that nobody moves past it unnoticed.
 */
import type { IDataObject } from 'n8n-workflow';
import { IdleWatch } from './idleWatch';
import type { PageRequest } from './prefetch';
import { MAX_PAGE_SIZE, type UserPage } from './userPage';

/** Overlap after people have moved, as a part of a page: more of them may, and one page read again costs more. */
const STEP_BACK = 1 / 25;

/**
 * A page whose first user was read before leaves no gap: between that user and its own end it holds everybody, in the order
 * of the list. If the first is somebody else, people have left, and it steps back until it finds somebody it knows.
 *
 * It has ended where a page has nobody new and room for more: an empty page says so only where it was asked for without overlap
 * and pages hold one user. That proof costs one request, except where a page less than half full ends exactly at a `total`
 * that all pages agree on.
 *
 * Two cannot overlap: pages of one user, and full pages of a Limit, which asks for no more records than that. Their people are
 * known to move when `total` falls.
 */
export class UserPaginator {
	/** Behind the last user read. */
	private position: number;
	private given = 0;
	private readonly seen = new Set<unknown>();
	/** The longest page: what the service has room for. */
	private largest = 0;
	/** Whether the last page was as long as any, and as long as it was asked for. */
	private wasLong = true;
	private wasFull = false;
	private total?: number;
	/** Whether all pages gave the same. */
	private isSteady = true;
	/** Users read again with each page, and while it steps back. */
	private overlap = 1;
	private back = 0;
	private hasMoved = false;
	private hasProgressed = false;
	private readonly idle = new IdleWatch();
	private hasEnded = false;

	constructor(
		private readonly start: number,
		private readonly limit: number,
	) {
		this.position = start;
	}

	get isOver() {
		return this.hasEnded || this.given >= this.limit;
	}

	/** The page that comes next, or that will come when so many are read. */
	next(position = this.position, given = this.given): PageRequest {
		const overlap = Math.min(Math.max(this.overlapAt(position), this.back), position - this.start);
		return {
			offset: position - overlap,
			limit: Math.min(MAX_PAGE_SIZE, this.limit - given + overlap),
			isBeyondTotal: position === this.total && this.back === 0,
		};
	}

	/** The pages that will come if `total` is right, the one that proves the end included; only one behind a shorter page. */
	nextPages(most: number): PageRequest[] {
		const asks: PageRequest[] = [];
		let { position, given } = this;
		while (asks.length < most) {
			const ask = this.next(position, given);
			asks.push(ask);
			const reached = Math.min(ask.offset + Math.min(ask.limit, this.largest), this.total ?? 0);
			given += reached - position;
			if (!this.wasLong || reached <= position || given >= this.limit || this.isEvidentEnd(ask, reached)) break;
			position = reached;
		}
		return asks;
	}

	/** Takes a page in. The users of it who are new, in order; nobody when people have moved, and it has to be read again. */
	read(ask: PageRequest, { users, total }: UserPage): IDataObject[] {
		const continues = this.doesContinue(ask, users, total);
		this.isSteady &&= total !== undefined && total === (this.total ?? total);
		this.total = total ?? this.total;
		if (!continues) this.stepBack(ask);

		const fresh = continues ? this.unseen(users).slice(0, this.limit - this.given) : [];
		if (continues) this.advance(ask, users.length, fresh.length);
		if (!this.isOver) this.idle.check(ask.offset, users, fresh.length > 0);
		return fresh;
	}

	private doesContinue({ offset }: PageRequest, users: IDataObject[], total?: number): boolean {
		if (offset === this.start) return true;
		if (offset < this.position) return users.length > 0 && this.seen.has(users[0].user_id);
		const hasShrunk = total !== undefined && this.total !== undefined && total < this.total;
		// A total that merely flickers must not hold it in place.
		if (hasShrunk && this.hasProgressed) return false;
		return users.length > 0 || this.largest < 2;
	}

	private stepBack({ offset }: PageRequest) {
		const further = Math.max(2 * (this.position - offset), Math.floor(this.largest * STEP_BACK), 1);
		this.back = this.overlap = further;
		this.hasMoved = true;
		this.hasProgressed = false;
	}

	private advance(ask: PageRequest, length: number, fresh: number) {
		const hasRoom = length < Math.min(this.largest, ask.limit);
		this.back = 0;
		this.position = ask.offset + length;
		this.given += fresh;
		this.hasProgressed ||= fresh > 0;
		this.wasLong = length >= this.largest;
		this.wasFull = length >= ask.limit;
		this.hasEnded = length === 0 || (fresh === 0 && hasRoom) || (fresh > 0 && this.isEvidentEnd(ask, this.position));
		this.largest = Math.max(this.largest, length);
	}

	/** Whether a page that ends there needs no proof that it is the last. */
	private isEvidentEnd(ask: PageRequest, end: number): boolean {
		const isHalfEmpty = 2 * (end - ask.offset) < Math.min(this.largest, ask.limit);
		return isHalfEmpty && this.isSteady && end === this.total;
	}

	private overlapAt(position: number): number {
		if (this.largest < 2) return 0;
		const mayEndThere = this.total !== undefined && this.total <= position;
		if (this.limit !== Infinity && this.wasFull && !this.hasMoved && !mayEndThere) return 0;
		return Math.max(1, Math.min(this.overlap, Math.floor(this.largest / 2)));
	}

	/** Those who were not seen before. */
	private unseen(users: IDataObject[]): IDataObject[] {
		return users.filter(({ user_id }) => !this.seen.has(user_id) && this.seen.add(user_id));
	}
}
