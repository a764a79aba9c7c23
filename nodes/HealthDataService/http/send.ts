/**
 * One request through n8n's helper, which brings credentials, proxy and certificates.
 */
import type {
	DeclarativeRestApiSettings,
	ICredentialDataDecryptedObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import type { Problem } from '../shared/problem';
import type { ServiceCredential } from './baseUrl';
import type { Deadlines } from './deadlines';
import { explainUnreachable } from './unreachable';

const CREDENTIAL = 'healthDataServiceApi';

/** The part of n8n that a request is sent for: an input item, a picker or a poll. */
export type Context = IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** What the node's description and the user's Request Options say: headers, timeout, proxy, SSL. */
export type RequestDefaults = DeclarativeRestApiSettings.HttpRequestOptions;

/** What became of one request: any status, or why there was none. */
export type Answer = { response: IN8nHttpFullResponse } | { failure: Problem };

export type Send = (url: string) => Promise<Answer>;

export interface SendOptions {
	defaults: RequestDefaults;
	/** The address that errors name. */
	root: string;
	/** The execution's own, which ends a request at once. */
	signal?: AbortSignal;
	/** How long a whole answer may take. */
	limitMs: number;
	deadlines: Deadlines;
}

export const storedCredential = async (context: Context) =>
	await context.getCredentials<ICredentialDataDecryptedObject & ServiceCredential>(CREDENTIAL);

/** Sends GETs with a credential that was read before; n8n would load and decrypt it again for every page. */
export function sender(
	context: Context,
	data: ICredentialDataDecryptedObject,
	{ defaults, root, signal, limitMs, deadlines }: SendOptions,
): Send {
	return async (url) => {
		try {
			const response = await deadlines.within(
				limitMs,
				signal,
				async (abortSignal) =>
					await context.helpers.httpRequestWithAuthentication.call(
						endingWith(context, abortSignal),
						CREDENTIAL,
						{
							...defaults,
							method: 'GET',
							url,
							json: true,
							returnFullResponse: true,
							// Statuses are explained, and redirects followed, by us.
							ignoreHttpStatusErrors: true,
							abortSignal,
						} as IHttpRequestOptions,
						{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data } },
					),
			);
			return { response };
		} catch (error) {
			return { failure: explainUnreachable(error, root) };
		}
	};
}

/** The helper takes the execution's signal in place of any other: so it is shown a context with ours. */
const endingWith = (context: Context, signal: AbortSignal) =>
	Object.create(context, { getExecutionCancelSignal: { value: () => signal } }) as Context;
