/**
 * Timeseries → any metric: the readings of a user over all pages (contract 4.1, 4.2).
 */
import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeParameterResourceLocator,
} from 'n8n-workflow';
import { connect, type Get } from '../../shared/connection';
import { toDateRange, type DateRange } from '../../shared/dates';
import { readMost, text } from '../../shared/fields';
import { linkedItems } from '../../shared/items';
import { cursorPages } from '../../shared/paging';
import { Problem } from '../../shared/problem';
import { GroupedReadings, readingRows, type ReadingOwner } from '../../shared/readings';
import { noSuchClientUser, resolveUser, userId } from '../../shared/users';
import type { Metric } from './metrics';

/** n8n moves the rows of one input item onto the call stack and dies at about 125,000 of them. */
export const MOST_ROWS_PER_ITEM = 100_000;

/** Cursor paging of one metric, as the `pagination` of its operation. */
export function cursorPagination(metric: Metric) {
	return async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		return await linkedItems(this, async () => {
			const most = readMost(this);
			const query = { ...readDateRange(this), provider: locatorValue(this, 'provider').trim() };
			const get = await connect(this, options);
			const owner = await readOwner(this, get);

			const path = options.url!.replace('{user_id}', owner.user_id);
			const pages = cursorPages(get, path, query, noSuchUser);
			return this.getNodeParameter('output', 'readings') === 'grouped'
				? await grouped(pages, owner, most)
				: await flat(pages, metric.columns, owner, most);
		});
	};
}

async function flat(pages: AsyncIterable<IDataObject>, columns: readonly string[], owner: ReadingOwner, most: number) {
	const rows: IDataObject[] = [];
	for await (const page of pages) {
		for (const row of readingRows(page, columns, owner)) if (rows.length < most) rows.push(row);
		if (rows.length >= most) break;
		if (rows.length > MOST_ROWS_PER_ITEM) throw tooManyRows();
	}
	return rows;
}

async function grouped(pages: AsyncIterable<IDataObject>, owner: ReadingOwner, most: number) {
	const readings = new GroupedReadings();
	for await (const page of pages) {
		readings.add(page, most);
		if (readings.count >= most) break;
	}
	return [readings.toItem(owner)];
}

function readDateRange(context: IExecutePaginationFunctions): DateRange {
	const dateRange = context.getNodeParameter('dateRange') as string;
	const zone = text(context.getNodeParameter('options.timeZone', '')).trim() || context.getTimezone();
	if (dateRange !== 'days' && dateRange !== 'times') return toDateRange({ dateRange }, zone);

	const startDate = context.getNodeParameter('startDate', '');
	const endDate = context.getNodeParameter('endDate', '');
	return toDateRange({ dateRange, startDate, endDate }, zone);
}

/** The user of the 'User' field; By Client User ID costs one more request. */
async function readOwner(context: IExecutePaginationFunctions, get: Get): Promise<ReadingOwner> {
	const value = locatorValue(context, 'user');
	if (locatorMode(context, 'user') !== 'clientUserId') return { user_id: userId(value), client_user_id: null };

	const user = await resolveUser(get, value);
	if (!user) throw noSuchClientUser();
	return { user_id: userId(user.user_id), client_user_id: text(user.client_user_id) || null };
}

const locatorMode = (context: IExecutePaginationFunctions, name: string) =>
	(context.getNodeParameter(name, '') as INodeParameterResourceLocator).mode;

/** A locator's value, or the plain value that an expression or an agent put in its place. */
function locatorValue(context: IExecutePaginationFunctions, name: string): string {
	return text(context.getNodeParameter(name, '', { extractValue: true }));
}

const noSuchUser = (): never => {
	throw new Problem(
		"There is no such user: the service does not know the 'User'",
		"Pick the user from the list, or check that the credential's key belongs to the team of this user",
		'404',
	);
};

const tooManyRows = () =>
	new Problem(
		`More than ${MOST_ROWS_PER_ITEM.toLocaleString('en')} readings in one go are more than n8n can hand on`,
		"Choose a shorter 'Date Range', or set 'Output' to One Item per User",
	);
