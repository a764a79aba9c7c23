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
import type { ServiceCredential } from './baseUrl';

const CREDENTIAL = 'healthDataServiceApi';

/** The part of n8n that a request is sent for: an input item, a picker or a poll. */
export type Context = IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** What the node's description and the user's Request Options say: headers, timeout, proxy, SSL. */
export type RequestDefaults = DeclarativeRestApiSettings.HttpRequestOptions;

/** What became of one request: any status, or why there was none. */
export type Answer = { response: IN8nHttpFullResponse } | { failure: Error };

export type Send = (url: string) => Promise<Answer>;

export const storedCredential = async (context: Context) =>
	await context.getCredentials<ICredentialDataDecryptedObject & ServiceCredential>(CREDENTIAL);

/** Sends GETs with a credential that was read before; n8n would load and decrypt it again for every page. */
export function sender(context: Context, data: ICredentialDataDecryptedObject, defaults: RequestDefaults): Send {
	return async (url) => {
		try {
			const response = await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL,
				{
					...defaults,
					method: 'GET',
					url,
					json: true,
					returnFullResponse: true,
					// Statuses are explained, and redirects followed, by us.
					ignoreHttpStatusErrors: true,
				} as IHttpRequestOptions,
				{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data } },
			);
			return { response };
		} catch (failure) {
			return { failure };
		}
	};
}
