/**
 * The one way to send a request: node, trigger and pickers all read the service through `connect`.
 */
import type {
	DeclarativeRestApiSettings,
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import { serviceRoot, type ServiceCredential } from './baseUrl';
import { explainBody, explainStatus, explainUnreachable } from './explain';
import { Problem } from './problem';

export const CREDENTIAL = 'healthDataServiceApi';

export type Query = Record<string, string | number | undefined>;

/**
 * GETs `path` (contract section 4, already percent-encoded) and gives the JSON object that came back.
 * Blank query values are not sent. Throws a Problem for everything else; `onMissing` answers for a 404.
 */
export type Get = <T = never>(path: string, query?: Query, onMissing?: () => T) => Promise<IDataObject | T>;

/** `defaults` carries what the node's description and the user's Request Options say: headers, timeout, proxy, SSL. */
export async function connect(
	context: IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions,
	defaults: DeclarativeRestApiSettings.HttpRequestOptions = {},
): Promise<Get> {
	const data = await context.getCredentials<ICredentialDataDecryptedObject & ServiceCredential>(CREDENTIAL);
	const root = serviceRoot(data);

	const send = async (url: string): Promise<IN8nHttpFullResponse> => {
		try {
			return await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL,
				{
					...defaults,
					method: 'GET',
					url,
					json: true,
					returnFullResponse: true,
					// Status codes are explained below, redirects are followed below: n8n would resend the key anywhere.
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
				} as IHttpRequestOptions,
				// Hands over the credential that was just read; n8n would load and decrypt it again for every page.
				{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data } },
			);
		} catch (error) {
			throw explainUnreachable(error, root);
		}
	};

	return async (path, query = {}, onMissing) => {
		const url = root + path + queryString(query);
		let response = await send(url);
		if (isRedirect(response)) response = await send(redirectTarget(response, url));
		if (isRedirect(response)) throw strayRedirect(response);

		const { statusCode, body } = response;
		if (statusCode === 404 && onMissing) return onMissing();
		if (statusCode < 200 || statusCode > 299) throw explainStatus(statusCode, body);
		if (typeof body !== 'object' || body === null || Array.isArray(body)) throw explainBody(body);
		return body as IDataObject;
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

const isRedirect = ({ statusCode }: IN8nHttpFullResponse) => statusCode >= 300 && statusCode < 400;

/** Where a redirect leads, when that is the same origin (quirk 13: `/v2/user` and `/v2/user/`). The key goes nowhere else. */
function redirectTarget(response: IN8nHttpFullResponse, from: string): string {
	const location = String(response.headers.location ?? '');
	if (!URL.canParse(location, from)) throw strayRedirect(response);

	const target = new URL(location, from);
	if (target.origin === new URL(from).origin) return target.href;
	throw new Problem(
		`The service redirects to another address (${target.origin})`,
		"The API key is not sent there. If that address is right, enter it as 'Base URL' in the credential",
		String(response.statusCode),
	);
}

const strayRedirect = ({ statusCode }: IN8nHttpFullResponse) =>
	new Problem(
		'The service redirects without arriving anywhere',
		"Check 'Base URL' in the credential",
		String(statusCode),
	);
