/**
 * Key check: tells a problem of all users from that of one. A 401 means the key. After a 403 or a redirect, the check requests
 * `/v2/user`: if the list is refused or redirected too, the cause is the key or the Base URL, else this one user. After a 404, if the
 * address has given no data yet, the check requests the list too: 404 for the list means the Base URL. When failures may be an
 * outage, an answer of the list means single users. No other request is sent before the list has answered.
 */
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { isThrottle, Problem } from '../shared/problem';
import { isObject } from '../shared/values';
import { classifyStatus, isRedirect, type Answer } from './classify';
import { keyError, statusError } from './errors';
import { MIN_FAILURES, type Failing, type RequestQueue } from './requestQueue';
import { SINGLE_ATTEMPT, type RequestOptions } from './retry';

export const BREAKER_LIMITS = {
	/** Failures in a row that cannot be those of single users. */
	inARow: 50,
	/** After this time, `MIN_FAILURES` are enough. */
	forMs: 600_000,
};

/** Whether the failures may be an outage. They may also concern only the users read last. */
export function mayBeOutage({ count, since = Infinity }: Failing): boolean {
	const isLong = performance.now() - since >= BREAKER_LIMITS.forMs;
	return count >= BREAKER_LIMITS.inARow || (count >= MIN_FAILURES && isLong);
}

/** Requests a user of the list, or another path. */
export type AskList = (
	request?: RequestOptions,
	path?: string,
) => Promise<IN8nHttpFullResponse>;

/**
 * @param askList requests a user of the list, ahead of all other requests
 * @param sampleOf path of a request that has been answered: a limit that it does not meet is one of single users
 */
export function keyCheck(
	queue: RequestQueue,
	askList: AskList,
	sampleOf?: () => string | undefined,
) {
	/** Closes the queue if the problem concerns all users. Asks once for all requests. */
	const check = async () => {
		await queue.checkKey(async () => {
			const { statusCode } = await askList();
			const isMissing = statusCode === 404 && !queue.hasData;
			if (classifyStatus(statusCode) === 'denied')
				queue.close(keyError(statusCode));
			else if (isMissing || isRedirect(statusCode))
				queue.close(statusError(statusCode).ofAll());
		});
	};

	return {
		check,

		/** Closes the queue when the key is invalid. Starts the check before the queue can send another request. */
		noteAnswer(answer: Answer) {
			if (answer instanceof Problem) return;
			const { statusCode, body } = answer;
			if (statusCode === 200 && isObject(body)) queue.proveKey();
			if (statusCode === 401) queue.close(keyError(statusCode));
			if (statusCode === 403) void check();
		},

		/** Circuit breaker, for each request that has used up its attempts: closes the queue if the list fails too. */
		onFailure(problem: Problem) {
			queue.noteFailure();
			if (!mayBeOutage(queue.failures) || queue.probes > 0) return;
			// Starts before the queue can send another request.
			void queue.probe(async () => {
				const answer = await askList().catch((error: unknown) => error);
				const cause = isThrottle(answer) ? answer : problem;
				// An answer has reset it.
				if (mayBeOutage(queue.failures)) queue.close(cause.ofAll());
			});
		},

		/** Whether the user list, or the sample, is throttled, too. */
		isListThrottled: async () =>
			await askList(SINGLE_ATTEMPT, sampleOf?.()).then(() => false, isThrottle),
	};
}
