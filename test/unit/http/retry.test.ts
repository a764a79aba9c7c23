/** Retry: Retry-After, backoff, and limits. When a failed request is sent again: retry.attempts.test.ts. */
import { backoff, RETRY_LIMITS, retryAfterMs, SHORT_RETRY } from '../../../nodes/HealthDataService/http/retry';

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-01T00:00:00Z')));
afterEach(() => jest.restoreAllMocks());

it.each([
	['7', 7_000],
	['0', 0],
	[' 1.5 ', 1_500],
	['1.25', 1_250],
	['7 days', 7_000],
	['3600', RETRY_LIMITS.maxRetryAfterMs],
	['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
	['Thu, 01 Jan 2026 01:00:00 GMT', RETRY_LIMITS.maxRetryAfterMs],
	['Wed, 31 Dec 2025 23:00:00 GMT', 0],
	['Thu Jan  1 00:00:30 2026', 30_000],
	['Thursday, 01-Jan-26 00:00:30 GMT', 30_000],
	['soon', undefined],
	['in 5', undefined],
	['-5', 0],
	['', undefined],
	[undefined, undefined],
])('Retry-After %p means %p ms', (header, expected) => {
	expect(retryAfterMs(header, RETRY_LIMITS.maxRetryAfterMs)).toBe(expected);
});

it("a date counts from the answer's own, whatever n8n's clock says", () => {
	const [date, until] = ['Thu, 01 Jan 2026 00:50:00 GMT', 'Thu, 01 Jan 2026 00:50:05 GMT'];
	expect(retryAfterMs(until, RETRY_LIMITS.maxRetryAfterMs, date)).toBe(5_000);
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
