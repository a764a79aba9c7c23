/**
 * What the fields of a timeseries operation ask for, checked before anything is sent.
 */
import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import type { Query } from '../../http/connect';
import { toDateRange, type DateRange } from './calendar';
import { readMost, text, wholeNumber } from '../../fields/limit';
import { CONCURRENT_REQUESTS } from '../../http/gate';
import { nobody, noSuchUser, oneOwner, teamOwners, type Owners } from '../../service/usersToRead';
import { oncePerRun, readLocator } from '../../fields/oncePerRun';
import { isSimplified } from '../../fields/simplify';

const MOST_CONCURRENT_REQUESTS = 50;

export interface Selection {
	query: Query & { provider: string };
	/** Items wanted at most. */
	most: number;
	isGrouped: boolean;
	isSimple: boolean;
	concurrency: number;
	owners: Owners;
	/** What to make of a user that the service does not know: an empty page, or a Problem. */
	onMissing: () => IDataObject;
}

/** Everything but the users, which is what usually differs from item to item. */
const COMMON_FIELDS = ['provider', 'returnAll', 'limit', 'output', 'simplify', 'userScope', 'options'];

export function readSelection(context: IExecutePaginationFunctions): Selection {
	const { provider, isOneUser, ...common } = oncePerRun(context, COMMON_FIELDS, () => readCommon(context));
	return {
		...common,
		query: { ...oncePerRun(context, DATE_FIELDS, () => readDateRange(context)), provider },
		owners: isOneUser ? oneOwner(readLocator(context, 'user')) : wholeTeam(context, provider, common.most === Infinity),
		onMissing: isOneUser ? noSuchUser : nobody,
	};
}

const readCommon = (context: IExecutePaginationFunctions) => ({
	provider: text(readLocator(context, 'provider').value).trim(),
	isOneUser: context.getNodeParameter('userScope', 'one') === 'one',
	most: readMost(context),
	isGrouped: context.getNodeParameter('output', 'readings') === 'grouped',
	isSimple: isSimplified(context),
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

/** Every user of the team, or of a window of its list; all of them, or those that have the provider connected. */
function wholeTeam(context: IExecutePaginationFunctions, provider: string, isWhole: boolean): Owners {
	const offset = wholeNumber(context.getNodeParameter('options.userOffset', 0), 'Skip First Users', 0);
	const given = context.getNodeParameter('options.userLimit', '');
	const most = given === '' ? Infinity : wholeNumber(given, 'Max Users', 1);
	const onlyConnected = provider !== '' && context.getNodeParameter('options.onlyConnected', false) === true;

	return teamOwners({ offset, most, ahead: isWhole ? undefined : 0 }, onlyConnected ? provider : undefined);
}
