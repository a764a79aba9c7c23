/**
 * Client: `connect` reads the credential and gives `get(path, query)`, the one function that reads the service. Node, trigger
 * and pickers use it.
 */
import type { IDataObject } from 'n8n-workflow';
import { isThrottle } from '../shared/problem';
import { isObject } from '../shared/values';
import { classifyStatus, isDenied, isRedirect } from './classify';
import { statusError, unexpectedBodyError } from './errors';
import { keyCheck } from './keyCheck';
import { followOne } from './redirect';
import { RequestQueue } from './requestQueue';
import {
	RETRY_LIMITS,
	SINGLE_ATTEMPT,
	withRetry,
	type RequestOptions,
	type RetryLimits,
	type RetryOptions,
} from './retry';
import {
	createSend,
	readCredential,
	type Context,
	type RequestDefaults,
} from './transport';

export { FEW_ATTEMPTS, SINGLE_ATTEMPT, type Budget, type RequestOptions } from './retry';
export { readCredential } from './transport';

export type Query = Record<string, string | number | undefined>;

/**
 * GETs `path` (contract section 4, already percent-encoded) and gives the JSON object of the answer. Blank query values are not
 * sent. `onMissing` gives the result of a 404, unless the user list is not found either.
 *
 * @throws Problem for every other answer, and without an answer
 */
export type Get = <T = never>(
	path: string,
	query?: Query,
	onMissing?: () => T | Promise<T>,
	options?: RequestOptions,
) => Promise<IDataObject | T>;

/** Default: the retries of `RETRY_LIMITS`, and `continues` as the node's On Error says. */
export interface ClientOptions
	extends Partial<RetryLimits & Pick<RetryOptions, 'continues' | 'ignoreFailure'>> {
	defaults?: RequestDefaults;
	/** Shared by all requests that are limited together. A function gives a queue for each key and address. */
	queue?: RequestQueue | ((account: string) => RequestQueue);
	/** Timeout of a whole answer, at most that of `RETRY_LIMITS`. */
	timeoutMs?: number;
	onAnswer?: (headers: IDataObject) => void;
	/** Whether the first Retry-After asks the user list: refused there too, it is one for all requests, else one for this user. */
	asksList?: boolean;
}

/** @throws Problem when the credential's Base URL cannot be used */
export async function connect(
	context: Context,
	{
		defaults = {},
		queue: given = new RequestQueue({ concurrency: 1 }),
		timeoutMs = RETRY_LIMITS.timeoutMs,
		continues = 'continueOnFail' in context && context.continueOnFail(),
		onAnswer,
		asksList,
		...limits
	}: ClientOptions = {},
): Promise<Get> {
	const credential = await readCredential(context);
	const { root } = credential;
	const key = String(credential.data.apiKey ?? '').trim();
	const queue = typeof given === 'function' ? given(`${root} ${key}`) : given;
	const signal =
		'getExecutionCancelSignal' in context
			? context.getExecutionCancelSignal()
			: undefined;

	const keys = keyCheck(
		queue,
		root,
		async (url) => await follow(url, { isProbe: true, ignoreFailure: true }),
	);
	const send = createSend(context, credential, {
		defaults,
		signal,
		deadlines: queue.deadlines,
		timeoutMs: Math.min(timeoutMs, RETRY_LIMITS.timeoutMs),
	});
	const isListThrottled = async (): Promise<boolean> => {
		const url = root + (queue.sample ?? '/v2/user?limit=1');
		const probe = follow(url, { ...SINGLE_ATTEMPT, isProbe: true });
		return await probe.then(() => false, isThrottle);
	};
	const follow = followOne(
		withRetry(keys.checked(send), {
			...RETRY_LIMITS,
			...limits,
			queue,
			signal,
			continues,
			...(asksList && { isListThrottled }),
		}),
		root,
	);

	return async (path, query = {}, onMissing, options) => {
		const url = root + path + queryString(query);
		const { statusCode, body, headers } = await follow(url, options).catch(
			async (error) => {
				await keys.checkOutage();
				throw error;
			},
		);
		onAnswer?.(headers ?? {});
		const isMissing = onMissing && statusCode === 404;
		if (isMissing && !options?.isListNext) await keys.checkAddress();
		const mayConcernAll = isDenied(classifyStatus(statusCode)) || isRedirect(statusCode);
		if (mayConcernAll) await keys.check();
		if (isMissing || mayConcernAll) queue.throwIfClosed({ signal, continues });
		return isMissing ? await onMissing() : dataOf(statusCode, body);
	};
}

/** @throws Problem for a status other than 200-299, and for a body that is no JSON object */
function dataOf(statusCode: number, body: unknown): IDataObject {
	// 206: the node never asks for a part.
	if (statusCode < 200 || statusCode > 299 || statusCode === 206)
		throw statusError(statusCode, body);
	if (!isObject(body)) throw unexpectedBodyError(body);
	return body;
}

/** Percent-encodes `+` and other reserved characters (quirk 10), and leaves out blank values: an empty field means "not set". */
function queryString(query: Query): string {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		if (value !== undefined && value !== '') search.set(name, String(value));
	}
	return search.size ? `?${search}` : '';
}
