/**
 * Execution of a timeseries operation for one input item: reads users concurrently, stops at Limit, and decides what happens when
 * one user fails (contract 4.1, 4.2).
 */
import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { limitNotes, shortRow } from '../../fields/simplify';
import type { Metric } from '../../service/readings/metrics';
import type { ReadRange } from '../../service/readings/range';
import {
	readUsers,
	USERS_PER_REQUEST,
	type UserResult,
} from '../../service/readings/readUsers';
import { notingReadings, providerProblem } from '../../service/users/provider';
import type { SelectedUser } from '../../service/users/selection';
import type { UserRef } from '../../service/users/users';
import { shownUserId } from '../../service/users/users';
import { countOfUsers, logLine, type Problem } from '../../shared/problem';
import { runOf, type Execute } from '../operation';
import { readRequest, type TimeseriesRequest } from './parameters';

export const executeTimeseries =
	(metric: Metric): Execute =>
	async (context, connectRun) => {
		const request = readRequest(context, metric);
		const { provider, limit, rangeOf, collect, concurrency, selection, shortColumns } =
			request;
		const noted = notingReadings(await connectRun(request));
		const { get } = noted;

		// With a Limit, users further down the list may not be needed. Without one, a user who fails holds back no other.
		const onDone = resultCheck(context, request);
		const asCompleted = !limit.mayEndEarly;
		const width = asCompleted ? USERS_PER_REQUEST * concurrency : concurrency;
		const query = (selected: SelectedUser) => queryOf(rangeOf(selected), provider);
		const options = { metric, query, selection, width, collect, onDone, asCompleted };
		const results: UserResult[] = [];
		let found = 0;
		let failures = 0;
		for await (const result of readUsers(get, options)) {
			results.push(result);
			found += result.rows.length;
			if (result.problem) failures++;
			if (!limit.isReached(found, failures)) continue;
			logLimit(context, request, result.place);
			break;
		}
		results.sort((a, b) => a.place - b.place);
		const failed = results.flatMap((result) => unreadableRow(context, request, result));
		if (provider && selection.isWhole && failures === 0 && !noted.hasReadings) {
			const problem = await providerProblem(get, provider);
			if (problem) throw problem;
		}
		const rows = limit.keep(results.flatMap((result) => result.rows));
		await selection.addClientUserIds?.(get, rows);
		const notes = limitNotes(context, rows.length, {
			limit: limit.maxRows,
			advice: ASK_FOR_LESS,
			provider,
			sourceTypes: request.sourceTypes,
		});
		const shown = shortColumns ? rows.map((row) => shortRow(row, shortColumns)) : rows;
		return [...shown, ...notes, ...failed];
	};

const ASK_FOR_LESS = 'Ask for fewer days or fewer users, or for a summary per user';

/** Undefined where the range has not begun for a user. */
const queryOf = ({ query, hasBegun }: ReadRange, provider: string) =>
	hasBegun ? { ...query, provider } : undefined;

/** Throws what ends the read, of each user at once and in any order: a slow user does not delay the error. */
function resultCheck(
	context: IExecutePaginationFunctions,
	{ selection }: TimeseriesRequest,
) {
	let succeeded = 0;
	return ({ user, problem }: UserResult) => {
		if (problem && selection.isOne) throw problem;
		if (problem && !context.continueOnFail())
			throw unreadableProblem(user, problem, succeeded);
		// An entry that was skipped has no user.
		if (user.user_id) succeeded++;
	};
}

/** Logs once a run that *Limit* may have cut the rows: an unattended run shows no hint. */
function logLimit(
	context: IExecutePaginationFunctions,
	{ limit: { maxRows }, selection }: TimeseriesRequest,
	users: number,
) {
	const isLast = users >= (selection.lastPlace?.() ?? 0);
	if (isLast || context.getMode() === 'manual') return;
	const line = `'Limit' (${maxRows.toLocaleString('en')}) ended the read after ${countOfUsers(users)}: those further down the list were not read. Turn on 'Return All' to read all users.`;
	runOf(context).once(line, () => context.logger.info(logLine(context, line)));
}

/** On Error *Stop* with several users. Does not name the client user ID, which may identify a person. */
function unreadableProblem(user: UserRef, problem: Problem, succeeded: number): Problem {
	const others =
		succeeded === 1
			? '1 other user was'
			: `${succeeded.toLocaleString('en')} other users were`;
	// Without a user ID, the message names the position in the list.
	const subject = user.user_id
		? `The readings of the user ${shownUserId(user.user_id)} could not be read. `
		: '';
	return problem.reworded(
		subject + problem.message,
		`${problem.description}. So far ${others} read. To go on without users who cannot be read, set 'On Error' to Continue in the settings of this node`,
		{ concernsAll: true },
	);
}

/** In the column `status` of a user who could not be read. */
const NOT_READ = 'not read';

/**
 * On Error *Continue*: a row for the user, with all columns, because n8n's *Sort* misplaces rows without its field. n8n sends only
 * rows of `error`, `message` and `details` to the error output. Error rows follow the other rows, because *Retry On Fail* runs the
 * whole node again if the first row has `error`.
 */
function unreadableRow(
	context: IExecutePaginationFunctions,
	{ columns, shortColumns }: TimeseriesRequest,
	{ user, problem }: UserResult,
): IDataObject[] {
	if (!problem) return [];
	const { message: error, description } = problem;
	const ids = { ...user, user_id: user.user_id || null };
	if (context.getNode().onError === 'continueErrorOutput')
		return [{ error, details: { ...ids, advice: description } }];
	const row: IDataObject = Object.fromEntries(columns.map((column) => [column, null]));
	Object.assign(row, ids);
	if ('status' in row) row.status = NOT_READ;
	Object.assign(row, { error, details: description });
	return [shortColumns ? shortRow(row, ['status', 'error', 'details']) : row];
}
