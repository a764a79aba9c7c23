/**
 * From JSON to n8n items, each linked to the input item it came from, error items included.
 */
import type { IDataObject, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { toNodeError } from './problem';

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
