/**
 * The one place that puts the key on a request (contract section 5): node, trigger, pickers, the credential test and n8n's
 * HTTP Request node all come here, so whatever must hold for the key to leave is asked here.
 */
import type { IHttpRequestOptions } from 'n8n-workflow';
import { serviceRoot, type ServiceCredential } from './baseUrl';
import { certificateOptions } from './certificates';
import { checkDomain } from './domains';
import { Problem } from '../shared/problem';

/** n8n would follow a redirect to any origin and send the key along. Its HTTP Request node knows the last two. */
const NO_REDIRECTS = { disableFollowRedirect: true, followRedirect: false, followAllRedirects: false };

/**
 * The request with its key. A path such as `/v2/user` is taken from the credential's Base URL.
 *
 * @throws Problem when the request would carry the key to another origin than that of the Base URL, or where others could read it
 */
export function authenticate(credential: ServiceCredential, request: IHttpRequestOptions): IHttpRequestOptions {
	const root = serviceRoot(credential);
	// n8n's HTTP Request node still hands over the address as `uri`.
	const { uri } = request as { uri?: string };
	const target = uri ?? request.url;

	const url = target.startsWith('/') ? root + target : target;
	if (!URL.canParse(url) || new URL(url).origin !== new URL(root).origin) {
		throw new Problem(
			'The API key is only sent to the Base URL of its credential',
			`Use an address that starts with ${root}`,
			{ concernsAll: true },
		);
	}
	checkDomain(credential, new URL(url).hostname);
	return {
		...request,
		...NO_REDIRECTS,
		...certificateOptions(credential, request, new URL(url)),
		...(uri === undefined ? { url } : { uri: url }),
		// Keys are pasted, often with a line break at the end.
		headers: { ...request.headers, 'x-service-api-key': String(credential.apiKey ?? '').trim() },
	};
}
