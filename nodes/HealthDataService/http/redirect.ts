/**
 * Redirects (quirk 13): one is followed, below the Base URL only, so that the key is sent to no other site. A file of its own,
 * because SECURITY.md promises this rule.
 */
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { Problem } from '../shared/problem';
import { isBelow } from './authenticate';
import { repeatsSecret } from './redact';

export const isRedirect = ({ statusCode }: IN8nHttpFullResponse) => statusCode >= 300 && statusCode < 400;

/**
 * The URL of a redirect, such as `/v2/user/` for `/v2/user`.
 *
 * @param root the Base URL
 * @param secrets of the request, of which the error repeats none (redact.ts)
 * @throws Problem for a URL that is not below the Base URL
 */
export function redirectTarget(response: IN8nHttpFullResponse, from: string, root: string, secrets: string[]): string {
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
		`The service redirects to another address${repeatsSecret(target.host, secrets) ? '' : ` (${target.origin})`}`,
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
