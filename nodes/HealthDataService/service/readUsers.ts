/**
 * Reading many users side by side, in the order of the users; what cannot be read of one is no matter of the others.
 */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, type Get, type Query } from '../http/client';
import { mapInOrder } from '../shared/mapInOrder';
import { Problem } from '../shared/problem';
import { pathOf, type Metric } from './metrics';
import { readingPages } from './readingPages';
import type { UserRef } from './readings';
import type { SelectedUser, UserSelection } from './userSelection';

type Pages = AsyncIterable<IDataObject>;

/** Makes rows of the pages of one user; stops early when `isCancelled`. */
export type Collect = (pages: Pages, user: UserRef, isCancelled: () => boolean) => Promise<IDataObject[]>;

/** What was read of a user: no rows of one who is gone, and none of one who could not be read, but why. */
export interface UserResult extends SelectedUser {
	rows: IDataObject[];
	isGone: boolean;
	problem?: Problem;
	/** How long it took, from when the first request was sent: waiting in line is nobody's own slowness. */
	tookMs: number;
}

interface ReadUsersOptions {
	metric: Metric;
	query: Query | ((user: UserRef) => Query);
	selection: UserSelection;
	/** Users who could not be read the last time: their requests get a single attempt. */
	hasFailed?: (user: UserRef) => boolean;
	/** How many users at once; the request queue limits the requests. */
	width: number;
	/** How many users may be read before the first of them is done. */
	ahead?: number;
	/** Once it says so nobody is begun any more, and those who are done so far come. */
	isTimeUp?: () => boolean;
	/** Also told how long it has taken so far. */
	collect: (pages: Pages, user: UserRef, isCancelled: () => boolean, tookMs: () => number) => Promise<IDataObject[]>;
	/** Told as soon as a user is read, before their turn: throws to end the sweep. */
	onRead?: (rows: number) => void;
	/** Told as soon as it is known that a user cannot be read, when `fine` others were: throws to end the sweep. */
	onUnreadable?: (user: UserRef, problem: Problem, fine: number) => void;
}

/** Users in work for each request that may be on its way: those further down are read while one takes its time. */
export const USERS_PER_REQUEST = 4;

/**
 * One user after the other. Whoever stops reading ends it.
 *
 * @throws Problem that concerns all users, and what `onRead` and `onUnreadable` throw
 */
export function readUsers(get: Get, options: ReadUsersOptions): AsyncGenerator<UserResult> {
	const { metric, query, selection, hasFailed, width, ahead, isTimeUp, collect, onRead, onUnreadable } = options;
	let fine = 0;

	return mapInOrder(selection.users(get), { width, ahead, isTimeUp }, async (listed, isCancelled) => {
		const { user } = listed;
		let sentAt: number | undefined;
		const tookMs = () => (sentAt === undefined ? 0 : performance.now() - sentAt);
		const result = (more: Partial<UserResult>): UserResult => ({
			...listed,
			rows: [],
			isGone,
			tookMs: tookMs(),
			...more,
		});
		const unreadable = (problem: Problem) => {
			onUnreadable?.(user, problem, fine);
			return result({ problem });
		};
		let isGone = false;
		const onMissing = async () => {
			await selection.whenMissing(get, listed);
			isGone = true;
		};
		if (listed.problem) return unreadable(listed.problem);
		const ask = typeof query === 'function' ? query(user) : query;
		const once = {
			...(hasFailed?.(user) && SINGLE_ATTEMPT),
			isCancelled,
			onSent: () => (sentAt ??= performance.now()),
		};
		const pages = readingPages(get, pathOf(metric, user.user_id), ask, onMissing, once);
		let rows: IDataObject[];
		try {
			rows = await collect(pages, user, isCancelled, tookMs);
		} catch (error) {
			return unreadable(ofOneUser(error, isCancelled()));
		}
		if (isGone) rows = [];
		fine++;
		onRead?.(rows.length);
		return result({ rows });
	});
}

/** A problem of one user's; what concerns all, or comes when all is over, is thrown on. */
function ofOneUser(error: Error, isCancelled: boolean): Problem {
	if (error instanceof Problem && !error.concernsAll && !isCancelled) return error;
	throw error;
}
