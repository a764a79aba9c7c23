/**
 * Timeseries → any metric: the readings of one user or of the whole team, over all pages (contract 4.1, 4.2).
 */
import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { connect } from '../../http/connect';
import { gateOf } from '../../http/gate';
import { inOrder } from '../../shared/inOrder';
import { linkedItems, stopAtTooManyRows } from '../perItem';
import { cursorPages } from '../../service/userPages';
import { runOf } from '../../fields/oncePerRun';
import { GroupedReadings, readingRows, type ReadingOwner } from '../../service/readings';
import { notes, simpleReading } from '../../fields/simplify';
import type { Metric } from '../../service/metrics';
import { readSelection } from './request';

/** Users in work for each request that may be on its way. */
const USERS_PER_REQUEST = 4;

/** Cursor paging of one metric, as the `pagination` of its operation. */
export function cursorPagination(metric: Metric) {
	return async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		return await linkedItems(this, async () => {
			const { query, most, isGrouped, isSimple, concurrency, owners, onMissing } = readSelection(this);
			const get = await connect(this, { defaults: options, gate: gateOf(runOf(this), concurrency) });

			const pagesOf = (owner: ReadingOwner) =>
				cursorPages(get, options.url!.replace('{user_id}', encodeURIComponent(owner.user_id)), query, onMissing);
			const readUser = async (owner: ReadingOwner, isOver: () => boolean) =>
				isGrouped
					? [await grouped(pagesOf(owner), owner, isOver)]
					: await flatRows(pagesOf(owner), metric.columns, owner, most, isOver);

			const rows: IDataObject[] = [];
			// Users further down may be read while one takes its time, unless Limit could make that a waste. The gate keeps to the number.
			const usersAtOnce = most === Infinity ? USERS_PER_REQUEST * concurrency : concurrency;
			for await (const more of inOrder(owners(get), usersAtOnce, readUser)) {
				for (const row of more) if (rows.length < most) rows.push(row);
				stopAtTooManyRows(rows.length);
				if (rows.length >= most) break;
			}
			if (!isSimple) return rows;
			return [...rows.map((row) => simpleReading(row, metric.columns)), ...notes(rows.length, most, query.provider)];
		});
	};
}

type Pages = AsyncIterable<IDataObject>;

/** The readings of one user, `most` at the most; stops early when `isOver`. */
export async function flatRows(pages: Pages, columns: readonly string[], owner: ReadingOwner, most: number, isOver: () => boolean) {
	const rows: IDataObject[] = [];
	for await (const page of pages) {
		for (const row of readingRows(page, columns, owner)) if (rows.length < most) rows.push(row);
		stopAtTooManyRows(rows.length);
		if (rows.length >= most || isOver()) break;
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
