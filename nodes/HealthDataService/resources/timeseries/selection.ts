/**
 * What the fields of a timeseries operation ask for, checked before anything is sent.
 */
import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import type { Get, Query } from '../../shared/connection';
import { toDateRange, type DateRange } from '../../shared/dates';
import { readMost, text, wholeNumber } from '../../shared/fields';
import { CONCURRENT_REQUESTS } from '../../shared/gate';
import { userPages } from '../../shared/paging';
import { oncePerExecution, readLocator } from '../../shared/parameters';
import { Problem } from '../../shared/problem';
import type { ReadingOwner } from '../../shared/readings';
import { isConnectedTo, noSuchClientUser, resolveUser, userId } from '../../shared/users';

const MOST_CONCURRENT_REQUESTS = 50;

export interface Selection {
	query: Query;
	/** Items wanted at most. */
	most: number;
	isGrouped: boolean;
	concurrency: number;
	/** Whose readings, in the order of the team's list. */
	owners: (get: Get) => AsyncIterable<ReadingOwner>;
	/** What to make of a user that the service does not know: an empty page, or a Problem. */
	onMissing: () => IDataObject;
}

/** Everything but the users, which is what usually differs from item to item. */
const COMMON_FIELDS = ['provider', 'returnAll', 'limit', 'output', 'userScope', 'options'];

export function readSelection(context: IExecutePaginationFunctions): Selection {
	const { provider, isOneUser, ...common } = oncePerExecution(context, COMMON_FIELDS, () => readCommon(context));
	return {
		...common,
		query: { ...oncePerExecution(context, DATE_FIELDS, () => readDateRange(context)), provider },
		owners: isOneUser ? oneUser(context) : wholeTeam(context, provider, common.most === Infinity),
		// Somebody who is on the list but gone when their turn comes was removed in between.
		onMissing: isOneUser ? noSuchUser : () => ({ groups: {} }),
	};
}

const readCommon = (context: IExecutePaginationFunctions) => ({
	provider: text(readLocator(context, 'provider').value).trim(),
	isOneUser: context.getNodeParameter('userScope', 'one') === 'one',
	most: readMost(context),
	isGrouped: context.getNodeParameter('output', 'readings') === 'grouped',
	concurrency: readConcurrency(context),
});

/** Read together, so that "now" is the same for all items. */
const DATE_FIELDS = ['dateRange', 'startDate', 'endDate', 'options'];

function readDateRange(context: IExecutePaginationFunctions): DateRange {
	const dateRange = context.getNodeParameter('dateRange') as string;
	const zone = text(context.getNodeParameter('options.timeZone', '')).trim() || context.getTimezone();
	if (dateRange !== 'days' && dateRange !== 'times') return toDateRange({ dateRange }, zone);

	const startDate = context.getNodeParameter('startDate', '');
	const endDate = context.getNodeParameter('endDate', '');
	return toDateRange({ dateRange, startDate, endDate }, zone);
}

function readConcurrency(context: IExecutePaginationFunctions): number {
	const most = wholeNumber(context.getNodeParameter('options.concurrency', CONCURRENT_REQUESTS), 'Concurrent Requests', 1);
	return Math.min(most, MOST_CONCURRENT_REQUESTS);
}

/** The user of the 'User' field; By Client User ID costs one more request. */
function oneUser(context: IExecutePaginationFunctions): Selection['owners'] {
	const { mode, value } = readLocator(context, 'user');
	const known = mode === 'clientUserId' ? undefined : { user_id: userId(value), client_user_id: null };

	return async function* (get) {
		if (known) return yield known;
		const user = await resolveUser(get, value);
		if (!user) throw noSuchClientUser();
		yield ownerOf(user);
	};
}

/** Every user of the team, or of a window of its list; all of them, or those that have the provider connected. */
function wholeTeam(context: IExecutePaginationFunctions, provider: string, isWhole: boolean): Selection['owners'] {
	const offset = wholeNumber(context.getNodeParameter('options.userOffset', 0), 'Skip First Users', 0);
	const given = context.getNodeParameter('options.userLimit', '');
	const most = given === '' ? Infinity : wholeNumber(given, 'Max Users', 1);
	const onlyConnected = provider !== '' && context.getNodeParameter('options.onlyConnected', false) === true;

	return async function* (get) {
		for await (const users of userPages(get, { offset, most, ahead: isWhole ? undefined : 0 })) {
			for (const user of users) if (!onlyConnected || isConnectedTo(user, provider)) yield ownerOf(user);
		}
	};
}

const ownerOf = ({ user_id, client_user_id }: IDataObject): ReadingOwner => ({
	user_id: String(user_id),
	client_user_id: text(client_user_id) || null,
});

const noSuchUser = (): never => {
	throw new Problem(
		"There is no such user: the service does not know the 'User'",
		"Pick the user from the list, or check that the credential's key belongs to the team of this user",
		'404',
	);
};
