/**
 * Retry: how often a request is sent, with exponential backoff, jitter and Retry-After between the attempts (quirks 19, 20, 25).
 * A 429 or 503 pauses the request queue for all, which also halves its concurrency (requestQueue.ts).
 */
import { DateTime } from 'luxon';
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { isThrottle, Problem } from '../shared/problem';
import type { Budget } from './budget';
import {
	classify,
	classifyStatus,
	isRetryable,
	type Answer,
	type Outcome,
} from './classify';
import {
	CANCELLED_REQUEST,
	cancellationOf,
	outOfTime,
	statusError,
	truncatedError,
} from './errors';
import type { RequestQueue } from './requestQueue';
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
	/** For a whole answer. */
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

/**
 * The milliseconds of a `Retry-After` header, in seconds or as an HTTP date; undefined without a
 * valid one.
 *
 * @param date of the answer: n8n's clock may be wrong
 */
export function retryAfterMs(header: unknown, maxMs: number, date?: unknown) {
	const text = String(header);
	const seconds = Number.parseFloat(text);
	const now = Date.parse(String(date)) || Date.now();
	const untilMs = DateTime.fromHTTP(text).toMillis() - now;
	const ms = Number.isNaN(seconds) ? untilMs : seconds * 1000;
	return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), maxMs);
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
export type RetryLimits = typeof RETRY_LIMITS & {
	/**
	 * By `performance.now()`: a throttled request is sent again until then, in any number of attempts, and no other one later. By
	 * default a throttle is a failure like others.
	 */
	retryUntil?: number;
	/**
	 * Of the trigger: the first Retry-After asks the user list. If that is refused too, it is one for
	 * all requests, else one for this user.
	 */
	isPoll?: boolean;
	/** Called with each throttle that is outlasted. */
	onThrottle?: (problem: Problem) => void;
};

type RetryOptions = RetryLimits & {
	queue: RequestQueue;
	signal?: AbortSignal;
	isListThrottled: () => Promise<boolean>;
	/** Called with each answer, before the queue can send another request. */
	noteAnswer: (answer: Answer) => void;
	/** Called with the error of each request that has used up its attempts. */
	onFailure: (problem: Problem) => void;
};

export interface RequestOptions {
	/** A request of the user list that tells whether a problem is one of all: it goes ahead of others, and pauses none. */
	isProbe?: boolean;
	/** Whether the answer is no longer needed. */
	isCancelled?: () => boolean;
	/** Default: the attempts of the client. */
	maxAttempts?: number;
	budget?: Budget;
}

/** Options of a request whose failure is an answer, too. */
export const SINGLE_ATTEMPT: RequestOptions = { maxAttempts: 1 };

/** The attempts of one request, through the queue. Times by `performance.now()`. */
export class Attempts {
	private count = 0;
	private readonly startedAt = performance.now();
	private failedAt?: number;
	/** The last failure. One that is this user's own is kept when a throttle follows that the poll outlasts. */
	private failure?: Problem;
	/** Whether the service limited the last attempt. */
	private wasThrottled = false;
	/** The end of the pause before the next attempt. */
	private notBefore?: number;

	constructor(
		private readonly send: Send,
		private readonly options: RetryOptions,
		private readonly request: RequestOptions,
	) {}

	/** @throws Problem of the last attempt */
	async untilAnswered(url: string): Promise<IN8nHttpFullResponse> {
		const { signal, timeoutMs, queue } = this.options;
		const { budget, isProbe } = this.request;
		const work = async (abort: AbortSignal) => await this.attempt(url, abort);
		try {
			for (;;) {
				const { notBefore = this.startedAt, stoppedBy } = this;
				const response = await queue.run(work, {
					signal,
					timeoutMs,
					isProbe,
					// Goes ahead of the first requests for other users.
					isFurther: this.count > 0 || budget?.isBegun === true,
					notBefore,
					stoppedBy,
				});
				if (response) return response;
			}
		} finally {
			budget?.stop();
		}
	}

	/** @returns nothing for another attempt @throws Problem after the last one */
	private async attempt(url: string, abort: AbortSignal) {
		const { queue, noteAnswer } = this.options;
		const { epoch } = queue;
		this.request.budget?.start();
		this.count++;
		const answer = await this.send(url, abort);
		noteAnswer(answer);
		const outcome = classify(answer);
		queue.learn(outcome, epoch, this.request.isProbe);
		return this.settle(answer, outcome);
	}

	private readonly stoppedBy = () => {
		const { budget, isCancelled } = this.request;
		if (isCancelled?.()) return CANCELLED_REQUEST;
		// A limit of this user only ends the request, and the others go on.
		const isOfAll = this.options.queue.isThrottledForAll || !budget;
		if (this.wasThrottled && !isOfAll) return this.failure;
		const isLate = performance.now() >= this.options.queue.endAt;
		const reason = isLate ? outOfTime() : budget?.stoppedBy;
		return reason && (this.failure ?? reason);
	};

	private settle(answer: Answer, outcome: Outcome) {
		const { signal, onFailure } = this.options;
		const cancelled = cancellationOf(signal);
		if (cancelled) throw cancelled;
		if (!(answer instanceof Problem) && !isRetryable(outcome)) return answer;

		this.failedAt ??= performance.now();
		const latest = this.problemOf(answer);
		const { failure = latest } = this;
		const keeps = this.isOutlasted(latest) && !isThrottle(failure);
		this.failure = keeps ? failure : latest;
		this.wasThrottled = isThrottle(latest);
		this.notBefore = this.nextAttempt(latest);
		if (!this.request.isProbe) this.pauseOthers(latest, outcome);
		if (this.notBefore !== undefined) return undefined;
		onFailure(this.failure);
		throw this.failure;
	}

	private problemOf(answer: Answer) {
		const problem = answer instanceof Problem ? answer : errorOf(answer);
		if (!problem.isTransient) return problem;
		const headers = 'headers' in answer ? answer.headers : undefined;
		const seconds = Math.round((performance.now() - this.startedAt) / 1000);
		const tried =
			this.count > 1 ? `Tried ${this.count} times in ${seconds} s. ` : '';
		return problem.reworded(problem.message, tried + problem.description, {
			retryAfterMs: retryAfterMs(
				headers?.['retry-after'],
				this.options.maxRetryAfterMs,
				headers?.date,
			),
		});
	}

	private isOutlasted(problem: Problem) {
		return this.options.retryUntil !== undefined && isThrottle(problem);
	}

	/** When the next attempt may be sent; undefined to give up. */
	private nextAttempt(latest: Problem) {
		const { queue, retryForMs, retryUntil = Infinity } = this.options;
		const { maxAttempts = this.options.maxAttempts, budget } = this.request;
		const { count, failedAt = 0 } = this;
		const failures = Math.max(count, queue.throttles);
		const delayMs = Math.max(latest.retryAfterMs ?? 0, backoff(failures + 1));
		const next = performance.now() + delayMs;
		if (!latest.isTransient || maxAttempts === 1 || next > retryUntil)
			return undefined;
		if (this.isOutlasted(latest)) return next;
		// The service may be down for all: fewer attempts, but more than one, because this user may be sound.
		const most = queue.isFailing ? FEW_ATTEMPTS : maxAttempts;
		const isExhausted = count >= most || next > failedAt + retryForMs;
		return isExhausted || budget?.mayRetry === false ? undefined : next;
	}

	/** Pauses the other requests of the queue. */
	private pauseOthers(latest: Problem, outcome: Outcome) {
		const { queue, retryUntil = 0, isPoll, isListThrottled } = this.options;
		const isOutlasted = this.isOutlasted(latest);
		if (isOutlasted) this.options.onThrottle?.(latest);
		const isRetried = this.notBefore !== undefined;
		// A 503 that has outlasted all attempts of several requests is ended by no pause.
		const isLimit = isThrottle(latest) || !queue.isFailing;
		const restMs = retryUntil - performance.now();
		// By throttles in a row, not by those of this request: others are answered while it is throttled again and again.
		const pauseMs = Math.max(
			latest.retryAfterMs ?? 0,
			backoff(queue.throttles + 1),
		);
		if (isPoll && isThrottle(latest) && this.request.budget)
			void queue.obey(isRetried ? pauseMs : restMs, isListThrottled);
		else if (isRetried && (isOutlasted || (outcome === 'throttled' && isLimit)))
			queue.pause(pauseMs);
	}
}

/** The error of a response that a retry may mend. */
function errorOf({ statusCode, body }: IN8nHttpFullResponse) {
	const isCutOff = classifyStatus(statusCode) === 'answered';
	return isCutOff ? truncatedError() : statusError(statusCode, body);
}
