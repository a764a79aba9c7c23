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
import { runKey } from '../fields/oncePerRun';
import { connect, type Get } from '../http/connect';
import { CONCURRENT_REQUESTS, gateOf } from '../http/gate';
import { Problem, toNodeError } from '../shared/problem';

/** Connects with the gate of the run: its first item decides how many requests may be on their way. */
type Connect = (concurrency?: number) => Promise<Get>;

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
		const item = this.getItemIndex();
		const connectRun: Connect = async (concurrency = CONCURRENT_REQUESTS) =>
			await connect(this, { defaults: options, gate: gateOf(runKey(this), concurrency) });
		try {
			const rows = await read(this, connectRun);
			return rows.map((json) => ({ json, pairedItem: { item } }));
		} catch (error) {
			const nodeError = toNodeError(this.getNode(), error, { itemIndex: item });
			if (!this.continueOnFail()) throw nodeError;
			// Without the item's `error` property n8n keeps the details, and adds the input item's own fields in the error output.
			return [{ json: { error: nodeError.message, details: nodeError.description ?? null }, pairedItem: { item } }];
		}
	};
}

/** n8n moves the rows of one input item onto the call stack and dies at about 125,000 of them. */
const MAX_ROWS_PER_ITEM = 100_000;

/** Called while rows come in, so that what cannot be handed on is not read to its end. */
export function stopAtTooManyRows(count: number) {
	if (count <= MAX_ROWS_PER_ITEM) return;
	throw new Problem(
		`More than ${MAX_ROWS_PER_ITEM.toLocaleString('en')} rows for one input item are more than n8n can hand on`,
		"Read in parts: with a shorter 'Date Range', or part of the users with 'Skip First Users' and 'Limit' or 'Max Users'. 'Output' set to One Item per User makes fewer rows, too",
	);
}
