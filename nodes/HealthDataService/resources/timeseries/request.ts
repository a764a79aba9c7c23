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
import type { Query } from '../../http/client';
import type { Metric } from '../../service/metrics';
import type { Collect } from '../../service/readUsers';
import { listedUsers } from '../../service/listedUsers';
import { oneUser } from '../../service/oneUser';
import type { ListSlice } from '../../service/userPages';
import { wholeTeam, type UserSelection } from '../../service/userSelection';
import { daysOf } from './calendar';
import { readDateRange } from './dateRange';
import { readTimeZone, readListSlice } from './options';
import { collectAs, DAILY, READINGS, readOutput } from './output';
import { mostUsers, readLess } from './readLess';

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
	/** What to do when there are too many rows. */
	advice: string;
	selection: UserSelection;
}

/** Whom these fields name usually differs from item to item. */
const NAMES = ['user', 'userIds'];

export function readRequest(context: IExecutePaginationFunctions, metric: Metric): TimeseriesRequest {
	const { usersOf, ...request } = oncePerRun(context, { but: NAMES }, (now) => {
		const provider = readProvider(context);
		const limit = readLimit(context);
		const output = readOutput(context);
		const scope = readUserScope(context);
		const advice = readLess(output, scope);
		const range = readDateRange(context, now, output === DAILY);
		const days = { zone: readTimeZone(context), ...daysOf(range) };
		// The other forms have no columns to leave out.
		const isSimple = output === READINGS && isSimplified(context);
		return {
			query: { ...range, provider },
			limit,
			collect: collectAs(output, metric, { limit, isSimple, days, advice }),
			isSimple,
			concurrency: readConcurrency(context),
			requestsPerSecond: readRequestsPerSecond(context),
			isTeam: scope !== 'one',
			advice,
			usersOf: usersOfScope[scope](context, { provider, limit, most: mostUsers(output, limit, advice) }),
		};
	});
	return { ...request, selection: usersOf(context) };
}

type UsersOf = (context: IExecutePaginationFunctions) => UserSelection;

/** What else the item asks for, as far as it tells how many users are wanted. */
interface Asked {
	provider: string;
	limit: number;
	most?: ListSlice['most'];
}

/** Reads what is the same for all items, and gives what reads the rest. */
const usersOfScope: Record<UserScope, (context: IExecutePaginationFunctions, asked: Asked) => UsersOf> = {
	one(context) {
		const whenNotFound = readWhenNotFound(context);
		return (item) => oneUser(readUser(item), whenNotFound, runOf(item).answers);
	},
	listed(context, { limit }) {
		const by = readUsersBy(context);
		const options = { whenNotFound: readWhenNotFound(context), isLazy: limit !== Infinity };
		return (item) => listedUsers(by, readUserIds(item, by), options);
	},
	all(context, { provider, limit, most }) {
		const connectedTo = readOnlyConnected(context) ? provider : undefined;
		const window = {
			...readListSlice(context),
			ahead: limit === Infinity ? undefined : 0,
			// How many of them have it connected, the list does not say.
			most: connectedTo ? undefined : most,
		};
		const team = wholeTeam(window, connectedTo);
		return () => team;
	},
};
