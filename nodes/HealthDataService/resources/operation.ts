/**
 * One run of the node: shared request queue, fields read once, item links, and errors as items. n8n's declarative engine neither
 * links rows to items nor keeps the link of errors.
 */
import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	INodeExecutionData,
	INodePropertyRouting,
	ITaskDataConnections,
} from 'n8n-workflow';
import { isTool } from '../fields/field';
import { connect, type Get } from '../http/client';
import { RequestQueue, type RequestLimits } from '../http/requestQueue';
import { HeldReadings } from '../service/readings/heldReadings';
import { MOST, RowLimit } from '../service/readings/rowLimit';
import { providerProblem } from '../service/users/provider';
import {
	ignoreProblem,
	logFault,
	Problem,
	problemOfAll,
	sentences,
	toNodeError,
	withoutFault,
} from '../shared/problem';

/** Opens the connection with the run's request queue of the item's key and address; the limits of its first call count. */
type ConnectRun = (limits?: RequestLimits) => Promise<Connection>;

/** Reads the rows of one input item. */
export type Execute = (
	context: IExecutePaginationFunctions,
	connectRun: ConnectRun,
) => Promise<IDataObject[]>;

export interface Connection {
	get: Get;
	/** As `Run.once`, for the items with the same key and address. */
	once: Run['once'];
}

/** The `routing` of an operation whose rows `execute` reads, with as many requests as it takes. @param url of the first of them */
export const routingOf = (
	url: string,
	execute: Execute,
): INodePropertyRouting => ({
	request: { method: 'GET', url },
	send: { paginate: true },
	operations: { pagination: perItem(execute) },
});

/** n8n's agent gives a model an empty text where a tool has no item. */
const NO_DATA = { note: 'There is no data for this. It is not an error' };

/** `execute` as an operation's `pagination`, which n8n calls for all input items at the same time. */
export function perItem(execute: Execute) {
	return async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const run = runOf(this);
		const item = this.getItemIndex();
		const linked = (json: IDataObject): INodeExecutionData => ({
			json,
			pairedItem: { item },
		});
		// Without Batching n8n starts all items synchronously. If it cannot start one, because its expression fails, On Error Stop ends the
		// run, and this never goes on. On Error Continue passes it over and uses the others' results (n8n 2.41.1), or ends the run too
		// (2.8.4): their rows are lost then.
		if (!run.isBatched && !this.continueOnFail()) await run.allStarted;
		try {
			const rows = await execute(this, connecting(this, options));
			const isSilent = rows.length === 0 && isTool(this);
			return (isSilent ? [NO_DATA] : rows).map(linked);
		} catch (error) {
			const nodeError = errorOf(this, error);
			const { message, description = null } = nodeError;
			// Without the item's `error` property n8n keeps the details, and adds the input item's own fields in the error output.
			if (this.continueOnFail())
				return [linked({ error: message, details: description })];
			// n8n reports the first item that rejects. This one only failed because another has ended the run.
			if (run.stoppedBy) return [];
			run.stop(error);
			// n8n handles rejections only after it has started all items.
			await run.allStarted;
			throw nodeError;
		}
	};
}

/** An assistant waits a minute for a tool (the MCP SDK). */
const TOOL_RETRY_MS = 30_000;

const connecting =
	(
		context: IExecutePaginationFunctions,
		defaults: DeclarativeRestApiSettings.HttpRequestOptions,
	): ConnectRun =>
	async (limits) => {
		const run = runOf(context);
		let account = '';
		const queueOf = (given: string) => {
			account = given;
			return run.queueOf(account, limits);
		};
		const limitsOfTool = isTool(context) && { retryForMs: TOOL_RETRY_MS };
		const get = await connect(context, { defaults, queueOf, ...limitsOfTool });
		return { get, once: (name, make) => run.once(`${name} ${account}`, make) };
	};

function errorOf(context: IExecutePaginationFunctions, error: unknown) {
	const problem = withoutFault(error);
	logFaultOnce(context, problem);
	const itemIndex = context.getItemIndex();
	// An AI agent gets nothing but the message of an error.
	const told =
		problem instanceof Problem && isTool(context)
			? problem.reworded(sentences(problem.message, problem.description), '')
			: problem;
	return toNodeError(context.getNode(), told, { itemIndex });
}

/** The problem of a provider that no user has. The list is asked once for all items; if it cannot be read, there is none. */
export const unknownProvider = async (
	{ get, once }: Connection,
	slug: string,
	field?: string,
) =>
	await once(
		`provider ${slug}`,
		async () => await providerProblem(get, slug, field).catch(ignoreProblem),
	);

/** In a run with many users, a fault is thrown for each. */
export function logFaultOnce(
	context: IExecutePaginationFunctions,
	error: Error,
) {
	if (error instanceof Problem && error.fault)
		runOf(context).once('fault', () => logFault(context, error));
}

/** Limit of one input item. @param advice what to do instead of reading too many rows, with the fields of the operation */
export function itemLimit(maxRows: number, advice: string): RowLimit {
	const message = `More than ${MOST} rows for one input item are more than n8n can hand on`;
	return new RowLimit(maxRows, problemOfAll(message, advice));
}

export class Run {
	/** Whether *Batching* starts the items one after the other. */
	readonly isBatched: boolean;
	/** With On Error *Stop*: the error of the first item that failed. */
	stoppedBy?: Error;
	/** n8n starts the items in order. */
	lastStarted = -1;
	private readonly lastItem: number;
	readonly held = new HeldReadings();
	/** By key and address, which an expression in the credential may give each item. */
	private readonly queues = new Map<string, RequestQueue>();
	private readonly kept = new Map<string, unknown>();
	private onAllStarted = () => {};
	/** Resolves when all items have started; never, if n8n stopped before: an item with a failing expression is never started. */
	readonly allStarted = new Promise<void>(
		(resolve) => (this.onAllStarted = resolve),
	);

	/** @param context of the first item that n8n starts: n8n reads *Batching* there */
	constructor(context: IExecuteSingleFunctions) {
		// Every context of n8n has `inputData`. With *Execute Once* it has fewer items than the execution data.
		const { inputData } = context as { inputData?: ITaskDataConnections };
		this.lastItem = (inputData?.main?.[0]?.length ?? 1) - 1;
		const interval = 'requestOptions.batching.batch.batchInterval';
		this.isBatched = Number(context.getNodeParameter(interval, 0)) > 0;
	}

	start(item: number) {
		this.lastStarted = item;
		if (item >= this.lastItem) this.onAllStarted();
	}

	/** @param limits count in the first call for an account */
	queueOf(account: string, limits?: RequestLimits): RequestQueue {
		const queue = this.queues.get(account) ?? new RequestQueue(limits);
		this.queues.set(account, queue);
		if (this.stoppedBy) queue.close(this.stoppedBy);
		return queue;
	}

	/** The error of one item ends all. Requests that wait in a queue are not sent. */
	stop(reason: Error) {
		this.stoppedBy = reason;
		for (const queue of this.queues.values()) queue.close(reason);
	}

	/** The result of `make`, called once for all items. An error is not kept. */
	once<T>(name: string, make: () => T): T {
		if (!this.kept.has(name)) this.kept.set(name, make());
		return this.kept.get(name) as T;
	}
}

/** Keys: n8n's execution data of a run, and the context of each item. */
const runs = new WeakMap<object, Run>();

/**
 * The run of an item. n8n's *Retry On Fail* starts the items again with the same execution data, so an item that starts again begins
 * a new run. Each call of a tool is a run.
 */
export function runOf(context: IExecuteSingleFunctions): Run {
	const known = runs.get(context);
	if (known) return known;

	const data = context.getExecuteData();
	const item = context.getItemIndex();
	let run = isTool(context) ? undefined : runs.get(data);
	if (!run || item <= run.lastStarted) run = new Run(context);
	run.start(item);
	runs.set(data, run);
	runs.set(context, run);
	return run;
}

/**
 * Calls `read` once per run if no field has an expression, else for each item: n8n evaluates a field again for each item, which
 * takes as long as a request. An error is not cached.
 *
 * @param except fields that may have an expression; `read` must not read them
 */
export function oncePerRun<T extends object>(
	context: IExecuteSingleFunctions,
	except: string[],
	read: () => T,
): T {
	const fields = Object.entries(context.getNode().parameters).filter(
		([name]) => !except.includes(name),
	);
	// An expression is saved as text that begins with "=".
	if (JSON.stringify(fields).includes('"=')) return read();
	return runOf(context).once('fields', read);
}
