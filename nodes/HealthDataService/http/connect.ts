/**
 * The one way to read the service: node, trigger and pickers all get their `get` here.
 */
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../shared/json';
import { serviceRoot } from './baseUrl';
import { explainStatus, notTheService } from './explain';
import { Gate } from './gate';
import { isRedirect, redirectTarget, strayRedirect } from './redirect';
import { RETRY_LIMITS, withRetry, type Once } from './retry';
import { sender, storedCredential, type Context, type RequestDefaults } from './send';

export type { Once };

export type Query = Record<string, string | number | undefined>;

/**
 * GETs `path` (contract section 4, already percent-encoded) and gives the JSON object that came back.
 * Blank query values are not sent. Throws a Problem for everything else; `onMissing` answers for a 404.
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
	{ defaults = {}, gate = new Gate(1), tries = RETRY_LIMITS.tries, withinMs = RETRY_LIMITS.withinMs }: Connection = {},
): Promise<Get> {
	const { data, root } = await readCredential(context);
	const continues = 'continueOnFail' in context && context.continueOnFail();
	const signal = 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const send = withRetry(sender(context, data, defaults), { root, gate, signal, continues, tries, withinMs });

	return async (path, query = {}, onMissing, once) => {
		const url = root + path + queryString(query);
		let response = await send(url, once);
		if (isRedirect(response)) response = await send(redirectTarget(response, url), once);
		if (isRedirect(response)) throw strayRedirect(response);

		const { statusCode, body } = response;
		if (statusCode === 404 && onMissing) return await onMissing();
		if (statusCode < 200 || statusCode > 299) throw explainStatus(statusCode, body);
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
