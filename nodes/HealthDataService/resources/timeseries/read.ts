/**
 * Timeseries → any metric: the readings of one user or of the whole team, over all pages (contract 4.1, 4.2).
 */
import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { connect } from '../../shared/connection';
import { gateOf } from '../../shared/gate';
import { inOrder } from '../../shared/inOrder';
import { linkedItems } from '../../shared/items';
import { cursorPages } from '../../shared/paging';
import { Problem } from '../../shared/problem';
import { GroupedReadings, readingRows, type ReadingOwner } from '../../shared/readings';
import type { Metric } from './metrics';
import { readSelection } from './selection';

/** n8n moves the rows of one input item onto the call stack and dies at about 125,000 of them. */
export const MOST_ROWS_PER_ITEM = 100_000;

/** Users in work for each request that may be on its way. */
const USERS_PER_REQUEST = 4;

/** Cursor paging of one metric, as the `pagination` of its operation. */
export function cursorPagination(metric: Metric) {
	return async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		return await linkedItems(this, async () => {
			const { query, most, isGrouped, concurrency, owners, onMissing } = readSelection(this);
			const get = await connect(this, { defaults: options, gate: gateOf(this.getExecuteData(), concurrency) });

			const pagesOf = (owner: ReadingOwner) =>
				cursorPages(get, options.url!.replace('{user_id}', encodeURIComponent(owner.user_id)), query, onMissing);
			const readUser = async (owner: ReadingOwner, isOver: () => boolean) =>
				isGrouped
					? [await grouped(pagesOf(owner), owner, isOver)]
					: await flat(pagesOf(owner), metric.columns, owner, most, isOver);

			const rows: IDataObject[] = [];
			// Users further down may be read while one takes its time, unless Limit could make that a waste. The gate keeps to the number.
			const usersAtOnce = most === Infinity ? USERS_PER_REQUEST * concurrency : concurrency;
			for await (const more of inOrder(owners(get), usersAtOnce, readUser)) {
				for (const row of more) if (rows.length < most) rows.push(row);
				if (rows.length >= most) break;
				if (rows.length > MOST_ROWS_PER_ITEM) throw tooManyRows();
			}
			return rows;
		});
	};
}

type Pages = AsyncIterable<IDataObject>;

async function flat(pages: Pages, columns: readonly string[], owner: ReadingOwner, most: number, isOver: () => boolean) {
	const rows: IDataObject[] = [];
	for await (const page of pages) {
		for (const row of readingRows(page, columns, owner)) rows.push(row);
		if (rows.length >= most || isOver()) break;
		if (rows.length > MOST_ROWS_PER_ITEM) throw tooManyRows();
	}
	return rows;
}

async function grouped(pages: Pages, owner: ReadingOwner, isOver: () => boolean) {
	const readings = new GroupedReadings();
	for await (const page of pages) {
		readings.add(page);
		if (isOver()) break;
	}
	return readings.toItem(owner);
}

const tooManyRows = () =>
	new Problem(
		`More than ${MOST_ROWS_PER_ITEM.toLocaleString('en')} rows for one input item are more than n8n can hand on`,
		"Choose a shorter 'Date Range', set 'Output' to One Item per User, or read the users in parts with 'Skip First Users' and 'Max Users'",
	);
