/**
 * From JSON to n8n items, each linked to the input item it came from, error items included.
 */
import type { IDataObject, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { Problem, toNodeError } from '../shared/problem';

/**
 * Runs `read` for the current input item. n8n's declarative engine never links items and drops the link of errors,
 * so both are done here: under On Error "Continue" the error becomes an item of its own.
 */
export async function linkedItems(
	context: IExecutePaginationFunctions,
	read: () => Promise<IDataObject[]>,
): Promise<INodeExecutionData[]> {
	const item = context.getItemIndex();
	try {
		const rows = await read();
		return rows.map((json) => ({ json, pairedItem: { item } }));
	} catch (error) {
		const nodeError = toNodeError(context.getNode(), error, item);
		if (!context.continueOnFail()) throw nodeError;
		// Without the item's `error` property n8n keeps the details, and adds the input item's own fields in the error output.
		return [{ json: { error: nodeError.message, details: nodeError.description ?? null }, pairedItem: { item } }];
	}
}

/** n8n moves the rows of one input item onto the call stack and dies at about 125,000 of them. */
const MOST_ROWS_PER_ITEM = 100_000;

/** Called while rows come in, so that what cannot be handed on is not read to its end. */
export function stopAtTooManyRows(count: number) {
	if (count <= MOST_ROWS_PER_ITEM) return;
	throw new Problem(
		`More than ${MOST_ROWS_PER_ITEM.toLocaleString('en')} rows for one input item are more than n8n can hand on`,
		"Read in parts: with a shorter 'Date Range', or part of the users with 'Skip First Users' and 'Limit' or 'Max Users'. 'Output' set to One Item per User makes fewer rows, too",
	);
}
