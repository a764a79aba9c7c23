/**
 * The work of Timeseries → any metric: users side by side, pages to rows, stop at Limit (contract 4.1, 4.2).
 */
import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { limitNotes, simpleReading } from '../../fields/simplify';
import type { Get } from '../../http/connect';
import type { Metric } from '../../service/metrics';
import { sweep, USERS_PER_REQUEST } from '../../service/sweep';
import { stopAtTooManyRows } from '../perItem';
import { readRequest } from './request';

export function readTimeseries(metric: Metric) {
	return async (
		context: IExecutePaginationFunctions,
		connectRun: (concurrency: number) => Promise<Get>,
	): Promise<IDataObject[]> => {
		const { query, limit, collect, isSimple, concurrency, usersToRead } = readRequest(context, metric);
		const get = await connectRun(concurrency);

		const rows: IDataObject[] = [];
		// Unless Limit could make it a waste.
		const usersAtOnce = limit === Infinity ? USERS_PER_REQUEST * concurrency : concurrency;
		for await (const more of sweep(get, { metric, query, usersToRead, usersAtOnce, collect })) {
			for (const row of more) if (rows.length < limit) rows.push(row);
			stopAtTooManyRows(rows.length);
			if (rows.length >= limit) break;
		}
		if (!isSimple) return rows;
		return [
			...rows.map((row) => simpleReading(row, metric.columns)),
			...limitNotes(rows.length, limit, query.provider),
		];
	};
}
