/** Retry as a decision: when a failed request is sent again, Retry-After, and backoff. */
import {
	backoff,
	RETRY_LIMITS,
	retryAfterMs,
	retryDelay,
	SHORT_RETRY,
	type FailedAttempt,
	type RetryLimits,
} from '../../../nodes/HealthDataService/http/retry';

const now = Date.parse('2026-01-01T00:00:00Z');

it.each([
	['7', 7_000],
	['0', 0],
	[' 1.5 ', 1_500],
	['1.25', 1_250],
	['7 days', undefined],
	['1e3', undefined],
	['3600', RETRY_LIMITS.maxRetryAfterMs],
	['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
	['Thu, 01 Jan 2026 01:00:00 GMT', RETRY_LIMITS.maxRetryAfterMs],
	['Wed, 31 Dec 2025 23:00:00 GMT', 0],
	['soon', undefined],
	['-5', undefined],
	['', undefined],
	[undefined, undefined],
])('Retry-After %p means %p ms', (header, expected) => {
	expect(retryAfterMs(header, now)).toBe(expected);
});

it('backs off longer each time, spread, and never longer than the cap', () => {
	const longest = [2, 3, 4, 5, 6, 7, 20].map((next) => backoff(next, 1));
	expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000]);
	expect(backoff(4, 0)).toBe(1000);
});

it('allows a waiting request at most a minute: two attempts, half a minute for each', () => {
	expect(SHORT_RETRY).toEqual({ maxAttempts: 2, retryForMs: 5_000, timeoutMs: 30_000 });
	expect(RETRY_LIMITS).toMatchObject({ maxAttempts: 7, retryForMs: 180_000, timeoutMs: 300_000 });
});

describe('when a failed request is sent again', () => {
	const FAILED: FailedAttempt = {
		...{ outcome: 'transient', isThrottle: false, attempt: 1, failingMs: 0, now: 0, throttles: 0 },
		...{ isServiceFailing: false, mayRetry: true },
	};
	const LIMITS: RetryLimits = { maxAttempts: 7, retryForMs: 100_000 };
	const throttled = (more: Partial<FailedAttempt> = {}) => ({
		outcome: 'throttled' as const,
		isThrottle: true,
		...more,
	});
	const waitsOut = (more: Partial<RetryLimits> = {}) => ({
		outlastsThrottles: true,
		maxAttempts: 2,
		retryUntil: 1e6,
		...more,
	});

	it.each<[string, number | undefined, Partial<FailedAttempt>, Partial<RetryLimits>?]>([
		['a first failure', 500, {}],
		['a third', 2000, { attempt: 3 }],
		['the last but one', 16_000, { attempt: 6 }],
		['the last', undefined, { attempt: 7 }],
		['the second of two', undefined, { attempt: 2 }, { maxAttempts: 2 }],
		['the only one', undefined, {}, { maxAttempts: 1 }],
		['one that a retry would repeat', undefined, { outcome: 'failed' }],
		['one that the caller does not repeat', undefined, { mayRetry: false }],
		['a failure after throttles', 500, { throttles: 3 }],

		['a first throttle', 500, throttled({ throttles: 1 })],
		['the third of this request', 2000, throttled({ attempt: 3, throttles: 1 })],
		['the fourth of any request', 4000, throttled({ throttles: 4 })],
		['the last attempt, throttled', undefined, throttled({ attempt: 7 })],
		['Retry-After', 7000, throttled({ askedMs: 7000 })],
		['Retry-After of a failure', 7000, { askedMs: 7000, isThrottle: true }],
		['a Retry-After shorter than the pause', 2000, throttled({ attempt: 3, askedMs: 1000 })],
		['a Retry-After of 0', 500, throttled({ askedMs: 0 })],
		['a throttle that the caller does not repeat', undefined, throttled({ mayRetry: false })],

		['a retry at the end of the time', 500, { failingMs: 99_500 }],
		['one after it', undefined, { failingMs: 99_501 }],
		['a Retry-After longer than the time', undefined, throttled({ askedMs: 100_001 })],
		['a retry at the last moment', 500, { now: 99_500 }, { retryUntil: 100_000 }],
		['one after it, by the clock', undefined, { now: 99_501 }, { retryUntil: 100_000 }],

		['a service that fails', 500, { isServiceFailing: true }],
		['a service that fails, the second attempt', undefined, { isServiceFailing: true, attempt: 2 }],

		['a throttle waited out, however often', 30_000, throttled({ attempt: 20 }), waitsOut()],
		['however long', 500, throttled({ failingMs: 200_000 }), waitsOut()],
		['though the service fails', 1000, throttled({ isServiceFailing: true, attempt: 2 }), waitsOut()],
		['though a failure is not repeated', 500, throttled({ mayRetry: false }), waitsOut()],
		['a failure with Retry-After', 2000, { attempt: 3, askedMs: 9, isThrottle: true }, waitsOut()],
		['not a failure', undefined, { attempt: 2 }, waitsOut()],
		['not a 503 without Retry-After', undefined, throttled({ attempt: 2, isThrottle: false }), waitsOut()],
		['not beyond the end', undefined, throttled({ now: 999_501 }), waitsOut()],
		['not with a Retry-After beyond it', undefined, throttled({ askedMs: 1e6 + 1 }), waitsOut()],
		['not where one attempt is wanted', undefined, throttled(), waitsOut({ maxAttempts: 1 })],
	])('%s: %p ms', (...[, delayMs, failed, limits]) => {
		expect(retryDelay({ ...FAILED, ...failed }, { ...LIMITS, ...limits }, 1)).toBe(delayMs);
	});

	it('at random, after half of the pause at least', () => {
		expect(retryDelay(FAILED, LIMITS, 0)).toBe(250);
	});
});
