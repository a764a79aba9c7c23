/**
 * Execution of a timeseries operation for one input item: reads users concurrently, stops at Limit, and decides what happens when
 * one user fails (contract 4.1, 4.2).
 */
import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { limitNotes, shortRow } from '../../fields/simplify';
import type { Metric } from '../../service/readings/metrics';
import type { ReadRange } from '../../service/readings/range';
import { readUsers, USERS_PER_REQUEST, type UserResult } from '../../service/readings/readUsers';
import { notingReadings, providerProblem } from '../../service/users/provider';
import type { UserRef } from '../../service/users/users';
import { shownUserId } from '../../service/users/users';
import { countOfUsers, logLine, type Problem } from '../../shared/problem';
import { runOf, type Connect } from '../operation';
import { readRequest, type TimeseriesRequest } from './parameters';

export function executeTimeseries(metric: Metric) {
	return async (
		context: IExecutePaginationFunctions,
		connectRun: Connect,
	): Promise<IDataObject[]> => {
		const request = readRequest(context, metric);
		const { provider, limit, rangeOf, collect, concurrency, selection, shortColumns } = request;
		const noted = notingReadings(await connectRun(request));
		const { get } = noted;

		// With a Limit, users further down the list may not be needed. Without one, a user who fails holds back no other.
		const onDone = resultCheck(context, request);
		const asCompleted = !limit.mayEndEarly;
		const width = asCompleted ? USERS_PER_REQUEST * concurrency : concurrency;
		const results = readUsers(get, {
			metric,
			query: (selected) => queryOf(rangeOf(selected), provider),
			selection,
			width,
			collect,
			onDone,
			asCompleted,
		});
		const [read, failed]: [IDataObject[], IDataObject[]] = [[], []];
		for await (const { user, place, rows: more, problem } of asCompleted
			? inOrder(results)
			: results) {
			for (const row of more) read.push(row);
			if (problem) failed.push(unreadableRow(context, request, user, problem));
			if (!limit.isReached(read.length, failed.length)) continue;
			// In the editor a hint says so (HealthDataService.node.ts).
			if (place < (selection.lastPlace?.() ?? 0) && context.getMode() !== 'manual')
				logOnce(context, limitEndedRead(limit.maximum, place));
			break;
		}
		if (provider && selection.isWhole && failed.length === 0 && !noted.hasReadings) {
			const problem = await providerProblem(get, provider);
			if (problem) throw problem;
		}
		const rows = limit.keep(read);
		await selection.addClientUserIds?.(get, rows);
		const notes = limitNotes(context, rows.length, {
			limit: limit.maximum,
			advice: ASK_FOR_LESS,
			provider,
			sourceTypes: request.sourceTypes,
		});
		const shown = shortColumns ? rows.map((row) => shortRow(row, shortColumns)) : rows;
		return [...shown, ...notes, ...failed];
	};
}

const ASK_FOR_LESS = 'Ask for fewer days or fewer users, or for a summary per user';

/** Undefined where the range has not begun for a user. */
const queryOf = ({ query, hasBegun }: ReadRange, provider: string) =>
	hasBegun ? { ...query, provider } : undefined;

/** In the order of the users, once all are there. */
async function* inOrder(results: AsyncIterable<UserResult>) {
	const all: UserResult[] = [];
	for await (const one of results) all.push(one);
	yield* all.sort((a, b) => a.place - b.place);
}

/** Counts each user at once, in any order, and throws what ends the read: a slow user does not delay the error. */
function resultCheck(
	context: IExecutePaginationFunctions,
	{ limit, isSeveral }: TimeseriesRequest,
) {
	let found = 0;
	let succeeded = 0;
	return ({ user, rows, problem }: UserResult) => {
		if (problem && !isSeveral) throw problem;
		if (problem && !context.continueOnFail()) throw unreadableProblem(user, problem, succeeded);
		// An entry that was skipped has no user.
		if (!problem && user.user_id) succeeded++;
		limit.isReached((found += rows.length));
	};
}

/** Once a run, not for each item. */
const logOnce = (context: IExecutePaginationFunctions, sentences: string) =>
	runOf(context).once(sentences, () => context.logger.info(logLine(context, sentences)));

const limitEndedRead = (limit: number, users: number) =>
	`'Limit' (${limit.toLocaleString('en')}) ended the read after ${countOfUsers(users)}: those further down the list were not read. Turn on 'Return All' to read all users.`;

/** On Error *Stop* with several users. Does not name the client user ID, which may identify a person. */
function unreadableProblem(user: UserRef, problem: Problem, succeeded: number): Problem {
	const others =
		succeeded === 1 ? '1 other user was' : `${succeeded.toLocaleString('en')} other users were`;
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
	user: UserRef,
	problem: Problem,
): IDataObject {
	const { message: error, description } = problem;
	const ids = { ...user, user_id: user.user_id || null };
	if (context.getNode().onError === 'continueErrorOutput')
		return { error, details: { ...ids, advice: description } };
	const row: IDataObject = Object.fromEntries(columns.map((column) => [column, null]));
	Object.assign(row, ids);
	if ('status' in row) row.status = NOT_READ;
	Object.assign(row, { error, details: description });
	return shortColumns ? shortRow(row, ['status', 'error', 'details']) : row;
}
