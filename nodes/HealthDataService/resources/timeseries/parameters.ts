/** Parameters of one input item: all fields of a timeseries operation, validated before the first request. */
import { DateTime } from 'luxon';
import type { IExecutePaginationFunctions } from 'n8n-workflow';
import { readField, toChoiceOf } from '../../fields/field';
import { readLimit, readProvider } from '../../fields/options';
import { isSimplified } from '../../fields/simplify';
import {
	readUser,
	readUserIds,
	readUserScope,
	type ListedIds,
	type UserScope,
} from '../../fields/users';
import type { Metric } from '../../service/readings/metrics';
import {
	listedUsers,
	oneUser,
	type ResolvedNames,
	type UserIdentifier,
	type UserSelection,
	wholeTeam,
} from '../../service/users/selection';
import { itemLimit, oncePerRun } from '../operation';
import { dateRangeField, RANGES, rangeOfUsers, type TypedDates } from './dateRange';
import { readOptions, type TimeseriesOptions } from './options';
import type { Output, OutputOptions } from './output';

/** The values of all fields. */
export interface TimeseriesRequest extends TimeseriesOptions, OutputOptions {
	/** Whether an AI agent gets short rows. */
	isSimple: boolean;
	/** *User*, or *User IDs*; the whole team without either. */
	user?: UserIdentifier;
	list?: ListedIds;
}

export function readRequest(
	context: IExecutePaginationFunctions,
	metric: Metric,
): TimeseriesRequest {
	const { scope, ...request } = oncePerRun(context, OF_ITEM, () =>
		readFields(context, metric),
	);
	if (scope === 'all') return request;
	if (scope === 'one') return { ...request, user: readUser(context) };
	return { ...request, list: readUserIds(context) };
}

/** User and User IDs usually differ from item to item. */
const OF_ITEM = ['user', 'userIds'];

/** The fields that are the same for all items. */
function readFields(context: IExecutePaginationFunctions, metric: Metric) {
	const options = readOptions(context, metric);
	const { output } = options;
	const scope = readUserScope(context);
	const provider = readProvider(context);
	const range = readField(context, dateRangeField, toChoiceOf(RANGES));
	const dates: TypedDates | undefined = range.dates && {
		startDate: context.getNodeParameter('startDate', ''),
		endDate: context.getNodeParameter('endDate', ''),
	};
	const maxRows = readLimit(context);
	const isSimple = isSimplified(context);

	const limit = itemLimit(maxRows, readLess(output, scope));
	const { isWholeDays } = output;
	const rangeOf = rangeOfUsers({ ...options, range, dates, isWholeDays }, DateTime.now());
	return { ...options, scope, provider, limit, rangeOf, isSimple };
}

const FEWER_USERS: Partial<Record<UserScope, string[]>> = {
	listed: ["fewer 'User IDs' in each of several input items"],
	all: [
		"'Users' set to Listed Users, with the user IDs shared between several input items",
	],
};

/** Advice for too many rows, with the fields that this item shows. */
const readLess = ({ fewerRows }: Pick<Output, 'fewerRows'>, scope: UserScope): string =>
	`Read less in one go: ${[...fewerRows, ...(FEWER_USERS[scope] ?? [])].join(', or ')}`;

/** @param resolved shared by the items of a run */
export function selectionOf(
	request: TimeseriesRequest,
	columns: readonly string[],
	resolved: ResolvedNames,
): UserSelection {
	const { user, list, whenNotFound, limit } = request;
	const isLazy = limit.mayEndEarly;
	if (user) {
		const needsRecord = request.hasTimeZone || columns.includes('connected');
		return oneUser(user, { whenNotFound, resolved, needsRecord });
	}
	if (list) return listedUsers(list.by, list.entries, { whenNotFound, isLazy });
	const { offset, maxUsers, output, onlyStatus } = request;
	const connectedTo = request.isConnectedOnly ? request.provider : undefined;
	// `total` counts all users of the list, connected or not. An error for too many users comes before
	// 100,000 requests.
	const countsAll = output.isPerUser && onlyStatus.length === 0 && !connectedTo;
	const onTotal = countsAll ? (users: number) => void limit.isReached(users) : undefined;
	const pagesOnDemand = isLazy ? 0 : undefined;
	return wholeTeam({ offset, maxUsers, pagesOnDemand, onTotal }, connectedTo);
}
