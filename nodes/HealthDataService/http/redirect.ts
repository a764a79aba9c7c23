/**
 * Redirects (quirk 13): one is followed, on the same origin only, so that the key is sent to no other host.
 */
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { Problem } from '../shared/problem';

export const isRedirect = ({ statusCode }: IN8nHttpFullResponse) => statusCode >= 300 && statusCode < 400;

/**
 * The URL of a redirect, such as `/v2/user/` for `/v2/user`.
 *
 * @param sent the parts of the request, of which the error repeats none
 * @throws Problem for another origin
 */
export function redirectTarget(response: IN8nHttpFullResponse, from: string, sent: string[]): string {
	const location = String(response.headers.location ?? '');
	if (!URL.canParse(location, from)) throw redirectError(response);

	const target = new URL(location, from);
	if (target.origin === new URL(from).origin) return target.href;
	throw new Problem(
		`The service redirects to another address${repeats(target.host, sent) ? '' : ` (${target.origin})`}`,
		"The API key is not sent there. If that address is right, enter it as 'Base URL' in the credential",
		{ httpCode: String(response.statusCode), concernsAll: true },
	);
}

/** A second redirect, or one without a valid URL. */
export const redirectError = ({ statusCode }: IN8nHttpFullResponse) =>
	new Problem('The service redirects without arriving anywhere', "Check 'Base URL' in the credential", {
		httpCode: String(statusCode),
		concernsAll: true,
	});

/** Keys and identifiers are longer than this; `0` and `user` are in many host names. */
const SHORTEST_SECRET = 5;

const repeats = (host: string, sent: string[]) =>
	sent.some((value) => value.length >= SHORTEST_SECRET && host.includes(value.trim().toLowerCase()));
