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
} from '../../fields/users';
import type { Metric } from '../../service/readings/metrics';
import {
	listedUsers,
	oneUser,
	type UserSelection,
	wholeTeam,
} from '../../service/users/selection';
import { itemLimit, oncePerRun } from '../operation';
import {
	dateRangeField,
	dateRangeFields,
	RANGES,
	rangeOfUsers,
} from './dateRange';
import { readOptions, timeseriesLimits, timeseriesOptions } from './options';
import { outputField, outputsWhere } from './output';

/** Users come one after the other, their pages in order of time, and in a page one provider after the other. */
const limitFields = returnAllAndLimit(
	"If there are more rows, users, providers and the newest readings may be missing. For all, turn on 'Return All'.",
);

/** A message is of all users. */
const output = outputsWhere(({ toMessage }) => toMessage);

export const timeseriesFields: INodeProperties[] = [
	...userFields,
	...dateRangeFields,
	outputField,
	providerField,
	...hiddenIf({ output }, limitFields),
	simplifyField,
	...timeseriesLimits,
	timeseriesOptions,
];

/** The values of the fields that are the same for all items. */
export type TimeseriesRequest = ReturnType<typeof readFields>;

/** User and User IDs usually differ from item to item. */
const OF_ITEM = ['user', 'userIds'];

export const readRequest = (
	context: IExecutePaginationFunctions,
	metric: Metric,
) => oncePerRun(context, OF_ITEM, () => readFields(context, metric));

function readFields(context: IExecutePaginationFunctions, metric: Metric) {
	const options = readOptions(context, metric);
	const scope = readUserScope(context);
	const provider = readProvider(context);
	const range = readField(context, dateRangeField, toChoiceOf(RANGES));
	const dates = range.dates && {
		startDate: context.getNodeParameter('startDate', ''),
		endDate: context.getNodeParameter('endDate', ''),
	};
	const { isWholeDays, toMessage } = options.output;
	const maxRows = toMessage ? Infinity : readLimit(context);
	/** Whether an AI agent gets short rows. */
	const isSimple = isSimplified(context);
	const ofRange = { ...options, range, dates, isWholeDays };
	const rangeOf = rangeOfUsers(ofRange, DateTime.now());
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
	const { whenNotFound, limit, offset, maxUsers } = request;
	const isLazy = limit.mayEndEarly;
	if (request.scope === 'one') return oneUser(readUser(context), whenNotFound);
	if (request.scope === 'listed') {
		const { by, entries } = readUserIds(context);
		return listedUsers(by, entries, { whenNotFound, isLazy });
	}
	const connectedTo = request.isConnectedOnly ? request.provider : undefined;
	return wholeTeam({ offset, maxUsers, isLazy, connectedTo });
}
