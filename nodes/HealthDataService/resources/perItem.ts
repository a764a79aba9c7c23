/**
 * What every operation does for one input item: the connection of the run, the item's link on every row, the item that
 * an error becomes, and at most as many rows as n8n can take.
 */
import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { runOf } from '../fields/oncePerRun';
import { connect, type Get } from '../http/client';
import { RequestQueue, type RequestLimits } from '../http/requestQueue';
import { Problem, toNodeError } from '../shared/problem';

/** Connects with the request queue of the run: its first item sets the limits. */
export type Connect = (limits?: RequestLimits) => Promise<Get>;

type Read = (context: IExecutePaginationFunctions, connectRun: Connect) => Promise<IDataObject[]>;

/**
 * `read` as an operation's `pagination`, which n8n calls for every input item, for all of them at the same time. Its
 * declarative engine never links rows to items and drops the link of errors, so both are done here.
 *
 * `operations: { pagination: perItem(async (context, connectRun) => { const get = await connectRun(); … return rows; }) }`
 */
export function perItem(read: Read) {
	return async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const run = runOf(this);
		const item = this.getItemIndex();
		const linked = (json: IDataObject): INodeExecutionData => ({ json, pairedItem: { item } });
		const connectRun: Connect = async (limits) =>
			await connect(this, { defaults: options, queue: (run.queue ??= new RequestQueue(limits)) });

		// n8n starts all items in one go. Where it could not start one, for its expression, nobody waits for the others.
		await Promise.resolve();
		if (!run.isWhole && !isBatched(this)) return [];
		try {
			return (await read(this, connectRun)).map(linked);
		} catch (error) {
			const nodeError = toNodeError(this.getNode(), error, { itemIndex: item });
			// Without the item's `error` property n8n keeps the details, and adds the input item's own fields in the error output.
			if (this.continueOnFail()) return [linked({ error: nodeError.message, details: nodeError.description ?? null })];
			// Before n8n waits for it, a rejection would be one that nobody handles.
			await run.whole();
			throw nodeError;
		}
	};
}

/** Whether *Batching* lets n8n start the items one after the other. */
function isBatched(context: IExecutePaginationFunctions): boolean {
	const { batching } = context.getNodeParameter('requestOptions', {}) as {
		batching?: { batch?: { batchInterval?: number } };
	};
	return Number(batching?.batch?.batchInterval) > 0;
}

/** n8n moves the rows of one input item onto the call stack and dies at about 125,000 of them. */
export const MAX_ROWS_PER_ITEM = 100_000;

/** @param advice what to do instead, with the fields of the operation */
export const tooManyRows = (advice: string) =>
	new Problem(
		`More than ${MAX_ROWS_PER_ITEM.toLocaleString('en')} rows for one input item are more than n8n can hand on`,
		advice,
		{ concernsAll: true },
	);

/** Called while rows come in, so that what cannot be handed on is not read to its end. */
export function stopAtTooManyRows(count: number, advice: string) {
	if (count > MAX_ROWS_PER_ITEM) throw tooManyRows(advice);
}
