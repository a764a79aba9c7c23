/**
 * Redirects (quirk 13): one is followed, below the Base URL only, so that the key is sent to no other site. A file of its own,
 * because SECURITY.md promises this rule.
 */
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { isBelow } from './authenticate';
import { isRedirect } from './classify';

type Response = IN8nHttpFullResponse;

/** `send`, which follows one redirect. Any other redirect is the answer. @param root the Base URL */
export function followOne<T>(
	send: (url: string, options?: T) => Promise<Response>,
	root: string,
) {
	return async (url: string, options?: T) => {
		const response = await send(url, options);
		const target = targetOf(response, url, root);
		return target === undefined ? response : await send(target, options);
	};
}

/** The URL of a redirect, such as `/v2/user/` for `/v2/user`; undefined where the key may not be sent. */
function targetOf({ statusCode, headers }: Response, from: string, root: string) {
	const location = String(headers?.location ?? '');
	if (!isRedirect(statusCode) || !URL.canParse(location, from)) return undefined;
	const { href } = new URL(location, from);
	return isBelow(href, root) ? href : undefined;
}
