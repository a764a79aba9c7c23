/**
 * Key check: tells an invalid API key from one forbidden user, and a wrong Base URL from one unknown user. A 401 means the key. After
 * a 403, the check requests `/v2/user`: 401 or 403 for the list means the key, any other status this one user. After a 404, if the
 * address has given no data yet, the check requests the list too: 404 for the list means the Base URL. No other request is sent before
 * the list has answered.
 */
import { classifyStatus } from './classify';
import { isObject } from '../shared/values';
import { keyError, statusError } from './errors';
import type { RequestQueue } from './requestQueue';
import type { Send } from './transport';

/** @param probe requests a URL, ahead of all others */
export function keyCheck(
	queue: RequestQueue,
	root: string,
	probe: (url: string) => Promise<unknown>,
) {
	const list = `${root}/v2/user`;
	const isList = (url: string) => [list, `${list}/`].includes(url.split('?')[0]);
	const query = '?limit=1';
	const isProbe = (url: string) => isList(url) && url.endsWith(query);
	const check = async () => await queue.probeOnce(async () => await probe(list + query));

	return {
		/** `send` that closes the queue when the key is invalid. Starts the check before the queue can send another request. */
		checked:
			(send: Send): Send =>
			async (url) => {
				const answer = await send(url);
				if (!('response' in answer)) return answer;
				const { statusCode, body } = answer.response;
				queue.hasData ||= statusCode === 200 && isObject(body);
				const outcome = classifyStatus(statusCode);
				if (outcome === 'unauthorized' || (outcome === 'forbidden' && isList(url)))
					queue.close(keyError(statusCode));
				else if (statusCode === 404 && isProbe(url) && !queue.hasData)
					queue.close(statusError(statusCode, undefined));
				else if (outcome === 'forbidden') void check();
				return answer;
			},

		/** Resolves after the check, which closes the queue if the key is invalid or the list is not found either. */
		check,

		async checkAddress() {
			if (!queue.hasData) await check();
		},
	};
}
