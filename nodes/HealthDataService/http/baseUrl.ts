/**
 * The one place that reads the credential's Base URL: node, trigger, pickers and the credential test all come here.
 */
import { Problem } from '../shared/problem';

export interface ServiceCredential {
	baseUrl: string;
	apiKey: string;
	allowHttp?: boolean;
	allowUnauthorizedCerts?: boolean;
	/** n8n adds these two to every credential. */
	allowedHttpRequestDomains?: string;
	allowedDomains?: string;
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether what is sent to this host stays on the machine. */
export const isLoopback = (hostname: string) => LOOPBACK.test(hostname);

/**
 * The address that contract paths are appended to: no trailing slash, no trailing `/v2`
 * (`https://h`, `https://h/`, `https://h/v2` and `https://h/v2/` all give `https://h`).
 *
 * @throws Problem when it is not an http(s) address, or is unencrypted without leave: these are health data.
 */
export function serviceRoot({ baseUrl, allowHttp }: ServiceCredential): string {
	const text = String(baseUrl ?? '').trim();
	const url = URL.canParse(text) ? new URL(text) : undefined;

	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		throw new Problem(
			text ? "'Base URL' in the credential is not a web address" : "'Base URL' in the credential is empty",
			'Enter the full address of the service, starting with https://, e.g. https://api.example.com',
			{ concernsAll: true },
		);
	}
	if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
		throw new Problem(
			"'Base URL' in the credential starts with http://, which would send health data and the API key unencrypted",
			"Change it to https://, or turn on 'Allow Unencrypted HTTP' in the credential if this network is trusted",
			{ concernsAll: true },
		);
	}
	return url.origin + url.pathname.replace(/\/+$/, '').replace(/\/v2$/, '').replace(/\/+$/, '');
}
