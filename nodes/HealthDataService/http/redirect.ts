/**
 * Redirects (quirk 13): one is followed, below the Base URL only, so that the key is sent to no other site. A file of its own,
 * because SECURITY.md promises this rule.
 */
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { Problem } from '../shared/problem';
import { isBelow } from './authenticate';

type Response = IN8nHttpFullResponse;

/**
 * `send`, which follows one redirect.
 *
 * @param root the Base URL @param key the API key
 * @throws Problem for a second redirect, and for a URL that is not below the Base URL
 */
export function followOne<T>(
	send: (url: string, options?: T) => Promise<Response>,
	root: string,
	key: string,
) {
	return async (url: string, options?: T) => {
		let response = await send(url, options);
		if (isRedirect(response)) response = await send(targetOf(response, url, root, key), options);
		if (isRedirect(response)) throw redirectError(response);
		return response;
	};
}

const isRedirect = ({ statusCode }: Response) => statusCode >= 300 && statusCode < 400;

/** The URL of a redirect, such as `/v2/user/` for `/v2/user`. */
function targetOf(response: Response, from: string, root: string, key: string): string {
	const location = String(response.headers.location ?? '');
	if (!URL.canParse(location, from)) throw redirectError(response);

	const target = new URL(location, from);
	if (isBelow(target.href, root)) return target.href;
	if (target.origin === new URL(root).origin) {
		throw new Problem(
			"The service redirects to an address that is not below the 'Base URL'",
			"The API key is not sent there. Check the path of 'Base URL' in the credential",
			{ httpCode: String(response.statusCode), concernsAll: true },
		);
	}
	throw new Problem(
		`The service redirects to another address${repeatsSecret(target.host, [key, ...partsOf(from.slice(root.length))]) ? '' : ` (${target.origin})`}`,
		"The API key is not sent there. If that address is right, enter it as 'Base URL' in the credential",
		{ httpCode: String(response.statusCode), concernsAll: true },
	);
}

/** A second redirect, or one without a valid URL. */
const redirectError = ({ statusCode }: Response) =>
	new Problem(
		'The service redirects without arriving anywhere',
		"Check 'Base URL' in the credential",
		{
			httpCode: String(statusCode),
			concernsAll: true,
		},
	);

/** A host must not contain any 4 consecutive letters or digits of a secret, or all of a shorter one as a word. */
const MAX_RUN = 4;

/** Whether a host repeats a part of a secret, in upper or lower case. */
function repeatsSecret(host: string, secrets: string[]): boolean {
	const words = wordsOf(host);
	return secrets.some((secret) => {
		const own = wordsOf(secret).join('');
		if (own.length < MAX_RUN) return words.includes(own);
		return Array.from(own.slice(MAX_RUN - 1), (_, at) => own.slice(at, at + MAX_RUN)).some((run) =>
			words.join('').includes(run),
		);
	});
}

const wordsOf = (text: string) =>
	text
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean);

/** Segments of the service's own paths (contract section 4). */
const PATH_WORDS = ['v2', 'user', 'resolve', 'timeseries', 'grouped'];

/** What may name a person: segments of the path of a request, and values of its query. */
function partsOf(request: string): string[] {
	const [path, query] = request.split('?');
	const segments = path.split('/').map(decodeURIComponent);
	return [
		...segments.filter((segment) => !PATH_WORDS.includes(segment)),
		...new URLSearchParams(query).values(),
	];
}
