/**
 * Redirects (quirk 13): one is followed, below the Base URL only, so that the key is sent to no other site. A file of its own,
 * because SECURITY.md promises this rule.
 */
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { isBelow } from './authenticate';
import { isRedirect } from './classify';

/** The URL of a redirect, such as `/v2/user/` for `/v2/user`; undefined where the key may not be sent. @param root the Base URL */
export function redirectTarget(
	{ statusCode, headers }: IN8nHttpFullResponse,
	from: string,
	root: string,
): string | undefined {
	const location = String(headers?.location ?? '');
	if (!isRedirect(statusCode) || !URL.canParse(location, from)) return undefined;
	const { href } = new URL(location, from);
	return isBelow(href, root) ? href : undefined;
}
