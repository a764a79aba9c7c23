/**
 * What one input item asks for: all fields of a timeseries operation, checked before anything is sent.
 */
import type { IExecutePaginationFunctions } from 'n8n-workflow';
import { readConcurrency } from '../../fields/concurrency';
import { readLimit } from '../../fields/limit';
import { oncePerRun } from '../../fields/oncePerRun';
import { readOnlyConnected } from '../../fields/onlyConnected';
import { readProvider } from '../../fields/provider';
import { readRequestsPerSecond } from '../../fields/requestsPerSecond';
import { isSimplified } from '../../fields/simplify';
import { isOneUser, readUser } from '../../fields/userScope';
import { readWhenNotFound } from '../../fields/whenNotFound';
import type { Query } from '../../http/connect';
import type { Metric } from '../../service/metrics';
import type { Collect } from '../../service/sweep';
import { oneUser, wholeTeam, type UsersToRead } from '../../service/usersToRead';
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

export function readRequest(context: IExecutePaginationFunctions, metric: Metric): TimeseriesRequest {
	// The user is what usually differs from item to item.
	const { team, whenNotFound, ...request } = oncePerRun(context, { but: ['user'] }, (now) => {
		const provider = readProvider(context);
		const limit = readLimit(context);
		const output = readOutput(context);
		const isOne = isOneUser(context);
		const range = readDateRange(context, now, output === DAILY);
		return {
			query: { ...range, provider },
			limit,
			collect: collectAs(output, metric, limit, { zone: readTimeZone(context), ...daysOf(range) }),
			// The other forms have no columns to leave out.
			isSimple: output === READINGS && isSimplified(context),
			concurrency: readConcurrency(context),
			requestsPerSecond: readRequestsPerSecond(context),
			whenNotFound: isOne ? readWhenNotFound(context) : ('error' as const),
			team: isOne ? undefined : readTeam(context, provider, limit),
		};
	});
	return { ...request, isTeam: team !== undefined, usersToRead: team ?? oneUser(readUser(context), whenNotFound) };
}

function readTeam(context: IExecutePaginationFunctions, provider: string, limit: number): UsersToRead {
	const window = { ...readUserWindow(context), ahead: limit === Infinity ? undefined : 0 };
	return wholeTeam(window, readOnlyConnected(context) ? provider : undefined);
}
