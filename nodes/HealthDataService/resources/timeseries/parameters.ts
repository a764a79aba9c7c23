/** Parameters of one input item: all fields of a timeseries operation, validated before the first request. */
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
import { ofSourceTypes } from '../../service/readings/rows';
import type { RowLimit } from '../../service/readings/rowLimit';
import type { ListSlice } from '../../service/users/list';
import {
	listedUsers,
	oneUser,
	type ResolvedNames,
	type UserSelection,
	wholeTeam,
} from '../../service/users/selection';
import { itemLimit, oncePerRun, runOf } from '../operation';
import { daysOf } from './calendar';
import { readDateRange } from './dateRange';
import { readListSlice, readTimeZone } from './options';
import { collectAs, DAILY, GROUPED, READINGS, readOutput, SUMMARY } from './output';

export function readRequest(context: IExecutePaginationFunctions, metric: Metric) {
	// User and User IDs usually differ from item to item.
	const { selectionOf, ...request } = oncePerRun(context, { but: ['user', 'userIds'] }, (now) => {
		const provider = readProvider(context);
		const sourceTypes = readSourceTypes(context);
		const maximum = readLimit(context);
		const output = readOutput(context);
		const scope = readUserScope(context);
		const limit = itemLimit(maximum, readLess(output, scope));
		const range = readDateRange(context, now, output === DAILY || output === SUMMARY);
		const zone = readTimeZone(context);
		const today = now.setZone(zone).toISODate()!;
		// The other outputs have no columns to leave out.
		const isSimple = output === READINGS && isSimplified(context);
		const shape = { limit, zone, ...daysOf(range), today, provider };
		return {
			query: { ...range, provider },
			provider,
			sourceTypes,
			limit,
			collect: ofSourceTypes(sourceTypes, collectAs(output, metric, shape)),
			isSimple,
			...readRequestLimits(context),
			// One of several users may be unreadable without concerning the others.
			isSeveral: scope !== 'one',
			selectionOf: readSelection(context, scope, {
				provider,
				limit,
				// Where each user is a row, the list says how many rows there will be: an error comes before 100,000 requests.
				onTotal: [SUMMARY, GROUPED].includes(output)
					? (users) => void limit.isReached(users)
					: undefined,
			}),
		};
	});
	return { ...request, selection: selectionOf(context) };
}

/** Reads the fields that are the same for all items, and returns a function that reads the others. */
function readSelection(
	context: IExecutePaginationFunctions,
	scope: UserScope,
	{
		provider,
		limit,
		onTotal,
	}: { provider: string; limit: RowLimit; onTotal?: ListSlice['onTotal'] },
): (item: IExecutePaginationFunctions) => UserSelection {
	if (scope === 'all') {
		const connectedTo = readOnlyConnected(context) ? provider : undefined;
		// `total` counts all users of the list, connected or not.
		const countAll = connectedTo ? undefined : onTotal;
		const slice = { ...readListSlice(context), isLazy: limit.mayEndEarly, onTotal: countAll };
		const team = wholeTeam(slice, connectedTo);
		return () => team;
	}
	const whenNotFound = readWhenNotFound(context);
	if (scope === 'one') return (item) => oneUser(readUser(item), whenNotFound, namesOf(item));
	const by = readUsersBy(context);
	return (item) =>
		listedUsers(by, readUserIds(item, by), { whenNotFound, isLazy: limit.mayEndEarly });
}

const namesOf = (item: IExecutePaginationFunctions) =>
	runOf(item).once('names', (): ResolvedNames => new Map());

const FEWER_USERS: Partial<Record<UserScope, string[]>> = {
	listed: ["fewer 'User IDs' in each of several input items"],
	all: ["'Users' set to Listed Users, with the user IDs shared between several input items"],
};

const FEWER_ROWS: Partial<Record<string, string[]>> = {
	[READINGS]: ["a shorter 'Date Range'", "'Output' set to One Item per Day or One Item per User"],
	[DAILY]: ["a shorter 'Date Range'", "'Output' set to One Item per User"],
};

/** Advice for too many rows, with the fields that this item shows. */
export const readLess = (output: string, scope: UserScope): string =>
	`Read less in one go: ${[...(FEWER_ROWS[output] ?? []), ...(FEWER_USERS[scope] ?? [])].join(', or ')}`;
