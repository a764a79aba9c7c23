/**
 * Key check: tells a problem of all users from that of one. A 401 means the key. After a 403 or a redirect, the check requests
 * `/v2/user`: if the list is refused or redirected too, the cause is the key or the Base URL, else this one user. After a 404, if the
 * address has given no data yet, the check requests the list too: 404 for the list means the Base URL. When failures may be an
 * outage, an answer of the list means single users. No other request is sent before the list has answered.
 */
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { classifyStatus, isRedirect } from './classify';
import { isObject } from '../shared/values';
import { keyError, statusError } from './errors';
import type { RequestQueue } from './requestQueue';
import type { Send } from './transport';

/** @param probe requests a URL, ahead of all others */
export function keyCheck(
	queue: RequestQueue,
	root: string,
	probe: (url: string) => Promise<IN8nHttpFullResponse>,
) {
	const list = `${root}/v2/user`;
	const isList = (url: string) => [list, `${list}/`].includes(url.split('?')[0]);
	const query = '?limit=1';
	const isProbe = (url: string) => isList(url) && url.endsWith(query);
	const check = async () =>
		await queue.probeOnce(async () => {
			const { statusCode } = await probe(list + query);
			if (isRedirect(statusCode)) queue.close(statusError(statusCode, undefined).ofAll());
		});

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

		/** Resolves after the check, which closes the queue if the problem concerns all users. */
		check,

		async checkAddress() {
			if (!queue.hasData) await check();
		},

		async checkOutage() {
			const { circuitBreaker } = queue;
			if (!circuitBreaker.mayBeOutage || circuitBreaker.isOpen) return;
			await queue.probe(async () => {
				await probe(list + query).catch(() => undefined);
				// An answer has reset it.
				circuitBreaker.isOpen = circuitBreaker.mayBeOutage;
			});
		},
	};
}
