/**
 * Key check: tells an invalid API key from one forbidden user. 401 means the key. On 403 it requests `/v2/user`: 401 or 403
 * there means the key, anything else only this user. No other request is sent before that answer. A file of its own, because the
 * queue knows no path of the service.
 */
import { classifyStatus } from './classify';
import { keyError } from './errors';
import type { RequestQueue } from './requestQueue';
import type { Send } from './transport';

/** @param probe requests a URL, ahead of all others */
export function keyCheck(queue: RequestQueue, root: string, probe: (url: string) => Promise<unknown>) {
	const list = `${root}/v2/user`;
	const isList = (url: string) => [list, `${list}/`].includes(url.split('?')[0]);
	const check = async () => await queue.probeOnce(async () => await probe(`${list}?limit=1`));

	return {
		/** `send`, which closes the queue when the key is invalid. It starts the check before the queue can send another request. */
		checked:
			(send: Send): Send =>
			async (url) => {
				const answer = await send(url);
				if (!('response' in answer)) return answer;
				const { statusCode } = answer.response;
				const outcome = classifyStatus(statusCode);
				if (outcome === 'unauthorized' || (outcome === 'forbidden' && isList(url))) queue.close(keyError(statusCode));
				else if (outcome === 'forbidden') void check();
				return answer;
			},

		/** Resolves after the check; the queue is closed then if the key is invalid. */
		check,
	};
}
