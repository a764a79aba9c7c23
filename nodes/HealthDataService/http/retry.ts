/**
 * Retry: how often a request is sent, with exponential backoff, jitter and Retry-After between the attempts (quirks 19, 20, 25).
 * A 429 or 503 pauses the request queue for all, which also halves its concurrency (requestQueue.ts).
 */
import { DateTime } from 'luxon';
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import type { Problem } from '../shared/problem';
import {
	classify,
	isRetryable,
	isTruncated,
	type Answer,
	type Outcome,
} from './classify';
import { cancellationOf, statusError, truncatedError } from './errors';
import type { QueueOptions, RequestQueue } from './requestQueue';
import type { Stopwatch } from './stopwatch';
import type { Send } from './transport';

/** One object, which tests change. */
export const RETRY_LIMITS = {
	maxAttempts: 7,
	baseDelayMs: 500,
	maxDelayMs: 30_000,
	/** A longer Retry-After is cut to this. */
	maxRetryAfterMs: 60_000,
	/** No retry starts later after the first failure. */
	retryForMs: 180_000,
	timeoutMs: 300_000,
};

/** Attempts where an early error is better than a late one: the service may fail for all requests, or a person waits. */
export const FEW_ATTEMPTS = 2;

/** Limits while a person waits. */
export const SHORT_RETRY = {
	maxAttempts: FEW_ATTEMPTS,
	retryForMs: 5_000,
	timeoutMs: 30_000,
};

/** Longest Retry-After that the trigger obeys. */
export const MAX_PAUSE_MS = 3_600_000;

/** The milliseconds of a `Retry-After` header, in seconds or as an HTTP date; undefined without a valid one. */
export function retryAfterMs(
	header: unknown,
	now = Date.now(),
	maxMs = RETRY_LIMITS.maxRetryAfterMs,
) {
	const text = String(header ?? '').trim();
	const isSeconds = /^\d+(\.\d+)?$/.test(text);
	const ms = isSeconds ? Number(text) * 1000 : DateTime.fromHTTP(text).toMillis() - now;
	if (Number.isNaN(ms)) return undefined;
	return Math.min(Math.max(0, ms), maxMs);
}

/** Exponential backoff: milliseconds before attempt `attempt` (from 2), with jitter, so that many retries do not coincide. */
export function backoff(attempt: number, random = Math.random()): number {
	const fullMs = Math.min(
		RETRY_LIMITS.maxDelayMs,
		RETRY_LIMITS.baseDelayMs * 2 ** (attempt - 2),
	);
	return fullMs * (0.5 + random / 2);
}

/** How long requests are sent again. */
export interface RetryLimits {
	maxAttempts: number;
	/** Since the first failure. */
	retryForMs: number;
	/** A longer Retry-After is cut to this. */
	maxRetryAfterMs?: number;
	/** By `performance.now()`: no retry starts after it. */
	retryUntil?: number;
	/** Whether a throttled request is sent again until `retryUntil`, in any number of attempts. By default a throttle is a failure like others. */
	outlastsThrottles?: boolean;
}

export interface RetryOptions
	extends RetryLimits,
		Pick<QueueOptions, 'signal' | 'continues'> {
	queue: RequestQueue;
	/** Whether failures do not count towards the circuit breaker: the trigger's reader tells an outage from failing users itself. */
	ignoreFailure?: boolean;
	/** Whether the user list is throttled too. Without it, a Retry-After is one for all requests. */
	isListThrottled?: () => Promise<boolean>;
}

/** What is left of the time for one user. All requests for the user share it. */
export interface Budget {
	/** Runs from the first attempt of each request to the end of its last one: time in the queue before does not count. */
	spent: Stopwatch;
	/** Why no request is sent any more: a request ends with the error of its last attempt, or with this reason. */
	stoppedBy: () => Problem | undefined;
	/** Whether a request is sent again after a failure that is no throttle of the service. */
	mayRetry: () => boolean;
}

export interface RequestOptions
	extends Pick<QueueOptions, 'isProbe' | 'isCancelled'>,
		Pick<RetryOptions, 'ignoreFailure'> {
	/** Default: the attempts of the client. */
	maxAttempts?: number;
	/** Whether the caller requests the user list next, so that a 404 needs no check of the Base URL. */
	isListNext?: boolean;
	budget?: Budget;
}

/** Options of a request whose failure is an answer, too. */
export const SINGLE_ATTEMPT: RequestOptions = { maxAttempts: 1, ignoreFailure: true };

/** A failed attempt, and what the queue knows. All times in ms. */
export interface FailedAttempt {
	outcome: Outcome;
	/** Whether the service limits the requests (429, Retry-After). */
	isThrottle: boolean;
	/** Retry-After. */
	askedMs?: number;
	attempt: number;
	/** Since the first failure of this request. */
	failingMs: number;
	now: number;
	/** Times in a row that the service has throttled any request. */
	throttles: number;
	/** Whether several requests in a row have used up their attempts. */
	isServiceFailing: boolean;
	/** False after a failure that is no throttle ends the request. */
	mayRetry: boolean;
}

/** Milliseconds until the next attempt; undefined to give up. */
export function retryDelay(
	failed: FailedAttempt,
	limits: RetryLimits,
	random?: number,
): number | undefined {
	const { outcome, attempt, failingMs, now, askedMs = 0, throttles } = failed;
	const {
		maxAttempts,
		retryForMs,
		retryUntil = Infinity,
		outlastsThrottles = false,
	} = limits;
	const failures = outcome === 'throttled' ? Math.max(attempt, throttles) : attempt;
	const delayMs = Math.max(askedMs, backoff(failures + 1, random));
	const isTooLate = now + delayMs > retryUntil;
	if (outcome === 'failed' || maxAttempts === 1 || isTooLate) return undefined;
	if (outlastsThrottles && failed.isThrottle) return delayMs;
	// The service may be down for all: fewer attempts, but more than one, because this user may be sound.
	const most = failed.isServiceFailing
		? Math.min(FEW_ATTEMPTS, maxAttempts)
		: maxAttempts;
	const isExhausted = attempt >= most || failingMs + delayMs > retryForMs;
	return isExhausted || !failed.mayRetry ? undefined : delayMs;
}

/** `send` through the queue, retried while the failure is transient. @throws Problem of the last attempt */
export const withRetry =
	(send: Send, options: RetryOptions) =>
	async (url: string, request: RequestOptions = {}): Promise<IN8nHttpFullResponse> =>
		await new Attempts(send, options, request).untilAnswered(url);

/** The attempts of one request. Times by `performance.now()`. */
class Attempts {
	private count = 0;
	private readonly startedAt = performance.now();
	private failedAt?: number;
	/** Last failure that is this user's own, not a throttle that the reader outlasts. */
	private ownFailure?: Problem;
	private lastFailure?: Problem;
	/** Whether the service limited the last attempt. */
	private wasThrottled = false;
	/** The end of the pause before the next attempt. */
	private notBefore?: number;

	constructor(
		private readonly send: Send,
		private readonly options: RetryOptions,
		private readonly request: RequestOptions,
	) {}

	async untilAnswered(url: string): Promise<IN8nHttpFullResponse> {
		const { queue, signal, continues } = this.options;
		const { budget, isProbe, isCancelled } = this.request;
		const queued = { signal, continues, isProbe, isCancelled, stoppedBy: this.stoppedBy };
		const work = async () => {
			budget?.spent.start();
			this.count++;
			return await this.send(url);
		};
		try {
			for (;;) {
				// Goes ahead of the first requests for other users.
				const isFurther = this.count > 0 || budget?.spent.isBegun;
				const options = { ...queued, isFurther, notBefore: this.notBefore };
				const response = await queue.run(work, classify, options, this.settle);
				if (response) return response;
			}
		} finally {
			budget?.spent.stop();
		}
	}

	private readonly stoppedBy = () => {
		if (this.isOwnThrottle) return this.lastFailure;
		const reason = this.request.budget?.stoppedBy();
		return reason && (this.lastFailure ?? reason);
	};

	/** Whether the last failure was a limit of this user only: the request ends, and the others go on. */
	private get isOwnThrottle(): boolean {
		const isOfAll = this.options.queue.isThrottledForAll || !this.request.budget;
		return this.wasThrottled && !isOfAll;
	}

	/** @returns nothing for another attempt @throws Problem after the last one */
	private readonly settle = (answer: Answer): IN8nHttpFullResponse | undefined => {
		const cancelled = cancellationOf(this.options.signal);
		if (cancelled) throw cancelled;
		if ('response' in answer && !isRetryable(classify(answer))) return answer.response;

		const failed = this.failedAttempt(answer);
		const latest = withAttempts(problemOf(answer), failed, failed.now - this.startedAt);
		const isOutlasted = this.options.outlastsThrottles && failed.isThrottle;
		if (!isOutlasted) this.ownFailure = latest;
		const failure = this.ownFailure ?? latest;
		this.lastFailure = failure;
		this.wasThrottled = failed.isThrottle;

		const maxAttempts = this.request.maxAttempts ?? this.options.maxAttempts;
		const limits = { ...this.options, maxAttempts };
		const delayMs = this.isOwnThrottle ? undefined : retryDelay(failed, limits);
		if (!this.request.isProbe) this.pauseOthers(failed, latest, maxAttempts, delayMs);
		if (delayMs === undefined) this.giveUp(failure);
		this.notBefore = failed.now + delayMs;
		return undefined;
	};

	private giveUp(failure: Problem): never {
		const { queue, ignoreFailure } = this.options;
		const isIgnored = this.request.ignoreFailure ?? ignoreFailure;
		if (!isIgnored) queue.circuitBreaker.onFailure(failure);
		throw failure;
	}

	private failedAttempt(answer: Answer): FailedAttempt {
		const { queue, maxRetryAfterMs } = this.options;
		const response = 'response' in answer ? answer.response : undefined;
		const header = response?.headers?.['retry-after'];
		const askedMs = retryAfterMs(header, Date.now(), maxRetryAfterMs);
		const now = performance.now();
		this.failedAt ??= now;
		return {
			outcome: classify(answer),
			isThrottle: response?.statusCode === 429 || askedMs !== undefined,
			askedMs,
			attempt: this.count,
			failingMs: now - this.failedAt,
			now,
			throttles: queue.throttles,
			isServiceFailing: queue.circuitBreaker.isFailing,
			mayRetry: this.request.budget?.mayRetry() ?? true,
		};
	}

	/** Pauses the other requests of the queue. @param delayMs undefined after the last attempt */
	private pauseOthers(
		failed: FailedAttempt,
		problem: Problem,
		maxAttempts: number,
		delayMs?: number,
	) {
		const {
			queue,
			outlastsThrottles,
			retryUntil = Infinity,
			isListThrottled,
		} = this.options;
		const { outcome, isThrottle, askedMs, throttles } = failed;
		const isOutlasted = outlastsThrottles && isThrottle;
		if (isOutlasted) queue.lastThrottle = problem;
		const restMs = retryUntil - performance.now();
		// By throttles in a row, not by `delayMs`: others are answered while one request is throttled again and again.
		const pauseMs = Math.max(askedMs ?? 0, backoff(throttles + 1));
		if (isThrottle && isListThrottled && this.request.budget) {
			void queue.obey(delayMs === undefined ? restMs : pauseMs, isListThrottled);
			return;
		}
		if (maxAttempts === 1) return;
		const isRetried = delayMs !== undefined;
		if (isRetried && (isOutlasted || outcome === 'throttled')) queue.pause(pauseMs);
	}
}

function problemOf(answer: Answer): Problem {
	if ('failure' in answer) return answer.failure;
	const { response } = answer;
	return isTruncated(response)
		? truncatedError()
		: statusError(response.statusCode, response.body);
}

function withAttempts(
	problem: Problem,
	{ outcome, attempt, askedMs }: FailedAttempt,
	elapsedMs: number,
): Problem {
	if (outcome === 'failed') return problem;
	const times = attempt === 1 ? 'once' : `${attempt} times`;
	const seconds = Math.round(elapsedMs / 1000);
	const unit = seconds === 1 ? 'second' : 'seconds';
	const advice = `Tried ${times} in ${seconds} ${unit}. ${problem.description}`;
	return problem.reworded(problem.message, advice, { retryAfterMs: askedMs });
}
