/** Concurrent read of many users: results in the order of the users or as they are completed, failures isolated. */
import type { IDataObject } from 'n8n-workflow';
import { Budget, type BudgetLimits } from '../../http/budget';
import { withOptions, type Get, type Query } from '../../http/client';
import { CANCELLED_REQUEST } from '../../http/errors';
import { concurrentMap, type MapOptions } from '../../shared/concurrentMap';
import { instantOf } from '../../shared/dateTime';
import { problemOfOne, type Problem } from '../../shared/problem';
import { text } from '../../shared/values';
import { pathOf, type Metric } from './metrics';
import type { HeldReadings } from './heldReadings';
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
	/** By `performance.now()`. */
	endedAt: number;
}

export interface ReadUsersOptions extends MapOptions {
	metric: Metric;
	/** Undefined for a user who has no readings in the range. */
	query: (selected: SelectedUser) => Query | undefined;
	selection: UserSelection;
	/** Most attempts of each request. Default: those of the client. */
	attemptsOf?: (selected: SelectedUser) => number | undefined;
	/** What one user may use of a read. Default: no limit. */
	budget?: () => BudgetLimits;
	/** In lower case. Default, and without any: all. */
	sourceTypes?: readonly string[];
	/** Called with the readings that come, of any source type. */
	onGroups?: (groups: Group[]) => void;
	/** Of the readings of each user. Default: all. */
	limit?: RowLimit;
	/** What the users of this read share, or those of several reads. */
	held: HeldReadings;
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
	concurrentMap(
		options.selection.users(get),
		options,
		async (selected, hasEnded) => {
			const result = await readUser(get, options, selected, hasEnded);
			if (result) options.onDone?.(result);
			return result;
		},
	);

/** Undefined if the read ended, or `isTimeUp` was true, before the first request was sent. */
async function readUser(
	get: Get,
	options: ReadUsersOptions,
	selected: SelectedUser,
	hasEnded: () => boolean,
) {
	const { attemptsOf, isTimeUp } = options;
	const budget = new Budget(options.budget);
	const getOfUser = withOptions(get, {
		maxAttempts: attemptsOf?.(selected),
		isCancelled: () => hasEnded() || (!budget.isBegun && isTimeUp?.() === true),
		budget,
	});
	const result: UserResult = {
		...selected,
		rows: [],
		isGone: false,
		tookMs: 0,
		endedAt: 0,
	};
	try {
		const found = selected.resolve
			? await selected.resolve(selected, getOfUser)
			: selected;
		Object.assign(result, found);
		if (found) await readInto(result, getOfUser, options);
	} catch (error) {
		if (error === CANCELLED_REQUEST) return undefined;
		result.problem = problemOfOne(error, hasEnded());
	} finally {
		options.held.end(result);
	}
	result.tookMs = budget.ms;
	result.endedAt = performance.now();
	return result;
}

async function readInto(
	result: UserResult,
	get: Get,
	options: ReadUsersOptions,
) {
	const { metric, query, selection, held } = options;
	const { user, sentId = user.user_id } = result;
	if (!isUsableUserId(user.user_id)) throw unusableUserId();
	const onMissing = async () => {
		await throwUnlessSkipped(get, selection, result);
		result.isGone = true;
	};
	const path = pathOf(metric, encodeURIComponent(sentId));
	const room = async () => await held.room(result);
	const pages = readingPages(get, path, query(result), onMissing, room);
	const groups: Group[] = [];
	for await (const more of wantedGroups(pages, options)) {
		groups.push(...more);
		held.add(result, countOf(more));
	}
	if (!result.isGone) result.rows = options.toRows(groups, result);
}

const countOf = (groups: readonly Group[]) =>
	groups.reduce((sum, { data }) => sum + data.length, 0);

/** The groups of each page with one of the source types, up to Limit and what else has the time of the last reading. */
async function* wantedGroups(
	pages: AsyncIterable<IDataObject>,
	{ metric, sourceTypes = [], limit, held, onGroups }: ReadUsersOptions,
): AsyncGenerator<Group[]> {
	const isWanted = ({ source }: Group) =>
		sourceTypes.length === 0 ||
		sourceTypes.includes(text(source.type).toLowerCase());
	let last: Group[] = [];
	let readings = 0;
	let isReached = false;
	for await (const page of pages) {
		const all = groupsOf(page);
		onGroups?.(all);
		const hasAll = isReached && hasOtherTime(metric, last, all);
		const more = all.filter(isWanted);
		yield more;
		readings += countOf(more);
		if (hasAll) return;
		if (countOf(all) > 0) last = all;
		isReached = limit?.isReached(readings) === true;
		if (isReached && readings > held.max) return;
	}
}

/**
 * Whether a page has a time that the one before has not: then the readings before it are all of their time, because pages are in order
 * of time. A read that Limit ends needs that, because a `row_id` depends on the other readings of the time.
 */
function hasOtherTime(
	{ times: [column] }: Metric,
	before: Group[],
	page: Group[],
) {
	const timesOf = (groups: Group[]) =>
		groups.flatMap(({ data }) =>
			data.map((point) => instantOf(point[column]).key),
		);
	const known = new Set(timesOf(before));
	return timesOf(page).some((time) => !known.has(time));
}
