/** Transport: one GET through n8n's request helper, which adds credential, proxy and certificates. */
import type {
	DeclarativeRestApiSettings,
	ICredentialDataDecryptedObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import {
	authenticate,
	serviceRoot,
	type ServiceCredential,
} from './authenticate';
import type { Answer } from './classify';
import { networkError } from './errors';

const CREDENTIAL = 'healthDataServiceApi';

/** n8n's context of an input item, a picker or a poll. */
export type Context =
	| IExecuteSingleFunctions
	| ILoadOptionsFunctions
	| IPollFunctions;

/** Headers, timeout, proxy and SSL, from the node's description and the user's Request Options. */
export type RequestDefaults = DeclarativeRestApiSettings.HttpRequestOptions;

/** Never rejects. */
export type Send = (url: string, signal: AbortSignal) => Promise<Answer>;

type CredentialData = ICredentialDataDecryptedObject & ServiceCredential;

/**
 * The decrypted credential, and its Base URL.
 *
 * @throws Problem when the Base URL cannot be used
 */
export async function readCredential(context: Context) {
	const data = await context.getCredentials<CredentialData>(CREDENTIAL);
	return { data, root: serviceRoot(data) };
}

/**
 * @param credential read once: n8n would load and decrypt it again for each page
 * @throws Problem when the key may not be sent: n8n 2.8.4 drops what `authenticate` throws, as if the connection was broken
 */
export function createSend(
	context: Context,
	{ data, root }: Awaited<ReturnType<typeof readCredential>>,
	defaults: RequestDefaults,
): Send {
	const options = {
		...defaults,
		method: 'GET',
		url: root,
		json: true,
		returnFullResponse: true,
		// classify.ts reads the status, client.ts follows redirects.
		ignoreHttpStatusErrors: true,
	} as IHttpRequestOptions;
	authenticate(data, options);
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data };
	return async (url, abortSignal) => {
		try {
			return await context.helpers.httpRequestWithAuthentication.call(
				withSignal(context, abortSignal),
				CREDENTIAL,
				{ ...options, url, abortSignal },
				{ credentialsDecrypted },
			);
		} catch (error) {
			return networkError(abortSignal.reason ?? error, root);
		}
	};
}

/** n8n's helper prefers the context's signal to that of the request: so the context gets ours. */
const withSignal = (context: Context, signal: AbortSignal) =>
	Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as Context;
