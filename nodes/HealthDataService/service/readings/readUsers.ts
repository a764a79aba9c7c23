/** Concurrent read of many users: results in the order of the users or as they are completed, failures isolated. */
import type { IDataObject } from 'n8n-workflow';
import {
	SINGLE_ATTEMPT,
	type Budget,
	type Get,
	type Query,
	type RequestOptions,
} from '../../http/client';
import { CANCELLED_REQUEST } from '../../http/errors';
import { Stopwatch } from '../../http/stopwatch';
import { concurrentMap, type MapOptions } from '../../shared/concurrentMap';
import { Problem, problemOfOne } from '../../shared/problem';
import { pathOf, type Metric } from './metrics';
import { readingPages } from './pages';
import type { RowLimit } from './rowLimit';
import { groupsOf, type Group } from './rows';
import { isUsableUserId, unusableUserId } from '../users/users';
import {
	throwUnlessSkipped,
	type SelectedUser,
	type UserSelection,
} from '../users/selection';

/** Without rows if the user was removed, or could not be read for `problem`. */
export interface UserResult extends SelectedUser {
	rows: IDataObject[];
	isGone: boolean;
	problem?: Problem;
	/** Without time in the queue. */
	tookMs: number;
}

/** What one user may use of a read, in ms without time in the queue. */
export interface UserBudget {
	/** A request that failed is sent again until then. */
	retryMs: number;
	/** The next request is sent until then. */
	totalMs: number;
}

export interface ReadUsersOptions extends MapOptions {
	metric: Metric;
	/** Undefined for a user who has no readings in the range. */
	query: (selected: SelectedUser) => Query | undefined;
	selection: UserSelection;
	/** Users with a single attempt for each request. */
	isTriedOnce?: (selected: SelectedUser) => boolean;
	/** Asked before each request and retry. Default: no limit. */
	budget?: () => UserBudget;
	/** In lower case. Default: all. */
	sourceTypes?: readonly string[];
	/** Of the readings of each user. Default: all. */
	limit?: RowLimit;
	toRows: (groups: Group[], selected: SelectedUser) => IDataObject[];
	/** Called with each result at once, in any order. May throw to stop the read. */
	onDone?: (result: UserResult) => void;
}

/** Users in progress for each concurrent request, which the request queue limits, so that one slow user does not delay the others. */
export const USERS_PER_REQUEST = 4;

/**
 * Returning from the generator stops the read.
 *
 * @throws Problem that concerns all users, what `onDone` throws, and any error after the read has ended
 */
export const readUsers = (
	get: Get,
	options: ReadUsersOptions,
): AsyncGenerator<UserResult> =>
	concurrentMap(options.selection.users(get), options, async (selected, hasEnded) => {
		const result = await readUser(get, options, selected, hasEnded);
		if (result) options.onDone?.(result);
		return result;
	});

/** Undefined if the read ended, or `isTimeUp` was true, before the first request was sent. */
async function readUser(
	get: Get,
	options: ReadUsersOptions,
	selected: SelectedUser,
	hasEnded: () => boolean,
): Promise<UserResult | undefined> {
	const { isTriedOnce, isTimeUp, budget } = options;
	const own = budgetOf(budget);
	const { spent } = own;
	const request = {
		...(isTriedOnce?.(selected) && SINGLE_ATTEMPT),
		budget: own,
		isCancelled: () => hasEnded() || (!spent.isBegun && isTimeUp?.() === true),
	};
	const result: UserResult = { ...selected, rows: [], isGone: false, tookMs: 0 };
	try {
		const found = selected.resolve
			? await selected.resolve(selected, get, request)
			: selected;
		Object.assign(result, found);
		if (found) await readInto(result, get, options, request);
	} catch (error) {
		if (error === CANCELLED_REQUEST) return undefined;
		result.problem = problemOfOne(error, hasEnded());
	}
	result.tookMs = spent.ms;
	return result;
}

async function readInto(
	result: UserResult,
	get: Get,
	{ metric, query, selection, sourceTypes, limit, toRows }: ReadUsersOptions,
	request: RequestOptions,
) {
	const { user, sentId = user.user_id } = result;
	if (!isUsableUserId(user.user_id)) throw unusableUserId();
	const onMissing = async () => {
		await throwUnlessSkipped(get, selection, result, request);
		result.isGone = true;
	};
	const path = pathOf(metric, encodeURIComponent(sentId));
	const groups: Group[] = [];
	let readings = 0;
	for await (const page of readingPages(get, path, query(result), onMissing, request)) {
		for (const group of groupsOf(page, sourceTypes)) {
			groups.push(group);
			readings += group.data.length;
		}
		if (limit?.isReached(readings)) break;
	}
	if (!result.isGone) result.rows = toRows(groups, result);
}

/** The budget that all requests for one user share. */
function budgetOf(
	limits: () => UserBudget = () => ({ retryMs: Infinity, totalMs: Infinity }),
): Budget {
	const spent = new Stopwatch();
	return {
		spent,
		stoppedBy: () =>
			spent.isBegun && spent.ms >= limits().totalMs ? tooSlow() : undefined,
		mayRetry: () => spent.ms < limits().retryMs,
	};
}

const tooSlow = () =>
	new Problem(
		'Reading one user takes longer than a poll may last',
		"Lower 'Lookback Hours' in the options. If it stays, ask the people who run the service",
		{ kind: 'temporarily-unavailable' },
	);
