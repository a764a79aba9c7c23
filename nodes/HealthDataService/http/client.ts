/**
 * Client: `connect` reads the credential and gives `get(path, query)`, the one function that reads the service. Node, trigger
 * and pickers use it.
 */
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../shared/values';
import { redirectTarget } from './authenticate';
import { classifyStatus, isRedirect } from './classify';
import { statusError, unexpectedBodyError } from './errors';
import { keyCheck, type AskList } from './keyCheck';
import type { RequestQueue } from './requestQueue';
import {
	Attempts,
	RETRY_LIMITS,
	type RequestOptions,
	type RetryLimits,
} from './retry';
import {
	createSend,
	readCredential,
	type Context,
	type RequestDefaults,
} from './transport';

export { FEW_ATTEMPTS, SINGLE_ATTEMPT, type RequestOptions } from './retry';
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

/** `get` with these options for each request, unless the request has its own. */
export const withOptions =
	(get: Get, more: RequestOptions): Get =>
	async (path, query, onMissing, options) =>
		await get(path, query, onMissing, { ...more, ...options });

/** Default: the retries of `RETRY_LIMITS`. */
export interface ClientOptions extends Partial<RetryLimits> {
	defaults?: RequestDefaults;
	/** The queue of all requests that are limited together. @param account key and address */
	queueOf: (account: string) => RequestQueue;
	onAnswer?: (headers: IDataObject) => void;
	/** Path of a request that has been answered (keyCheck.ts). */
	sampleOf?: () => string | undefined;
}

/** @throws Problem when the credential's Base URL cannot be used */
export async function connect(
	context: Context,
	{ defaults = {}, queueOf, onAnswer, sampleOf, ...limits }: ClientOptions,
): Promise<Get> {
	const credential = await readCredential(context);
	const { root, data } = credential;
	const queue = queueOf(`${root} ${data.apiKey}`);
	const signal =
		'getExecutionCancelSignal' in context
			? context.getExecutionCancelSignal()
			: undefined;

	const askList: AskList = async (request, path = '/v2/user?limit=1') =>
		await follow(path, { ...request, isProbe: true });
	const keys = keyCheck(queue, askList, sampleOf);
	const send = createSend(context, credential, defaults);
	const options = { ...RETRY_LIMITS, ...limits, ...keys, queue, signal };
	const follow = following(
		root,
		(request) => new Attempts(send, options, request),
	);
	return async (path, query = {}, onMissing, request) => {
		const response = await follow(path + queryString(query), request);
		const { statusCode, body, headers = {} } = response;
		onAnswer?.(headers);
		const isMissing = onMissing && statusCode === 404;
		if (mayConcernAll(statusCode) || (isMissing && !queue.hasData)) {
			await keys.check();
			queue.throwIfClosed(signal);
		}
		return isMissing ? await onMissing() : dataOf(statusCode, body);
	};
}

/** Requests a path, and follows one redirect below `root`. */
const following =
	(root: string, attemptsOf: (request: RequestOptions) => Attempts) =>
	async (path: string, request: RequestOptions = {}) => {
		const url = root + path;
		const response = await attemptsOf(request).untilAnswered(url);
		const target = redirectTarget(response, url, root);
		if (target === undefined) return response;
		return await attemptsOf(request).untilAnswered(target);
	};

const mayConcernAll = (statusCode: number) =>
	classifyStatus(statusCode) === 'denied' || isRedirect(statusCode);

/** @throws Problem for a status other than 200-299, and for a body that is no JSON object */
function dataOf(statusCode: number, body: unknown) {
	// 206: the node never asks for a part.
	if (statusCode < 200 || statusCode > 299 || statusCode === 206)
		throw statusError(statusCode, body);
	if (!isObject(body)) throw unexpectedBodyError(body);
	return body;
}

/** Percent-encodes `+` and other reserved characters (quirk 10), and leaves out blank values: an empty field means "not set". */
function queryString(query: Query) {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		if (value !== undefined && value !== '') search.set(name, String(value));
	}
	return search.size ? `?${search}` : '';
}
