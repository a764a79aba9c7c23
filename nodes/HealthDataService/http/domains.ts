/**
 * n8n's own field *Allowed HTTP Request Domains*, which n8n adds to the credential and does not apply to pickers and triggers.
 */
import { Problem } from '../shared/problem';
import type { ServiceCredential } from './baseUrl';

/**
 * `none` concerns n8n's HTTP Request node, which keeps it itself. As in n8n, `*.example.com` means what is below that domain.
 *
 * @throws Problem when the credential does not allow this host
 */
export function checkDomain({ allowedHttpRequestDomains, allowedDomains }: ServiceCredential, hostname: string) {
	if (allowedHttpRequestDomains !== 'domains') return;
	const allowed = String(allowedDomains ?? '')
		.split(',')
		.map(bare);
	if (allowed.some((domain) => isWithin(bare(hostname), domain))) return;
	throw new Problem(
		`The credential does not allow requests to ${hostname}`,
		"Add it to 'Allowed Domains' in the credential, or set 'Allowed HTTP Request Domains' to All",
		{ concernsAll: true },
	);
}

const bare = (domain: string) => domain.trim().toLowerCase().replace(/\.$/, '');

const isWithin = (host: string, domain: string) =>
	domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain;
