/**
 * How often something is tried again, and how long to wait for that (quirks 19, 20).
 */
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { Problem } from '../shared/problem';
import { codeOf, explainStatus, explainUnreachable } from './explain';
import type { Gate, Outcome } from './gate';
import type { Answer, Send } from './send';
import { isRefusal, isTransientCode, isTransientStatus } from './transient';
import { stopIfCancelled, wait } from './wait';

/** Bounds of all waiting. One object, so that tests can be quicker than the night shift. */
export const RETRY_LIMITS = {
	tries: 7,
	firstWaitMs: 500,
	longestWaitMs: 30_000,
	/** Longest that a service is obeyed when it says how long to wait. */
	longestToldWaitMs: 60_000,
	/** Nothing is tried again when the first try is longer ago than this. */
	withinMs: 180_000,
};

/** Where somebody or something waits for the answer: better an early error than a late one. */
export const SHORT_RETRY = { tries: 2, withinMs: 5_000 };

function outcomeOf(answer: Answer): Outcome {
	if ('failure' in answer) return isTransientCode(codeOf(answer.failure)) ? 'failed' : 'answered';
	const { statusCode } = answer.response;
	if (isRefusal(statusCode)) return 'refused';
	return isTransientStatus(statusCode) ? 'failed' : 'answered';
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

export interface RetryOptions {
	/** The address that errors name. */
	root: string;
	gate: Gate;
	signal?: AbortSignal;
	/** On Error "Continue": after one request was given up, the others are sent all the same. */
	continues: boolean;
	/** How often a request is sent at most, and for how long it is tried in all. */
	tries: number;
	withinMs: number;
}

/** What one request wants differently. */
export interface Once {
	/** It is a question whose failure is an answer too: nobody else learns from it that the service has failed. */
	tries?: number;
	/** It is not wanted any more. */
	signal?: AbortSignal;
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
	const { root, gate, continues, withinMs } = options;

	return async (url, once = {}) => {
		const tries = once.tries ?? options.tries;
		const signals = [options.signal, once.signal].filter((one) => one !== undefined);
		const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
		const begun = performance.now();
		for (let next = 2; ; next++) {
			const answer = await gate.inTurn(async () => await send(url), outcomeOf, { signal, continues });
			stopIfCancelled(signal);
			const outcome = outcomeOf(answer);
			if (outcome === 'answered') return received(answer, root);

			const told = 'response' in answer ? retryAfterMs(answer.response.headers['retry-after']) : undefined;
			const pause = told ?? backoff(outcome === 'refused' ? Math.max(next, gate.refusals + 1) : next);
			const waited = performance.now() - begun;
			if (next > tries || gate.givenUp || Math.max(waited, gate.failingFor) + pause > withinMs) {
				const problem = giveUpProblem(answer, root, next - 1, waited);
				if (once.tries === undefined) gate.givenUp = problem;
				throw problem;
			}
			if (outcome === 'refused') gate.pause(pause);
			await wait(pause, signal);
		}
	};
}

function received(answer: Answer, root: string): IN8nHttpFullResponse {
	if ('failure' in answer) throw explainUnreachable(answer.failure, root);
	return answer.response;
}

function giveUpProblem(answer: Answer, root: string, tries: number, waitedMs: number): Problem {
	const { message, description, kind, httpCode } =
		'failure' in answer
			? explainUnreachable(answer.failure, root)
			: explainStatus(answer.response.statusCode, answer.response.body);
	const times = tries === 1 ? 'once' : `${tries} times`;
	const advice = `Tried ${times} in ${Math.round(waitedMs / 1000)} seconds. ${description}`;
	return new Problem(message, advice, { kind, httpCode });
}
