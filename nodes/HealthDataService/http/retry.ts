/**
 * How often something is tried again, and how long to wait for that (quirks 19, 20, 25).
 */
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { Problem } from '../shared/problem';
import { cutOff, explainStatus } from './explain';
import type { Gate, Outcome, Wanted } from './gate';
import type { Answer, Send } from './send';
import { isCutOff, isRefusal, isTransientStatus } from './transient';
import { stopIfCancelled, wait } from './wait';

/** Bounds of all waiting. One object, so that tests can be quicker than the night shift. */
export const RETRY_LIMITS = {
	tries: 7,
	firstWaitMs: 500,
	longestWaitMs: 30_000,
	/** Longest that a service is obeyed when it says how long to wait. */
	longestToldWaitMs: 60_000,
	/** Nothing is tried again when the first try failed longer ago than this. */
	withinMs: 180_000,
	/** Longest that the whole of one answer may take. */
	answerMs: 300_000,
};

/** Where somebody or something waits for the answer: better an early error than a late one. */
export const SHORT_RETRY = { tries: 2, withinMs: 5_000, limitMs: 30_000 };

function outcomeOf(answer: Answer): Outcome {
	if ('failure' in answer) return answer.failure.isTransient ? 'failed' : 'unsent';
	const { statusCode } = answer.response;
	if (isRefusal(statusCode)) return 'refused';
	if (isTransientStatus(statusCode) || isCutOff(answer.response)) return 'failed';
	return statusCode === 401 || statusCode === 403 ? 'denied' : 'answered';
}

/** Milliseconds that `Retry-After` asks for, given in seconds or as an HTTP date; undefined without one. Capped. */
export function retryAfterMs(header: unknown, now = Date.now()): number | undefined {
	const text = String(header ?? '').trim();
	const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : DateTime.fromHTTP(text).toMillis() - now;
	return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), RETRY_LIMITS.longestToldWaitMs);
}

/** Milliseconds before try number `next` (from 2): doubling, capped, and spread so that many do not come back at once. */
export function backoff(next: number, random = Math.random()): number {
	const whole = Math.min(RETRY_LIMITS.longestWaitMs, RETRY_LIMITS.firstWaitMs * 2 ** (next - 2));
	return whole * (0.5 + random / 2);
}

export interface RetryOptions extends Omit<Wanted, 'isProbe' | 'isAgain'> {
	gate: Gate;
	/** How often a request is sent at most, and for how long it is tried in all. */
	tries: number;
	withinMs: number;
	/** By `performance.now()`: nothing is tried again after it. */
	lastTryAt?: number;
	/** What a request was made of, of which errors repeat nothing. */
	sentWith: (url: string) => string[];
}

/** What one request wants differently. */
export interface Once {
	/** It is a question whose failure is an answer too: nobody else learns from it that the service has failed. */
	tries?: number;
	/** Whether nobody waits for it any more: then it is not sent. */
	isOver?: () => boolean;
	/** It finds out about the key: everybody else waits for it. */
	isProbe?: boolean;
	/** Told at each try, when its turn has come. */
	onSent?: () => void;
}

/**
 * `send`, tried again while that can help, each try when the gate has room for it.
 *
 * @throws Problem with the reason of the last try
 */
export function withRetry(
	send: Send,
	options: RetryOptions,
): (url: string, once?: Once) => Promise<IN8nHttpFullResponse> {
	const { gate, signal, continues, withinMs, lastTryAt = Infinity, sentWith } = options;

	return async (url, once = {}) => {
		const tries = once.tries ?? options.tries;
		const wanted = { signal, continues, isProbe: once.isProbe, isOver: once.isOver };
		const begun = performance.now();
		let failedFirst: number | undefined;
		/** Of that, for *Requests per Second*. */
		let held = 0;
		for (let next = 2; ; next++) {
			const heldBefore = gate.rate.held;
			const answer = await gate.inTurn(
				async () => {
					held += gate.rate.held - heldBefore;
					once.onSent?.();
					return await send(url);
				},
				outcomeOf,
				{ ...wanted, isAgain: next > 2 },
			);
			stopIfCancelled(signal);
			const outcome = outcomeOf(answer);
			if ('response' in answer && (outcome === 'answered' || outcome === 'denied')) return answer.response;

			const told = 'response' in answer ? retryAfterMs(answer.response.headers['retry-after']) : undefined;
			const ours = backoff(outcome === 'refused' ? Math.max(next, gate.pace.refusals + 1) : next);
			const pause = Math.max(told ?? 0, ours);
			failedFirst ??= performance.now();
			const failing = Math.max(performance.now() - failedFirst, gate.losses.failingFor);
			const isTooLate = failing + pause > withinMs || performance.now() + pause > lastTryAt;
			if (outcome === 'unsent' || next > tries || gate.losses.last || isTooLate) {
				const problem = problemOf(answer, sentWith(url));
				// What one more try would only repeat is told as it is.
				const spent = { ms: performance.now() - begun, held };
				const reason = outcome === 'unsent' ? problem : triedInVain(problem, next - 1, { ...spent, told });
				if (once.tries === undefined) gate.losses.add(reason);
				throw reason;
			}
			if (outcome === 'refused') gate.pause(pause);
			await wait(pause, () => gate.stopIfOver(wanted));
		}
	};
}

function problemOf(answer: Answer, sent: string[]): Problem {
	if ('failure' in answer) return answer.failure;
	const { response } = answer;
	return isCutOff(response) ? cutOff() : explainStatus(response.statusCode, response.body, sent);
}

function triedInVain(
	{ message, description, kind, httpCode, concernsAll }: Problem,
	tries: number,
	spent: { ms: number; held: number; told?: number },
): Problem {
	const times = tries === 1 ? 'once' : `${tries} times`;
	const [seconds, held] = [spent.ms, spent.held].map((ms) => Math.round(ms / 1000));
	const ofThem = held > 0 ? `, ${held} of them for 'Requests per Second'` : '';
	const advice = `Tried ${times} in ${seconds} seconds${ofThem}. ${description}`;
	return new Problem(message, advice, { kind, httpCode, concernsAll, retryAfterMs: spent.told });
}
