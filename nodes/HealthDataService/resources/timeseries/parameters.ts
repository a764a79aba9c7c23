/** Parameters: all fields of a timeseries operation in their order on the screen, and their values, validated before the first request. */
import { DateTime } from 'luxon';
import type {
	IExecutePaginationFunctions,
	INodeProperties,
} from 'n8n-workflow';
import { hiddenIf, readField, toChoiceOf } from '../../fields/field';
import {
	providerField,
	readLimit,
	readProvider,
	returnAllAndLimit,
} from '../../fields/options';
import { isSimplified, simplifyField } from '../../fields/simplify';
import {
	readUser,
	readUserIds,
	readUserScope,
	userFields,
	type UserScope,
} from '../../fields/users';
import type { Metric } from '../../service/readings/metrics';
import type { RowLimit } from '../../service/readings/rowLimit';
import type { SummaryOptions } from '../../service/readings/summary';
import {
	listedUsers,
	oneUser,
	type ResolvedNames,
	type UserSelection,
	wholeTeam,
} from '../../service/users/selection';
import { itemLimit, oncePerRun, runOf } from '../operation';
import {
	dateRangeField,
	dateRangeFields,
	RANGES,
	rangeOfUsers,
	type TypedDates,
} from './dateRange';
import {
	readOptions,
	timeseriesLimits,
	timeseriesOptions,
	type TimeseriesOptions,
} from './options';
import { outputField, OUTPUTS } from './output';

const SEVERAL_USERS_HINT =
	"Stops after this many rows, so only the first users are read. For everybody, or the newest readings, turn on 'Return All'.";
/** Pages are in order of time; the contract has no other order. */
const ONE_USER_HINT =
	"Stops after this many rows, which are the earliest. For the newest readings, turn on 'Return All'.";

/** A message is of all users. */
const MESSAGES = OUTPUTS.filter(({ toMessage }) => toMessage).map(
	({ value }) => value,
);

export const timeseriesFields: INodeProperties[] = [
	...userFields('retrieve'),
	...dateRangeFields,
	outputField,
	providerField,
	...hiddenIf(
		{ output: MESSAGES },
		returnAllAndLimit(
			{ hint: SEVERAL_USERS_HINT, hide: { userScope: ['one'] } },
			{ hint: ONE_USER_HINT, hide: { userScope: [{ _cnd: { not: 'one' } }] } },
		),
	),
	simplifyField,
	...timeseriesLimits,
	timeseriesOptions,
];

/** The values of the fields that are the same for all items. */
export interface TimeseriesRequest extends TimeseriesOptions, SummaryOptions {
	limit: RowLimit;
	scope: UserScope;
	/** Whether an AI agent gets short rows. */
	isSimple: boolean;
}

/** User and User IDs usually differ from item to item. */
const OF_ITEM = ['user', 'userIds'];

export function readRequest(
	context: IExecutePaginationFunctions,
	metric: Metric,
): TimeseriesRequest {
	return oncePerRun(context, OF_ITEM, () => readFields(context, metric));
}

function readFields(context: IExecutePaginationFunctions, metric: Metric) {
	const options = readOptions(context, metric);
	const scope = readUserScope(context);
	const provider = readProvider(context);
	const range = readField(context, dateRangeField, toChoiceOf(RANGES));
	const dates: TypedDates | undefined = range.dates && {
		startDate: context.getNodeParameter('startDate', ''),
		endDate: context.getNodeParameter('endDate', ''),
	};
	const maxRows = options.output.toMessage ? Infinity : readLimit(context);
	const isSimple = isSimplified(context);

	const { isWholeDays } = options.output;
	const rangeOf = rangeOfUsers(
		{ ...options, range, dates, isWholeDays },
		DateTime.now(),
	);
	const limit = itemLimit(maxRows, READ_LESS);
	return { ...options, scope, provider, limit, rangeOf, isSimple };
}

const READ_LESS =
	"Read less in one go: a shorter 'Date Range', 'Output' set to One Item per Day or One Item per User, or 'Users' set to Listed Users, with the user IDs shared between several input items";

/** *Users*, with *User* or *User IDs* of the item. */
export function readSelection(
	context: IExecutePaginationFunctions,
	request: TimeseriesRequest,
): UserSelection {
	const { scope, whenNotFound, limit, offset, maxUsers, output, onlyStatus } =
		request;
	const isLazy = limit.mayEndEarly;
	if (scope === 'one') {
		const resolved = runOf(context).once(
			'names',
			(): ResolvedNames => new Map(),
		);
		return oneUser(readUser(context), { whenNotFound, resolved });
	}
	if (scope === 'listed') {
		const { by, entries } = readUserIds(context);
		return listedUsers(by, entries, { whenNotFound, isLazy });
	}
	const connectedTo = request.isConnectedOnly ? request.provider : undefined;
	const isRowPerUser = output.isPerUser && onlyStatus.length === 0;
	// An error for too many users comes before 100,000 requests.
	const onCount =
		isRowPerUser && !connectedTo && !isLazy
			? (users: number) => void limit.isReached(users)
			: undefined;
	const pagesAhead = isLazy ? 0 : undefined;
	return wholeTeam({ offset, maxUsers, pagesAhead, connectedTo, onCount });
}
