/**
 * What went wrong, in the user's words. Thrown by the plain functions, turned into n8n's own error classes at the edge.
 */
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

/** Why, in n8n's own words for programs: the first two pass by themselves, for the others somebody must do something. */
export type Kind = 'rate-limited' | 'temporarily-unavailable' | 'credential-invalid' | 'configuration-invalid';

interface ProblemOptions {
	kind?: Kind;
	httpCode?: string;
	concernsAll?: boolean;
	retryAfterMs?: number;
}

/**
 * `message` says what happened in terms of the fields on the screen, `description` what to do about it.
 * Neither ever holds a key or a reading (quirk 22).
 */
export class Problem extends Error {
	readonly kind: Kind;

	/** Set when the service answered. */
	readonly httpCode?: string;

	/** Whether every other request would end the same way; else it may be this user's alone. */
	readonly concernsAll: boolean;

	/** How long the service asked to be left alone. */
	readonly retryAfterMs?: number;

	constructor(
		message: string,
		readonly description: string,
		{
			kind = 'configuration-invalid',
			httpCode,
			concernsAll = kind === 'credential-invalid',
			retryAfterMs,
		}: ProblemOptions = {},
	) {
		super(message);
		this.kind = kind;
		this.httpCode = httpCode;
		this.concernsAll = concernsAll;
		this.retryAfterMs = retryAfterMs;
	}

	/** Whether the same may work later without anybody doing anything. */
	get isTransient() {
		return this.kind === 'rate-limited' || this.kind === 'temporarily-unavailable';
	}
}

/**
 * The same problem as an error that n8n's editor, error output and AI agents know how to show; a picker's as the only class
 * whose description the editor shows there.
 */
export function toNodeError(
	node: INode,
	error: Error,
	{ itemIndex, isPicker = false }: { itemIndex?: number; isPicker?: boolean } = {},
): NodeApiError | NodeOperationError {
	if (!(error instanceof Problem)) return new NodeOperationError(node, error, { itemIndex });

	const { message, description, httpCode, kind, retryAfterMs } = error;
	const nodeError =
		httpCode || isPicker
			? // An empty response on purpose: n8n would store and show whatever it is given.
				new NodeApiError(node, {}, { message, description, httpCode, itemIndex })
			: new NodeOperationError(node, message, { description, itemIndex });
	// What n8n's durable scheduler goes by.
	return Object.assign(nodeError, { failure: { cause: kind, ...(retryAfterMs !== undefined && { retryAfterMs }) } });
}
