/**
 * What went wrong, in the user's words. Thrown by the plain functions, turned into n8n's own error classes at the edge.
 */
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

/**
 * `message` says what happened in terms of the fields on the screen, `description` what to do about it.
 * Neither ever holds a key or a reading (quirk 22). `httpCode` is set when the service answered; `canPass` when the same
 * may work later without anybody doing anything.
 */
export class Problem extends Error {
	constructor(
		message: string,
		readonly description: string,
		readonly httpCode?: string,
		readonly canPass = false,
	) {
		super(message);
	}
}

/** The same problem as an error that n8n's editor, error output and AI agents know how to show. */
export function toNodeError(node: INode, error: Error, itemIndex?: number): NodeApiError | NodeOperationError {
	if (!(error instanceof Problem)) return new NodeOperationError(node, error, { itemIndex });

	const { message, description, httpCode } = error;
	return httpCode
		? // An empty response on purpose: n8n would store and show whatever it is given.
			new NodeApiError(node, {}, { message, description, httpCode, itemIndex })
		: new NodeOperationError(node, message, { description, itemIndex });
}

/** The same problem for a picker, where the editor shows the description of this class only. */
export function toPickerError(node: INode, error: Error): NodeApiError | NodeOperationError {
	if (!(error instanceof Problem)) return new NodeOperationError(node, error);
	const { message, description, httpCode } = error;
	return new NodeApiError(node, {}, { message, description, httpCode });
}
