/**
 * Execution of a timeseries operation for one input item: reads users concurrently, stops at Limit, and decides what happens when
 * one user fails (contract 4.1, 4.2).
 */
import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { isTool } from '../../fields/field';
import { limitNote, shortRows } from '../../fields/simplify';
import { failedReport } from '../../messages/report';
import { withUnderscores } from '../../messages/text';
import type { Metric } from '../../service/readings/metrics';
import {
	readUsers,
	USERS_PER_REQUEST,
	type ReadUsersOptions,
	type UserResult,
} from '../../service/readings/readUsers';
import { limitOfUser } from '../../service/readings/rowLimit';
import { sourceTypesProblem } from '../../service/users/provider';
import type { ListEntry, UserSelection } from '../../service/users/selection';
import {
	isConnectedTo,
	shownUserId,
	type UserRef,
} from '../../service/users/users';
import { countOfUsers, Problem, withoutFault } from '../../shared/problem';
import { inColumns, text } from '../../shared/values';
import {
	logFaultOnce,
	runOf,
	unknownProvider,
	type Connection,
	type Execute,
} from '../operation';
import { readOutput } from './options';
import {
	readRequest,
	readSelection,
	type TimeseriesRequest,
} from './parameters';

/** What one input item asks for, and what its rows are read with. */
interface Item {
	context: IExecutePaginationFunctions;
	connection: Connection;
	request: TimeseriesRequest;
	selection: UserSelection;
	/** Source types of all readings that came; empty text for none. */
	types: Set<string>;
}

export function executeTimeseries(metric: Metric): Execute {
	return async (context, connectRun) => {
		try {
			const request = readRequest(context, metric);
			const selection = readSelection(context, request);
			const connection = await connectRun(request);
			const types = new Set<string>();
			const item = { context, connection, request, selection, types };
			const results = await readResults(item);
			return request.output.toMessage
				? messageOf(item, results)
				: rowsOf(item, results);
		} catch (error) {
			return failureOf(context, metric, error);
		}
	};
}

/** In the order of the list. */
async function readResults(item: Item) {
	const { limit } = item.request;
	const results: UserResult[] = [];
	let found = 0;
	let failures = 0;
	const read = new Set<string>();
	for await (const result of readUsers(
		item.connection.get,
		usersOptions(item),
	)) {
		const { user_id } = result.user;
		// Two entries of *User IDs* may name one user.
		if (read.has(user_id) && !result.problem) continue;
		read.add(user_id);
		results.push(result);
		found += result.rows.length;
		if (result.problem) failures++;
		if (limit.isReached(found, failures)) break;
	}
	results.sort((a, b) => a.place - b.place);
	const problem = failures > 0 ? undefined : await wrongFilter(item, results);
	if (problem) throw problem;
	return results;
}

function rowsOf(
	{ context, request, selection }: Item,
	results: readonly UserResult[],
): IDataObject[] {
	const { output, limit } = request;
	const columns = output.columns(request);
	const rows = results.flatMap((result) => result.rows).slice(0, limit.maxRows);
	const isWhole = output.isPerUser && selection.isOne;
	const notes = isWhole
		? []
		: limitNote(context, rows.length, limit.maxRows, ASK_FOR_LESS);
	const failed = results.flatMap((one) => unreadableRow(context, columns, one));
	return [...shortened(request, [...rows, ...failed]), ...notes];
}

const shortened = (request: TimeseriesRequest, rows: IDataObject[]) =>
	request.isSimple
		? shortRows(request.metric, request.output.columns(request), rows)
		: rows;

/** @throws Problem if there are users, and none could be read */
function messageOf(
	{ request, selection }: Item,
	results: readonly UserResult[],
) {
	const problems = results.flatMap(({ problem }) => problem ?? []);
	const isRead = results.some(({ rows }) => rows.length > 0);
	if (problems.length > 0 && !isRead) throw nobodyProblem(problems);
	const row = request.output.toMessage!(request, selection, results);
	if (request.isSimple) row.text = withUnderscores(String(row.text));
	return shortened(request, [row]);
}

function nobodyProblem([first, ...others]: Problem[]) {
	const count = countOfUsers(others.length + 1);
	return first.reworded(
		`Of ${count}, none could be read. ${first.message}`,
		first.description,
	);
}

/**
 * On Error *Continue* with One Message: the next node posts the failure as any other message.
 *
 * @throws the error otherwise
 */
function failureOf(
	context: IExecutePaginationFunctions,
	metric: Metric,
	error: unknown,
) {
	const problem = withoutFault(error);
	const isPosted =
		context.getNode().onError === 'continueRegularOutput' &&
		!isTool(context) &&
		readOutput(context).toMessage !== undefined;
	if (!isPosted || !(problem instanceof Problem)) throw error;
	logFaultOnce(context, problem);
	return [failedReport(metric, problem)];
}

/** With a Limit, users further down the list may not be needed. Without one, a user who fails holds back no other. */
function usersOptions({
	context,
	request,
	selection,
	types,
}: Item): ReadUsersOptions {
	const { metric, output, provider, sourceTypes, limit, rangeOf, concurrency } =
		request;
	const asCompleted = !limit.mayEndEarly;
	const maxRows = output.isPerReading ? limit.maxRows : Infinity;
	const query: ReadUsersOptions['query'] = (selected) => {
		const range = rangeOf(selected).query;
		return range && { ...range, provider };
	};
	return {
		metric,
		query,
		selection,
		width: asCompleted ? USERS_PER_REQUEST * concurrency : concurrency,
		asCompleted,
		sourceTypes,
		onGroups(groups) {
			for (const { data, source } of groups)
				if (data.length > 0) types.add(text(source.type));
		},
		limit: limitOfUser(maxRows),
		held: runOf(context).held,
		toRows: (groups, selected) => output.toRows(request, groups, selected),
		// At once and in any order: a slow user does not delay the error.
		onDone({ user, entry, problem }) {
			if (!problem) return;
			logFaultOnce(context, problem);
			if (selection.isOne) throw problem;
			if (!output.toMessage && !context.continueOnFail())
				throw unreadableProblem(user, entry, problem, isTool(context));
		},
	};
}

/** After a read that found nothing: the problem of a filter that nothing can pass. */
async function wrongFilter(
	{ context, connection, request, types }: Item,
	results: readonly UserResult[],
) {
	const { provider, sourceTypes } = request;
	const isAttended = context.getMode() === 'manual' || isTool(context);
	// Unattended, a morning without a cuff's reading is sound.
	if (types.size > 0)
		return isAttended ? sourceTypesProblem(sourceTypes, types) : undefined;
	const isConnected = ({ record = {} }: UserResult) =>
		isConnectedTo(record, provider);
	if (!provider || results.some(isConnected)) return undefined;
	return await unknownProvider(connection, provider);
}

const ASK_FOR_LESS = 'Ask for fewer users or fewer days';

/** On Error *Stop* with several users. Does not name the client user ID, which may identify a person. */
function unreadableProblem(
	user: UserRef,
	entry: ListEntry | undefined,
	problem: Problem,
	isForTool: boolean,
) {
	const subject = user.user_id
		? `the user ${shownUserId(user.user_id)}`
		: `entry ${entry?.at} of 'User IDs'`;
	// A model cannot change the settings.
	const goOn = isForTool
		? 'To read the others, ask again without this user'
		: "To go on without users who cannot be read, set 'On Error' to Continue in the settings of this node";
	return problem.reworded(
		`The readings of ${subject} could not be read. ${problem.message}`,
		`${problem.description}. ${goOn}`,
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
	columns: readonly string[],
	{ user, problem }: UserResult,
): IDataObject[] {
	if (!problem) return [];
	const { message: error, description } = problem;
	const ids = { ...user, user_id: user.user_id || null };
	if (context.getNode().onError === 'continueErrorOutput')
		return [{ error, details: { ...ids, advice: description } }];
	const row = inColumns(columns, { ...ids, status: NOT_READ });
	return [{ ...row, ...ids, error, details: description }];
}
