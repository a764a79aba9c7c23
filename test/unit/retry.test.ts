/**
 * What is tried again, and how long is waited before: the service's wish, or longer each time.
 */
import { backoff, RETRY_LIMITS, retryAfterMs } from '../../nodes/HealthDataService/http/retry';
import { isTransientCode, isTransientStatus } from '../../nodes/HealthDataService/http/transient';

const now = Date.parse('2026-01-01T00:00:00Z');

it.each([
	['7', 7_000],
	['0', 0],
	[' 1.5 ', 1_500],
	['3600', RETRY_LIMITS.longestToldWaitMs],
	['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
	['Thu, 01 Jan 2026 01:00:00 GMT', RETRY_LIMITS.longestToldWaitMs],
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

it('all waiting together stays within minutes', () => {
	const waits = Array.from({ length: RETRY_LIMITS.tries - 1 }, (_, i) => backoff(i + 2, 1)).reduce((a, b) => a + b);
	expect(waits).toBeLessThan(RETRY_LIMITS.withinMs);
	expect(RETRY_LIMITS.withinMs + RETRY_LIMITS.longestToldWaitMs).toBeLessThanOrEqual(4 * 60_000);
});

it.each([429, 500, 502, 503, 504])('%i can pass', (status) => expect(isTransientStatus(status)).toBe(true));
it.each([200, 301, 400, 401, 403, 404, 408, 422, 501])('%i stays', (status) =>
	expect(isTransientStatus(status)).toBe(false),
);
it.each(['ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EAI_AGAIN', 'ECONNABORTED', undefined])('%s can pass', (code) =>
	expect(isTransientCode(code)).toBe(true),
);
it.each(['ENOTFOUND', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
	'%s stays',
	(code) => expect(isTransientCode(code)).toBe(false),
);
