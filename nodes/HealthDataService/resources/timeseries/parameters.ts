/**
 * Parameters of one input item: all fields of a timeseries operation, validated before the first request.
 */
import type { IExecutePaginationFunctions } from 'n8n-workflow';
import {
	readConcurrency,
	readLimit,
	readOnlyConnected,
	readRequestsPerSecond,
	readSourceTypes,
	readWhenNotFound,
} from '../../fields/options';
import { readProvider } from '../../fields/provider';
import { isSimplified } from '../../fields/simplify';
import { readUser, readUserIds, readUsersBy, readUserScope, type UserScope } from '../../fields/users';
import type { Query } from '../../http/client';
import type { Metric } from '../../service/metrics';
import { ofSourceTypes, type Collect } from '../../service/readings';
import type { RowLimit } from '../../service/rowLimit';
import type { ListSlice } from '../../service/userPaginator';
import type { ProviderCheck } from '../../service/providerCheck';
import { listedUsers, oneUser, type UserSelection, wholeTeam } from '../../service/userSelection';
import { itemLimit, oncePerRun, runOf } from '../operation';
import { daysOf } from './calendar';
import { readDateRange } from './dateRange';
import { readListSlice, readTimeZone } from './options';
import { collectAs, DAILY, GROUPED, READINGS, readOutput, SUMMARY } from './output';

export interface TimeseriesRequest {
	range: Query;
	provider: ProviderCheck;
	sourceTypes: readonly string[];
	limit: RowLimit;
	collect: Collect;
	isSimple: boolean;
	concurrency: number;
	requestsPerSecond?: number;
	/** Whether several users are read: then an unreadable one does not concern the others. */
	isSeveral: boolean;
	selection: UserSelection;
}

/** These fields usually differ from item to item. */
const USER_FIELDS = ['user', 'userIds'];

export function readRequest(context: IExecutePaginationFunctions, metric: Metric): TimeseriesRequest {
	const { selectionOf, ...request } = oncePerRun(context, { but: USER_FIELDS }, (now) => {
		const provider = runOf(context).providerCheck(readProvider(context));
		const sourceTypes = readSourceTypes(context);
		const maximum = readLimit(context);
		const output = readOutput(context);
		const scope = readUserScope(context);
		const advice = readLess(output, scope);
		const limit = itemLimit(maximum, advice);
		const range = readDateRange(context, now, output === DAILY || output === SUMMARY);
		const zone = readTimeZone(context);
		const days = { zone, ...daysOf(range) };
		const today = now.setZone(zone).toISODate()!;
		// The other outputs have no columns to leave out.
		const isSimple = output === READINGS && isSimplified(context);
		return {
			range: { ...range },
			provider,
			sourceTypes,
			limit,
			collect: ofSourceTypes(
				sourceTypes,
				collectAs(output, metric, { limit, isSimple, days, today, provider: provider.slug }),
			),
			isSimple,
			concurrency: readConcurrency(context),
			requestsPerSecond: readRequestsPerSecond(context),
			isSeveral: scope !== 'one',
			selectionOf: selectionByScope[scope](context, {
				provider: provider.slug,
				limit,
				// Where each user is a row, the list says how many rows there will be: an error comes before 100,000 requests.
				onTotal: [SUMMARY, GROUPED].includes(output) ? (users) => void limit.isReached(users) : undefined,
			}),
		};
	});
	return { ...request, selection: selectionOf(context) };
}

type SelectionOf = (context: IExecutePaginationFunctions) => UserSelection;

/** Parameters that decide how many users are read. */
interface SelectionParameters {
	provider: string;
	limit: RowLimit;
	onTotal?: ListSlice['onTotal'];
}

/** Reads the fields that are the same for all items, and returns a function that reads the others. */
const selectionByScope: Record<
	UserScope,
	(context: IExecutePaginationFunctions, parameters: SelectionParameters) => SelectionOf
> = {
	one(context) {
		const whenNotFound = readWhenNotFound(context);
		return (item) => oneUser(readUser(item), whenNotFound, runOf(item).resolvedNames);
	},
	listed(context, { limit }) {
		const by = readUsersBy(context);
		const options = { whenNotFound: readWhenNotFound(context), isLazy: limit.mayEndEarly };
		return (item) => listedUsers(by, readUserIds(item, by), options);
	},
	all(context, { provider, limit, onTotal }) {
		const connectedTo = readOnlyConnected(context) ? provider : undefined;
		const slice: ListSlice = {
			...readListSlice(context),
			isLazy: limit.mayEndEarly,
			// `total` counts all users of the list, connected or not.
			onTotal: connectedTo ? undefined : onTotal,
		};
		const team = wholeTeam(slice, connectedTo);
		return () => team;
	},
};

const FEWER_USERS: Record<UserScope, string[]> = {
	one: [],
	listed: ["fewer 'User IDs' in each of several input items"],
	all: ["'Users' set to Listed Users, with the user IDs shared between several input items"],
};

const FEWER_ROWS: Record<string, string[]> = {
	[READINGS]: ["a shorter 'Date Range'", "'Output' set to One Item per Day or One Item per User"],
	[DAILY]: ["a shorter 'Date Range'", "'Output' set to One Item per User"],
	[SUMMARY]: [],
	[GROUPED]: [],
};

/** Advice for too many rows, with the fields that this item shows. */
export const readLess = (output: string, scope: UserScope): string =>
	`Read less in one go: ${[...FEWER_ROWS[output], ...FEWER_USERS[scope]].join(', or ')}`;
