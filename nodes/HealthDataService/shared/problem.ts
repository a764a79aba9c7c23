/** Problem: an error in words for the user of n8n, its conversion to n8n's error classes, and lines of n8n's log. */
import {
	NodeApiError,
	NodeOperationError,
	type FunctionsBase,
	type INode,
} from 'n8n-workflow';

/** The cause, in the names of n8n's durable scheduler. The first two are transient; a person must change something for the others. */
export type Kind =
	| 'rate-limited'
	| 'temporarily-unavailable'
	| 'credential-invalid'
	| 'configuration-invalid';

type ProblemOptions = Partial<
	Pick<Problem, 'kind' | 'httpCode' | 'concernsAll' | 'retryAfterMs' | 'fault'>
>;

/**
 * `message` says what happened, with the display names of the fields, `description` what to do.
 * Neither holds a key, an identifier or a reading (quirk 22).
 */
export class Problem extends Error {
	readonly kind: Kind;
	readonly httpCode?: string;
	/** Whether all other requests would fail in the same way. False: the problem may concern one user only. */
	readonly concernsAll: boolean = false;
	/** The service's Retry-After, from `at` on. */
	readonly retryAfterMs?: number;
	/** Of a fault of the code, for n8n's log: the class of the error and where it was thrown. */
	readonly fault?: string;
	/** When the problem arose (ms since 1970). */
	readonly at = Date.now();

	constructor(
		message: string,
		readonly description: string,
		{ kind = 'configuration-invalid', ...others }: ProblemOptions = {},
	) {
		super(message);
		this.kind = kind;
		Object.assign(this, others);
	}

	/** The same cause in other words. */
	reworded(message: string, description: string, more: ProblemOptions = {}) {
		const options = { ...this, ...more, description };
		return new Problem(message, description, options);
	}

	/** The same problem, if all other requests have it. */
	ofAll() {
		return this.reworded(this.message, this.description, { concernsAll: true });
	}

	/** Whether the same request may succeed later, without a change. */
	get isTransient() {
		return (
			this.kind === 'rate-limited' || this.kind === 'temporarily-unavailable'
		);
	}
}

/** A problem that all other requests would have. */
export const problemOfAll = (message: string, advice: string) =>
	new Problem(message, advice, { concernsAll: true });

/** The Problem of one of many users. @throws an error that concerns all users, and any error after the read has ended */
export function problemOfOne(error: unknown, hasEnded: boolean): Problem {
	if (hasEnded) throw error;
	const problem = withoutFault(error, "This user's data");
	if (problem instanceof Problem && !problem.concernsAll) return problem;
	throw problem;
}

/** Errors of JavaScript itself: a fault of the code, or an answer that is nested too deep. */
const FAULTS = [TypeError, RangeError, ReferenceError, SyntaxError];
/** Of the stack of a fault, in the log. */
const MAX_FRAMES = 5;

/** The error; for a fault of the code a Problem without its message, in which V8 quotes values. @param what could not be processed */
export function withoutFault(error: unknown, what = 'The data'): Error {
	const given = error as Error;
	if (!FAULTS.some((Fault) => error instanceof Fault)) return given;
	const { name, message, stack = '' } = given;
	const header = `${name}: ${message}`;
	const frames = stack.startsWith(header) ? stack.slice(header.length) : '';
	const lines = frames.split('\n').map((line) => line.trim());
	const where = lines.filter(Boolean).slice(0, MAX_FRAMES);
	return new Problem(
		`${what} could not be processed`,
		"Report this to the authors of the node, with the line that n8n's log has about it: the line holds no data",
		{ fault: `${name} ${where.join(' ')}`.trim() },
	);
}

/** Logs where a fault of the code was thrown. Nothing for another error. */
export function logFault(
	context: Pick<FunctionsBase, 'getWorkflow' | 'getNode' | 'logger'>,
	error: unknown,
) {
	const { fault } = withoutFault(error) as Partial<Problem>;
	if (fault) context.logger.error(logLine(context, fault));
}

/** Whether the service limits the requests: never a failure of one user. */
export const isThrottle = (error: unknown): error is Problem =>
	error instanceof Problem &&
	(error.kind === 'rate-limited' || error.retryAfterMs !== undefined);

/** Of an optional request: undefined for a Problem. @throws any other error */
export function ignoreProblem(error: unknown): undefined {
	if (!(error instanceof Problem)) throw error;
}

/**
 * The problem as an error of n8n's, for the editor, the error output and AI agents. In a picker, the editor shows the description
 * of a NodeApiError only.
 */
export function toNodeError(
	node: INode,
	given: Error,
	{
		itemIndex,
		isPicker = false,
	}: { itemIndex?: number; isPicker?: boolean } = {},
): NodeApiError | NodeOperationError {
	const error = withoutFault(given);
	if (!(error instanceof Problem))
		return new NodeOperationError(node, error, { itemIndex });

	const { message, description, httpCode, kind, retryAfterMs } = error;
	const nodeError =
		httpCode || isPicker
			? // An empty response on purpose: n8n stores and shows the response.
				new NodeApiError(
					node,
					{},
					{ message, description, httpCode, itemIndex },
				)
			: new NodeOperationError(node, message, { description, itemIndex });
	// Read by n8n's durable scheduler.
	return Object.assign(nodeError, {
		failure: { cause: kind, retryAfterMs },
	});
}

/** "1 user", "2,000 users". */
export const countOfUsers = (count: number) =>
	count === 1 ? '1 user' : `${count.toLocaleString('en')} users`;

/** Messages and descriptions end without a full stop, or with one where they are several sentences. */
export const sentences = (...parts: Array<string | false | null | undefined>) =>
	parts
		.flatMap((part) => (part ? [part.trimEnd().replace(/\.?$/, '.')] : []))
		.join(' ');

/** A line for n8n's log with the names of workflow and node: n8n adds neither. As JSON, because a name may have several lines. */
export const logLine = (
	context: Pick<FunctionsBase, 'getWorkflow' | 'getNode'>,
	sentences: string,
) =>
	`Workflow ${JSON.stringify(context.getWorkflow().name)}, node ${JSON.stringify(context.getNode().name)}: ${sentences}`;
