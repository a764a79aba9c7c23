/**
 * Over which connections the key may leave: who may edit a workflow, and so its proxy and its certificates, must not be able
 * to read the key. Only the credential says otherwise.
 */
import type { IHttpRequestOptions } from 'n8n-workflow';
import { Problem } from '../shared/problem';
import { isLoopback, type ServiceCredential } from './baseUrl';

/** What nodes set of a connection. n8n's HTTP Request node calls the same things differently. */
type Connecting = Pick<IHttpRequestOptions, 'skipSslCertificateValidation'> & {
	rejectUnauthorized?: boolean;
	proxy?: unknown;
	agentOptions?: { ca?: unknown; rejectUnauthorized?: boolean };
};

/** Both of n8n's ways to say it. */
const UNCHECKED = { skipSslCertificateValidation: true, rejectUnauthorized: false };

/**
 * What to set beside what the node has set.
 *
 * @throws Problem when somebody beside the service could read the key
 */
export function certificateOptions({ allowUnauthorizedCerts }: ServiceCredential, request: Connecting, url: URL) {
	const { proxy, agentOptions } = request;
	if (!allowUnauthorizedCerts && (isUnchecked(request) || isUnchecked(agentOptions ?? {}))) {
		throw refused(
			"'Ignore SSL Issues' of a node is not enough to send the API key over a connection that is not checked",
			"Turn it off in the node, or turn on 'Ignore SSL Issues (Insecure)' in the credential",
		);
	}
	if (!allowUnauthorizedCerts && agentOptions?.ca) {
		throw refused(
			'The API key is not sent to whom only a certificate authority of the node knows',
			"Take it out of the node's SSL certificates. n8n itself can be told of it, with NODE_EXTRA_CA_CERTS",
		);
	}
	const isChecked = url.protocol === 'https:' && !allowUnauthorizedCerts;
	if (proxy && !isChecked && !(isLoopback(url.hostname) && isLoopback(hostOf(proxy)))) {
		throw refused(
			'A proxy of a node could read the API key, because the connection to the service is not encrypted and checked',
			"Take 'Proxy' out of the node's options. Whoever runs n8n can set one for all of it, with HTTP_PROXY and HTTPS_PROXY",
		);
	}
	return allowUnauthorizedCerts ? UNCHECKED : {};
}

const isUnchecked = ({
	skipSslCertificateValidation,
	rejectUnauthorized,
}: Pick<Connecting, 'skipSslCertificateValidation' | 'rejectUnauthorized'>) =>
	Boolean(skipSslCertificateValidation) || (rejectUnauthorized !== undefined && !rejectUnauthorized);

/** n8n hands a proxy over as an address, or in its parts. */
function hostOf(proxy: unknown): string {
	const host = typeof proxy === 'string' ? proxy : String((proxy as { host?: unknown }).host ?? '');
	const url = host.includes('://') ? host : `http://${host.includes(':') ? `[${host}]` : host}`;
	return URL.canParse(url) ? new URL(url).hostname : '';
}

const refused = (message: string, advice: string) => new Problem(message, advice, { concernsAll: true });
