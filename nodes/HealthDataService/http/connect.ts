/**
 * The one way to read the service: node, trigger and pickers all get their `get` here.
 */
import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import { isObject } from '../shared/json';
import { serviceRoot } from './baseUrl';
import { explainStatus, notTheService } from './explain';
import { Gate } from './gate';
import { keyWatch } from './keyWatch';
import { sentWith } from './quote';
import { isRedirect, redirectTarget, strayRedirect } from './redirect';
import { RETRY_LIMITS, withRetry, type Once } from './retry';
import { sender, storedCredential, type Context, type RequestDefaults } from './send';

export type { Once };

export type Query = Record<string, string | number | undefined>;

/**
 * GETs `path` (contract section 4, already percent-encoded) and gives the JSON object that came back.
 * Blank query values are not sent. Throws a Problem for everything else; `onMissing` answers for a 404 of the service's own.
 */
export type Get = <T = never>(
	path: string,
	query?: Query,
	onMissing?: () => T | Promise<T>,
	once?: Once,
) => Promise<IDataObject | T>;

export interface Connection {
	defaults?: RequestDefaults;
	/** Shared by all that must not send too much together. */
	gate?: Gate;
	/** How often a request is sent at most, and for how long it is tried in all. */
	tries?: number;
	withinMs?: number;
	/** By `performance.now()`: nothing is tried again after it. */
	lastTryAt?: number;
	/** How long the whole of one answer may take, where that is less than for others. */
	limitMs?: number;
	/** Whether the others are sent all the same when one request was given up; by itself, what On Error says. */
	continues?: boolean;
}

/** The credential, and the address of the service it names. */
export async function readCredential(context: Context) {
	const data = await storedCredential(context);
	return { data, root: serviceRoot(data) };
}

/**
 * Reads the credential and gives the `get` for it. What can pass is tried again (quirks 19, 20), through the gate.
 *
 * @throws Problem when the credential's Base URL cannot be used
 */
export async function connect(
	context: Context,
	{
		defaults = {},
		gate = new Gate(1),
		tries = RETRY_LIMITS.tries,
		withinMs = RETRY_LIMITS.withinMs,
		limitMs = RETRY_LIMITS.answerMs,
		lastTryAt = Infinity,
		continues = 'continueOnFail' in context && context.continueOnFail(),
	}: Connection = {},
): Promise<Get> {
	const { data, root } = await readCredential(context);
	const signal = 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const sentTo = (url: string) => sentWith(url, String(data.apiKey ?? ''));

	const deadline = { deadlines: gate.deadlines, limitMs: Math.min(limitMs, RETRY_LIMITS.answerMs) };
	const key = keyWatch(gate, root, async (url) => await follow(url, { isProbe: true }));
	const send = key.watched(sender(context, data, { defaults, root, signal, ...deadline }));
	const sendInTurn = withRetry(send, { gate, signal, continues, tries, withinMs, lastTryAt, sentWith: sentTo });

	/** The answer, behind one redirect at most. */
	async function follow(url: string, once?: Once): Promise<IN8nHttpFullResponse> {
		let response = await sendInTurn(url, once);
		if (isRedirect(response)) response = await sendInTurn(redirectTarget(response, url, sentTo(url)), once);
		if (isRedirect(response)) throw strayRedirect(response);
		return response;
	}

	return async (path, query = {}, onMissing, once) => {
		const url = root + path + queryString(query);
		const { statusCode, body } = await follow(url, once);
		if (statusCode === 401 || statusCode === 403) {
			gate.stopIfOver({ signal, continues });
			await key.verdict();
			gate.stopIfOver({ signal, continues });
		}
		if (statusCode === 404 && onMissing && isObject(body) && 'detail' in body) return await onMissing();
		if (statusCode < 200 || statusCode > 299) throw explainStatus(statusCode, body, sentTo(url));
		if (!isObject(body)) throw notTheService(body);
		return body;
	};
}

/** `+` and friends are percent-encoded (quirk 10); blanks are dropped, so that an empty field means "not set". */
function queryString(query: Query): string {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		if (value !== undefined && value !== '') search.set(name, String(value));
	}
	return search.size ? `?${search}` : '';
}
