/**
 * Concurrent read of many users: results in the order of the users or as they are completed, failures isolated.
 */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, type Budget, type Get, type Query } from '../http/client';
import { concurrentMap } from '../shared/concurrentMap';
import { Problem, problemOfOne } from '../shared/problem';
import { pathOf, type Metric } from './metrics';
import type { Progress } from './progress';
import { readingPages } from './readingPages';
import type { Collect, UserRef } from './readings';
import { isUsableUserId, unusableUserId } from './users';
import type { SelectedUser, UserSelection } from './userSelection';

/** Without rows if the user was removed, or could not be read for `problem`. */
export interface UserResult extends SelectedUser {
	rows: IDataObject[];
	isGone: boolean;
	/** Since the first request was sent: time in the queue does not count as slowness. */
	tookMs: number;
}

/** What one user may use of a read, in ms since the first request of the user. */
export interface UserBudget {
	/** A request that failed is sent again until then. */
	retryMs: number;
	/** The next request is sent until then. */
	totalMs: number;
}

export interface ReadUsersOptions {
	metric: Metric;
	query: (selected: SelectedUser) => Query;
	selection: UserSelection;
	/** Users with a single attempt for each request. */
	isTriedOnce?: (selected: SelectedUser) => boolean;
	/** Users in progress. The request queue limits the requests. */
	width: number;
	/** Whether results come as they are completed. Default: in the order of the users. */
	asCompleted?: boolean;
	/** Once true, no further user is started. With `asCompleted`, users in the queue are left out, and those requested are awaited. */
	isTimeUp?: () => boolean;
	/** Asked again before each request and retry. Default: no limit. */
	budget?: () => UserBudget;
	collect: Collect;
	/** Called when a user is read, in any order. May throw to stop the read. */
	onRead?: (rows: number) => void;
	/** Called when a user cannot be read, in any order, with the number of users read so far. May throw to stop the read. */
	onUnreadable?: (user: UserRef, problem: Problem, succeeded: number) => void;
	progress?: Progress;
}

/** Users in progress for each concurrent request, so that one slow user does not delay the others. */
export const USERS_PER_REQUEST = 4;

/**
 * Returning from the generator stops the read.
 *
 * @throws Problem that concerns all users, what `onRead` and `onUnreadable` throw, and any error after the read has ended
 */
export async function* readUsers(get: Get, options: ReadUsersOptions): AsyncGenerator<UserResult> {
	const { metric, query, selection, isTriedOnce, collect, onRead, onUnreadable } = options;
	const { width, asCompleted = false, isTimeUp = () => false, progress, budget = () => UNLIMITED } = options;
	const count = progress?.begin(() => selection.expected?.());
	let succeeded = 0;

	async function read(selected: SelectedUser, hasEnded: () => boolean): Promise<UserResult | undefined> {
		const { user } = selected;
		const own: Budget = {
			stoppedBy: () => (own.sentAt !== undefined && tookMs() >= budget().totalMs ? tooSlow() : undefined),
			mayRetry: () => tookMs() < budget().retryMs,
		};
		const tookMs = () => (own.sentAt === undefined ? 0 : performance.now() - own.sentAt);
		const getOfUser: Get = async (path, params, ifMissing, request) =>
			await get(path, params, ifMissing, { ...request, budget: own });
		let isLeftOut = false;
		const isCancelled = () => {
			// A user who was still in the queue when time was up, also if there is more time later.
			isLeftOut ||= asCompleted && own.sentAt === undefined && isTimeUp();
			return hasEnded() || isLeftOut;
		};
		let isGone = false;
		const onMissing = async () => {
			await selection.whenMissing(getOfUser, selected);
			isGone = true;
		};
		const unreadable = (problem: Problem): UserResult => {
			count?.onDone();
			onUnreadable?.(user, problem, succeeded);
			return { ...selected, rows: [], isGone, tookMs: tookMs(), problem };
		};
		if (selected.problem) return unreadable(selected.problem);
		if (!isUsableUserId(user.user_id)) return unreadable(unusableUserId());
		const path = pathOf(metric, selected.sentId ?? user.user_id);
		const pages = readingPages(getOfUser, path, query(selected), onMissing, {
			...(isTriedOnce?.(selected) && SINGLE_ATTEMPT),
			isCancelled,
		});
		let rows: IDataObject[];
		try {
			rows = await collect(pages, user);
		} catch (error) {
			const cancelled = isCancelled();
			if (isLeftOut && !hasEnded()) return undefined;
			return unreadable(problemOfOne(error, cancelled));
		}
		if (isGone) rows = [];
		succeeded++;
		count?.onDone();
		onRead?.(rows.length);
		return { ...selected, rows, isGone, tookMs: tookMs() };
	}

	try {
		yield* concurrentMap(selection.users(get), { width, asCompleted, isTimeUp }, read);
	} finally {
		count?.end();
	}
}

const UNLIMITED: UserBudget = { retryMs: Infinity, totalMs: Infinity };

const tooSlow = () =>
	new Problem(
		'Reading one user takes longer than a poll may last',
		"Lower 'Lookback Hours' in the options. If it stays, ask the people who run the service",
		{ kind: 'temporarily-unavailable' },
	);
