/**
 * The work of Timeseries → any metric: users side by side, pages to rows, stop at Limit (contract 4.1, 4.2).
 */
import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { limitNotes, simpleReading } from '../../fields/simplify';
import type { Metric } from '../../service/metrics';
import type { UserRef } from '../../service/readings';
import { readUsers, USERS_PER_REQUEST } from '../../service/readUsers';
import type { Problem } from '../../shared/problem';
import { stopAtTooManyRows, type Connect } from '../perItem';
import { readRequest } from './request';
import { unreadableProblem, unreadableRow } from './unreadable';

export function readTimeseries(metric: Metric) {
	return async (context: IExecutePaginationFunctions, connectRun: Connect): Promise<IDataObject[]> => {
		const request = readRequest(context, metric);
		const { query, limit, collect, isSimple, concurrency, isTeam, advice, selection } = request;
		const get = await connectRun(request);

		const onUnreadable = (user: UserRef, problem: Problem, fine: number) => {
			if (!isTeam) throw problem;
			if (!context.continueOnFail()) throw unreadableProblem(user, problem, fine);
		};
		let found = 0;
		// In whatever order they come: somebody who takes long must not let all others be read for nothing.
		const onRead = (count: number) => stopAtTooManyRows(Math.min((found += count), limit), advice);
		// Unless Limit could make it a waste: users further down are read while one is tried again.
		const pace =
			limit === Infinity ? { width: USERS_PER_REQUEST * concurrency, ahead: Infinity } : { width: concurrency };
		const rows: IDataObject[] = [];
		const failed: IDataObject[] = [];
		for await (const { user, rows: more, problem } of readUsers(get, {
			metric,
			query,
			selection,
			...pace,
			collect,
			onRead,
			onUnreadable,
		})) {
			for (const row of more) if (rows.length < limit) rows.push(row);
			if (problem) failed.push(unreadableRow(context, user, problem));
			stopAtTooManyRows(rows.length + failed.length, advice);
			if (rows.length >= limit) break;
		}
		await selection.addClientUserIds?.(get, rows);
		if (!isSimple) return [...rows, ...failed];
		const simple = rows.map((row) => simpleReading(row, metric.columns));
		return [...simple, ...limitNotes(rows.length, limit, query.provider), ...failed];
	};
}
