/** Parameters of one input item: all fields of a timeseries operation, validated before the first request. */
import type { DateTime } from 'luxon';
import type { IExecutePaginationFunctions } from 'n8n-workflow';
import {
	readLimit,
	readOnlyConnected,
	readRequestLimits,
	readSourceTypes,
	readWhenNotFound,
} from '../../fields/options';
import { readProvider } from '../../fields/provider';
import { isSimplified } from '../../fields/simplify';
import {
	readUser,
	readUserIds,
	readUsersBy,
	readUserScope,
	type UserScope,
} from '../../fields/users';
import type { Metric } from '../../service/readings/metrics';
import type { RangeOf } from '../../service/readings/range';
import { ofSourceTypes, type Collect } from '../../service/readings/rows';
import type { RowLimit } from '../../service/readings/rowLimit';
import {
	listedUsers,
	oneUser,
	type ResolvedNames,
	type UserSelection,
	wholeTeam,
} from '../../service/users/selection';
import { itemLimit, oncePerRun, runOf } from '../operation';
import { readRangeOf } from './dateRange';
import { readJudgement, readListSlice, readUserTimeZone } from './options';
import { readOutput, type Output } from './output';

export interface TimeseriesRequest {
	/** A slug; empty for all. */
	provider: string;
	sourceTypes: readonly string[];
	limit: RowLimit;
	rangeOf: RangeOf;
	collect: Collect;
	/** The columns of a row, in their order. */
	columns: readonly string[];
	/** For an AI agent: the columns that it gets. */
	shortColumns?: readonly string[];
	concurrency: number;
	requestsPerSecond?: number;
	selection: UserSelection;
}

export function readRequest(
	context: IExecutePaginationFunctions,
	metric: Metric,
): TimeseriesRequest {
	// User and User IDs usually differ from item to item.
	const { selectionOf, ...request } = oncePerRun(
		context,
		{ but: ['user', 'userIds'] },
		(now) => readFields(context, metric, now),
	);
	return { ...request, selection: selectionOf(context) };
}

/** The fields that are the same for all items. */
function readFields(context: IExecutePaginationFunctions, metric: Metric, now: DateTime) {
	const output = readOutput(context);
	const scope = readUserScope(context);
	const provider = readProvider(context);
	const sourceTypes = readSourceTypes(context);
	const limit = itemLimit(readLimit(context), readLess(output, scope));
	const judgement = readJudgement(context, metric, output);
	const { comparesPrevious, onlyStatus } = judgement;
	const { isWholeDays } = output;
	const rangeOf = readRangeOf(context, now, { isWholeDays, comparesPrevious });
	const hasTimeZone = readUserTimeZone(context);
	const options = { ...judgement, provider, sourceTypes, limit, rangeOf, hasTimeZone };
	const columns = output.columns(metric, options);
	return {
		provider,
		sourceTypes,
		limit,
		rangeOf,
		collect: ofSourceTypes(sourceTypes, output.collect(metric, options)),
		columns,
		shortColumns: isSimplified(context) ? output.short(metric) : undefined,
		...readRequestLimits(context),
		selectionOf: readSelection(context, scope, {
			provider,
			limit,
			isUserARow: output.isPerUser === true && onlyStatus.length === 0,
			needsRecord: hasTimeZone || columns.includes('connected'),
		}),
	};
}

interface SelectionOptions {
	provider: string;
	limit: RowLimit;
	/** Whether the list tells how many rows there will be. */
	isUserARow: boolean;
	/** Whether rows depend on the user's record. */
	needsRecord: boolean;
}

/** Reads the fields that are the same for all items, and returns a function that reads the others. */
function readSelection(
	context: IExecutePaginationFunctions,
	scope: UserScope,
	{ provider, limit, isUserARow, needsRecord }: SelectionOptions,
): (item: IExecutePaginationFunctions) => UserSelection {
	const isLazy = limit.mayEndEarly;
	if (scope === 'all') {
		const connectedTo = readOnlyConnected(context) ? provider : undefined;
		// `total` counts all users of the list, connected or not. An error for too many users comes before 100,000 requests.
		const countsAll = isUserARow && !connectedTo;
		const onTotal = countsAll
			? (users: number) => void limit.isReached(users)
			: undefined;
		const team = wholeTeam({ ...readListSlice(context), isLazy, onTotal }, connectedTo);
		return () => team;
	}
	const whenNotFound = readWhenNotFound(context);
	if (scope === 'one')
		return (item) => {
			const resolved = runOf(item).once('names', (): ResolvedNames => new Map());
			return oneUser(readUser(item), { whenNotFound, resolved, needsRecord });
		};
	const by = readUsersBy(context);
	return (item) => listedUsers(by, readUserIds(item, by), { whenNotFound, isLazy });
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
