/**
 * Limits of rows: when Limit ends a read and which rows it keeps, and the early check for lists with more users than n8n can take.
 */
import { SINGLE_ATTEMPT, type Get } from '../http/client';
import { ignoreProblem, type Problem } from '../shared/problem';
import { userPage, type UserPage } from './users';

/** The only place that compares a number of rows with Limit, and decides whether reading ahead may be wasted. */
export class RowLimit {
	/**
	 * @param maximum Infinity for all rows
	 * @param check called with a number of rows that would be returned; throws if they are too many
	 */
	constructor(
		readonly maximum = Infinity,
		private readonly check: (rows: number) => void = () => {},
	) {}

	/** Whether a read may end before all users and pages are read. */
	get mayEndEarly(): boolean {
		return this.maximum !== Infinity;
	}

	/** @param more rows that are returned, but do not count towards the limit @throws what `check` throws */
	isReached(rows: number, more = 0): boolean {
		this.check(Math.min(rows, this.maximum) + more);
		return rows >= this.maximum;
	}

	keep<T>(rows: T[]): T[] {
		return rows.length > this.maximum ? rows.slice(0, this.maximum) : rows;
	}
}

/** Maximum number of users, and the error for more. */
export interface Most {
	users: number;
	tooMany: () => Problem;
}

/**
 * Without this check, a run with a row per user sends a request for each of 100,000 users before it fails. `total` may be wrong
 * (quirk 24), so the first user too many is requested as proof.
 *
 * @param page the first page, from `offset` on
 * @throws `most.tooMany`
 */
export async function stopAtLongList(get: Get, offset: number, { users: [first], total = 0 }: UserPage, most: Most) {
	if (total - offset <= most.users) return;
	// Without proof, the read goes on and stops at the limit.
	const proof = await userPage(get, offset + most.users, 1, SINGLE_ATTEMPT).catch(ignoreProblem);
	const tooMany = proof?.users[0];
	// A service that ignores `offset` returns the first user again.
	if (tooMany && tooMany.user_id !== first?.user_id) throw most.tooMany();
}
