/**
 * Retry: how often a request is sent, with exponential backoff, jitter and Retry-After between the attempts (quirks 19, 20, 25).
 * A 429 or 503 pauses the request queue for all, which also halves its concurrency (requestQueue.ts).
 */
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { Problem } from '../shared/problem';
import { classify, isRetryable, isTruncated, type Answer } from './classify';
import { statusError, truncatedError } from './errors';
import type { QueueOptions, RequestQueue } from './requestQueue';
import { cancellableSleep, throwIfCancelled } from './sleep';
import type { Send } from './transport';

/** One object, which tests change. */
export const RETRY_LIMITS = {
	maxAttempts: 7,
	/** Behind several requests in a row that have used up their attempts. */
	attemptsWhileFailing: 2,
	baseDelayMs: 500,
	maxDelayMs: 30_000,
	/** A longer Retry-After is cut to this. */
	maxRetryAfterMs: 60_000,
	/** No retry starts later after the first failure. */
	retryForMs: 180_000,
	/** For a whole answer. */
	timeoutMs: 300_000,
};

/** For a person who waits: an early error is better than a late one. */
export const SHORT_RETRY = { maxAttempts: 2, retryForMs: 5_000, timeoutMs: 30_000 };

/** Limited requests in a row, without an answer between them, after which the limit is that of all requests. */
const LIMITS_IN_A_ROW = 3;

/** Longest Retry-After that a reader which waits out limits obeys. */
export const MAX_LIMIT_MS = 3_600_000;

/** The milliseconds of a `Retry-After` header, in seconds or as an HTTP date; undefined without a valid one. */
export function retryAfterMs(header: unknown, now = Date.now(), maxMs = RETRY_LIMITS.maxRetryAfterMs) {
	const text = String(header ?? '').trim();
	const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : DateTime.fromHTTP(text).toMillis() - now;
	return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), maxMs);
}

/** Exponential backoff: milliseconds before attempt `attempt` (from 2), with jitter, so that many retries do not coincide. */
export function backoff(attempt: number, random = Math.random()): number {
	const fullMs = Math.min(RETRY_LIMITS.maxDelayMs, RETRY_LIMITS.baseDelayMs * 2 ** (attempt - 2));
	return fullMs * (0.5 + random / 2);
}

export interface RetryOptions extends Pick<QueueOptions, 'signal' | 'continues'> {
	queue: RequestQueue;
	maxAttempts: number;
	retryForMs: number;
	/** By `performance.now()`: no retry starts after it. */
	retryUntil?: number;
	/**
	 * By `performance.now()`: a request that the service limits (429, Retry-After) is sent again until then, however often it was
	 * sent. Without it, a limit is a failure like others.
	 */
	limitUntil?: number;
}

/** Options of one request. One that was sent and is stopped is rejected with the error of its last attempt. */
export interface RequestOptions extends Pick<QueueOptions, 'isProbe' | 'isCancelled' | 'stoppedBy'> {
	/** At most; default: that of the client. */
	maxAttempts?: number;
	/** Whether its failures do not count towards the circuit breaker. */
	ignoreFailure?: boolean;
	/** Whether the caller requests the user list next, so that a 404 needs no check of the Base URL. */
	isListNext?: boolean;
	/** Called at each attempt, when it leaves the queue. */
	onSent?: () => void;
	/** Whether it is sent again after a failure that is no limit of the service. Default: yes. */
	mayRetry?: () => boolean;
	/** Whether an earlier request for the same user was sent: it goes ahead of first requests. */
	isFurther?: () => boolean;
}

/** For a request that may well fail, or that asks a question which a failure answers, too. */
export const SINGLE_ATTEMPT: RequestOptions = { maxAttempts: 1, ignoreFailure: true };

/** `send` through the queue, retried while the failure is transient. @throws Problem of the last attempt */
export function withRetry(send: Send, options: RetryOptions) {
	const { queue, signal, continues, retryForMs, retryUntil = Infinity, limitUntil } = options;
	const maxRetryAfterMs = limitUntil === undefined ? RETRY_LIMITS.maxRetryAfterMs : MAX_LIMIT_MS;

	async function sendUntilAnswered(url: string, request: RequestOptions) {
		const maxAttempts = request.maxAttempts ?? options.maxAttempts;
		const startedAt = performance.now();
		let failedAt: number | undefined;
		let lastFailure: Problem | undefined;
		const stoppedBy = () => {
			const reason = request.stoppedBy?.();
			return reason && (lastFailure ?? reason);
		};
		const queued = { signal, continues, isProbe: request.isProbe, isCancelled: request.isCancelled, stoppedBy };
		for (let attempt = 1; ; attempt++) {
			const answer = await queue.run(
				async () => {
					request.onSent?.();
					return await send(url);
				},
				classify,
				{ ...queued, isFurther: attempt > 1 || request.isFurther?.() },
			);
			throwIfCancelled(signal);
			const outcome = classify(answer);
			if ('response' in answer && !isRetryable(outcome)) return answer.response;

			const { status, headers } = 'response' in answer ? statusOf(answer.response) : {};
			const askedMs = retryAfterMs(headers?.['retry-after'], Date.now(), maxRetryAfterMs);
			const isLimit = limitUntil !== undefined && (status === 429 || askedMs !== undefined);
			const problem = problemOf(answer);
			const elapsedMs = performance.now() - startedAt;
			lastFailure = outcome === 'failed' ? problem : withAttempts(problem, attempt, elapsedMs, askedMs);
			if (isLimit) queue.slowDown(lastFailure);
			const next = attempt + 1;
			const { throttles } = queue.concurrency;
			const backoffMs = backoff(outcome === 'throttled' ? Math.max(next, throttles + 1) : next);
			const delayMs = Math.max(askedMs ?? 0, backoffMs);
			failedAt ??= performance.now();
			const isTooLate = performance.now() + delayMs > (isLimit ? limitUntil : retryUntil);
			// The service may be down for all: fewer attempts, but more than one, because this user may be sound.
			const isShort = queue.circuitBreaker.isFailing || queue.circuitBreaker.failingForMs + delayMs > retryForMs;
			const attempts = isShort ? Math.min(RETRY_LIMITS.attemptsWhileFailing, maxAttempts) : maxAttempts;
			const isGivenUp =
				attempt >= attempts || performance.now() - failedAt + delayMs > retryForMs || request.mayRetry?.() === false;
			if (outcome === 'failed' || isTooLate || (isLimit ? maxAttempts === 1 : isGivenUp)) {
				// A limit that other requests do not meet is of this user only.
				const isOfAll = askedMs !== undefined || throttles >= LIMITS_IN_A_ROW;
				if (isLimit && isOfAll && maxAttempts > 1) queue.pause(Math.min(delayMs, limitUntil - performance.now()));
				if (!request.ignoreFailure) queue.circuitBreaker.onFailure(lastFailure);
				throw lastFailure;
			}
			// Others that were answered meanwhile do not wait for a request that is limited again and again.
			if (isLimit) queue.pause(Math.max(askedMs ?? 0, backoff(throttles + 1)));
			else if (outcome === 'throttled') queue.pause(delayMs);
			await cancellableSleep(delayMs, () => queue.throwIfClosed(queued));
		}
	}

	return async (url: string, request: RequestOptions = {}) => {
		queue.open++;
		return await sendUntilAnswered(url, request).finally(() => queue.open--);
	};
}

const statusOf = ({ statusCode, headers }: IN8nHttpFullResponse) => ({ status: statusCode, headers });

function problemOf(answer: Answer): Problem {
	if ('failure' in answer) return answer.failure;
	const { response } = answer;
	return isTruncated(response) ? truncatedError() : statusError(response.statusCode, response.body);
}

function withAttempts(
	{ message, description, kind, httpCode, concernsAll }: Problem,
	attempts: number,
	elapsedMs: number,
	askedMs: number | undefined,
): Problem {
	const times = attempts === 1 ? 'once' : `${attempts} times`;
	const seconds = Math.round(elapsedMs / 1000);
	const advice = `Tried ${times} in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}. ${description}`;
	return new Problem(message, advice, { kind, httpCode, concernsAll, retryAfterMs: askedMs });
}
