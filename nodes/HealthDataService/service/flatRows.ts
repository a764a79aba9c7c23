/**
 * From the pages of one user to one row per reading: with its `id` for the node, without for whoever does not show it.
 */
import type { IDataObject } from 'n8n-workflow';
import { instantKey } from './instants';
import type { Metric } from './metrics';
import { identityOf, keysOf, toId, type Identity } from './readingId';
import { readingRows } from './readings';
import type { Collect } from './readUsers';

/** Told how many rows there are, page by page; may throw. */
type Check = (count: number) => void;

/** `limit` rows at most, their `id` empty. */
export const rowsWithoutId =
	({ columns }: Metric, limit: number, check: Check): Collect =>
	async (pages, user, isCancelled) => {
		const rows: IDataObject[] = [];
		for await (const page of pages) {
			for (const row of readingRows(page, columns, user)) if (rows.length < limit) rows.push(row);
			check(rows.length);
			if (rows.length >= limit || isCancelled()) break;
		}
		return rows;
	};

/**
 * `limit` rows at most, `id` first. Which of several readings of an instant is which can be said when all of them are known, so
 * the pages are read on where Limit could part them.
 */
export const rowsWithId = (metric: Metric, limit: number, check: Check): Collect => {
	const identity = identityOf(metric);
	return async (pages, user, isCancelled) => {
		const rows: IDataObject[] = [];
		for await (const page of pages) {
			const more = readingRows(page, metric.columns, user);
			for (const row of more) rows.push(row);
			check(Math.min(rows.length, limit));
			if (isCancelled() || (rows.length >= limit && !mayContinueOnNextPage(identity, rows.slice(0, limit), more)))
				break;
		}
		const keys = keysOf(identity, rows);
		rows.forEach((row, index) => (row.id = toId(identity, keys[index])));
		return rows.slice(0, limit);
	};
};

/** Whether the next page may hold readings of an instant of `wanted`: of one with which a source ends on this page. */
function mayContinueOnNextPage({ key, time }: Identity, wanted: IDataObject[], page: IDataObject[]): boolean {
	const sourceOf = (row: IDataObject) => JSON.stringify(key.map((column) => row[column] || null));
	const ends = new Map(page.map((row) => [sourceOf(row), instantKey(row[time])]));
	return page.length === 0 || wanted.some((row) => ends.get(sourceOf(row)) === instantKey(row[time]));
}
