/**
 * Authentication: the one place that puts the API key on a request (contract section 5), and the rules for sending it: Base URL,
 * allowed domains, certificates, proxy. Used by node, trigger, pickers, the credential test and n8n's HTTP Request node.
 */
import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { problemOfAll } from '../shared/problem';
import { withoutTrailing } from '../shared/values';
import { isRedirect } from './classify';

export interface ServiceCredential {
	baseUrl: string;
	apiKey: string;
	allowHttp?: boolean;
	allowUnauthorizedCerts?: boolean;
	/** n8n adds *Allowed HTTP Request Domains* and its list to every credential. */
	allowedHttpRequestDomains?: string;
	allowedDomains?: string;
}

/** n8n would follow a redirect to any origin with the key. The last two names are those of its HTTP Request node. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
};

/**
 * Adds the key to the request, and the Base URL to a path such as `/v2/user`.
 *
 * @throws Problem when the URL is not below the Base URL, or the connection would let others read the key
 */
export function authenticate(
	credential: ServiceCredential,
	request: IHttpRequestOptions,
): IHttpRequestOptions {
	const root = serviceRoot(credential);
	// n8n's HTTP Request node gives the URL as `uri`. Where `uri` and `url` are set, n8n sends `url`.
	const { uri } = request as { uri?: unknown };
	const target = String(request.url ?? uri);

	const url = target.startsWith('/') ? root + target : target;
	if (!URL.canParse(url) || !isBelow(url, root))
		throw problemOfAll(
			'The API key is only sent to the Base URL of its credential',
			`Use an address that starts with ${root}`,
		);
	const checked = new URL(url);
	checkRequest(request);
	checkDomain(credential, checked.hostname);
	const certificates = certificateOptions(credential, request, checked);
	const { href } = checked;
	// Keys are pasted, often with a line break at the end.
	const key = String(credential.apiKey ?? '').trim();
	return {
		...request,
		...NO_REDIRECTS,
		...certificates,
		...(request.url !== undefined && { url: href }),
		...(uri !== undefined && { uri: href }),
		baseURL: undefined,
		headers: { ...request.headers, 'x-service-api-key': key },
	};
}

/**
 * Whether `url` has the origin of `root` and a path below that of `root`. A reverse proxy may decode, merge slashes and split at
 * other signs before it resolves dot segments, in an order of its own: in any order, the path must have no dot segment.
 *
 * @param root of `serviceRoot`
 */
function isBelow(url: string, root: string) {
	const { origin, pathname } = new URL(url);
	return (
		`${origin}${pathname}/`.startsWith(`${root}/`) && !hasDotSegment(pathname)
	);
}

/**
 * The URL of a redirect, such as `/v2/user/` for `/v2/user` (quirk 13); undefined where the key may
 * not be sent.
 *
 * @param root the Base URL
 */
export function redirectTarget(
	{ statusCode, headers }: IN8nHttpFullResponse,
	from: string,
	root: string,
): string | undefined {
	const location = String(headers?.location ?? '');
	if (!isRedirect(statusCode) || !URL.canParse(location, from))
		return undefined;
	const { href } = new URL(location, from);
	return isBelow(href, root) ? href : undefined;
}

/** `.` `/` `;` `\`, percent-encoded once or several times. */
const ENCODED_SIGN = /%(?:25)*(2e|2f|3b|5c)/gi;

/** `.` or `..` between slashes, with or without `;` parameters. */
const DOT_SEGMENT = /(^|[/\\])\.\.?(;[^/\\]*)?([/\\]|$)/;

/** No request has such a path: service/users/users.ts asks for each identifier before it becomes part of one. */
export const hasDotSegment = (path: string) =>
	DOT_SEGMENT.test(
		path.replace(ENCODED_SIGN, (_, code: string) =>
			decodeURIComponent(`%${code}`),
		),
	);

/** Methods whose answer repeats the headers, or that connect to another host. */
const REFUSED_METHODS = ['TRACE', 'TRACK', 'CONNECT'];

/** @throws Problem for a method that would let others read the key, or a header that would lead to another site at the same address */
function checkRequest({ method = 'GET', headers }: IHttpRequestOptions) {
	const name = String(method).trim().toUpperCase();
	if (REFUSED_METHODS.includes(name))
		throw problemOfAll(
			`The API key is not sent with ${name}`,
			'Choose another method, such as GET',
		);
	const names = Object.keys(headers ?? {}).map((header) =>
		header.trim().toLowerCase(),
	);
	if (names.includes('host'))
		throw problemOfAll(
			"The API key is not sent with a 'Host' header of a node",
			"Remove the header 'Host' from the node",
		);
}

/**
 * The Base URL without a trailing slash and without `/v2`: the paths of the contract are appended to it.
 * `https://h`, `https://h/`, `https://h/v2` and `https://h/v2/` all give `https://h`.
 *
 * @throws Problem when it is not an http(s) URL, or is unencrypted and the credential does not allow that
 */
export function serviceRoot({ baseUrl, allowHttp }: ServiceCredential): string {
	const text = String(baseUrl ?? '').trim();
	if (!/^https?:/i.test(text) || !URL.canParse(text))
		throw problemOfAll(
			`'Base URL' in the credential ${text ? 'must start with https://' : 'is empty: enter the address of the service'}`,
			'Enter the full address of the service, starting with https://, e.g. https://api.example.com',
		);
	const url = new URL(text);
	if (url.protocol === 'http:' && !allowHttp && !LOOPBACK.test(url.hostname))
		throw problemOfAll(
			"'Base URL' in the credential must start with https://, or turn on 'Allow Unencrypted HTTP' there",
			'With http:// the API key and health data are sent unencrypted: turn it on only if this network is trusted',
		);
	const path = withoutTrailing(url.pathname, '/').replace(/\/v2$/, '');
	return url.origin + withoutTrailing(path, '/');
}

/** Names and addresses of the machine itself: a request to them crosses no network. */
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * n8n's own field *Allowed HTTP Request Domains*, which n8n does not apply to pickers and triggers. Its value `none` only
 * concerns n8n's HTTP Request node. As in n8n, `*.example.com` means the subdomains.
 *
 * @throws Problem when the credential does not allow this host
 */
function checkDomain(
	{ allowedHttpRequestDomains, allowedDomains }: ServiceCredential,
	hostname: string,
) {
	if (allowedHttpRequestDomains !== 'domains') return;
	const allowed = String(allowedDomains ?? '')
		.split(',')
		.map(normalized);
	if (allowed.some((domain) => isWithin(normalized(hostname), domain))) return;
	throw problemOfAll(
		`The credential does not allow requests to ${hostname}`,
		"Add it to 'Allowed Domains' in the credential, or set 'Allowed HTTP Request Domains' to All",
	);
}

const normalized = (domain: string) =>
	domain.trim().toLowerCase().replace(/\.$/, '');

const isWithin = (host: string, domain: string) =>
	domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain;

/** Allowed `agentOptions`, which n8n 2.8.4 passes on unseen: any other option may say where to connect or what to trust. */
const ALLOWED_AGENT_OPTIONS: PropertyKey[] = ['cert', 'key', 'passphrase'];

/** The names of n8n's request helper and of its HTTP Request node. */
const UNCHECKED = {
	skipSslCertificateValidation: true,
	rejectUnauthorized: false,
};

/**
 * Certificate options to add. A user of n8n who may edit a workflow, and so its proxy and its certificates, must not be able to
 * read the key: only the credential allows it.
 *
 * @throws Problem when the node's options would let others read the key
 */
function certificateOptions(
	{ allowUnauthorizedCerts }: ServiceCredential,
	request: IHttpRequestOptions & { rejectUnauthorized?: boolean },
	url: URL,
) {
	const { skipSslCertificateValidation, rejectUnauthorized = true } = request;
	const isUnchecked =
		Boolean(skipSslCertificateValidation) || !rejectUnauthorized;
	if (!allowUnauthorizedCerts && isUnchecked)
		throw problemOfAll(
			"'Ignore SSL Issues' of a node is not enough to send the API key over a connection that is not checked",
			"Turn it off in the node, or turn on 'Ignore SSL Issues (Insecure)' in the credential",
		);
	// Options without a value too: they override the host of the URL.
	const names = Object.getOwnPropertyNames(Object(request.agentOptions));
	if (names.some((name) => !ALLOWED_AGENT_OPTIONS.includes(name)))
		throw problemOfAll(
			'The API key is only sent with a client certificate of the node, not with a certificate authority or other connection options',
			"Remove what the node sets in its SSL certificates or 'agentOptions', except cert, key and passphrase. n8n itself can trust an authority, with NODE_EXTRA_CA_CERTS",
		);
	const isChecked = url.protocol === 'https:' && !allowUnauthorizedCerts;
	// On loopback too: the proxy could be n8n itself, with a webhook that stores the headers.
	if (request.proxy && !isChecked)
		throw problemOfAll(
			'A proxy of a node could read the API key, because the connection to the service is not encrypted and checked',
			"Remove 'Proxy' from the node's options. The administrator of n8n can set one for all nodes, with HTTP_PROXY and HTTPS_PROXY",
		);
	return allowUnauthorizedCerts ? UNCHECKED : {};
}
