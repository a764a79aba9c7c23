/**
 * What one input item asks for: all fields of a timeseries operation, checked before anything is sent.
 */
import type { IExecutePaginationFunctions } from 'n8n-workflow';
import { readConcurrency } from '../../fields/concurrency';
import { readLimit } from '../../fields/limit';
import { oncePerRun, runOf } from '../../fields/oncePerRun';
import { readOnlyConnected } from '../../fields/onlyConnected';
import { readProvider } from '../../fields/provider';
import { readRequestsPerSecond } from '../../fields/requestsPerSecond';
import { isSimplified } from '../../fields/simplify';
import { readUser } from '../../fields/user';
import { readUserIds } from '../../fields/userIds';
import { readUsersBy } from '../../fields/usersBy';
import { readUserScope, type UserScope } from '../../fields/userScope';
import { readWhenNotFound } from '../../fields/whenNotFound';
import type { Query } from '../../http/connect';
import type { Metric } from '../../service/metrics';
import type { Collect } from '../../service/sweep';
import { listedUsers } from '../../service/listedUsers';
import { oneUser } from '../../service/oneUser';
import { wholeTeam, type UsersToRead } from '../../service/usersToRead';
import { daysOf } from './calendar';
import { readDateRange } from './dateRange';
import { readTimeZone, readUserWindow } from './options';
import { collectAs, DAILY, READINGS, readOutput } from './output';

export interface TimeseriesRequest {
	query: Query & { provider: string };
	/** Items wanted at most. */
	limit: number;
	collect: Collect;
	isSimple: boolean;
	concurrency: number;
	requestsPerSecond?: number;
	/** Whether several users are read, of whom one may be unreadable. */
	isTeam: boolean;
	usersToRead: UsersToRead;
}

/** Whom these fields name usually differs from item to item. */
const NAMES = ['user', 'userIds'];

export function readRequest(context: IExecutePaginationFunctions, metric: Metric): TimeseriesRequest {
	const { usersOf, ...request } = oncePerRun(context, { but: NAMES }, (now) => {
		const provider = readProvider(context);
		const limit = readLimit(context);
		const output = readOutput(context);
		const scope = readUserScope(context);
		const range = readDateRange(context, now, output === DAILY);
		const days = { zone: readTimeZone(context), ...daysOf(range) };
		// The other forms have no columns to leave out.
		const isSimple = output === READINGS && isSimplified(context);
		return {
			query: { ...range, provider },
			limit,
			collect: collectAs(output, metric, { limit, isSimple, days }),
			isSimple,
			concurrency: readConcurrency(context),
			requestsPerSecond: readRequestsPerSecond(context),
			isTeam: scope !== 'one',
			usersOf: usersOfScope[scope](context, provider, limit),
		};
	});
	return { ...request, usersToRead: usersOf(context) };
}

type UsersOf = (context: IExecutePaginationFunctions) => UsersToRead;

/** Reads what is the same for all items, and gives what reads the rest. */
const usersOfScope: Record<
	UserScope,
	(context: IExecutePaginationFunctions, provider: string, limit: number) => UsersOf
> = {
	one(context) {
		const whenNotFound = readWhenNotFound(context);
		return (item) => oneUser(readUser(item), whenNotFound, runOf(item).answers);
	},
	listed(context, _, limit) {
		const by = readUsersBy(context);
		const options = { whenNotFound: readWhenNotFound(context), isLazy: limit !== Infinity };
		return (item) => listedUsers(by, readUserIds(item, by), options);
	},
	all(context, provider, limit) {
		const window = { ...readUserWindow(context), ahead: limit === Infinity ? undefined : 0 };
		const team = wholeTeam(window, readOnlyConnected(context) ? provider : undefined);
		return () => team;
	},
};
