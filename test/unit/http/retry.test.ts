/**
 * Retry-After, backoff and words of network errors.
 */
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { networkError } from '../../../nodes/HealthDataService/http/errors';
import { backoff, RETRY_LIMITS, retryAfterMs, SHORT_RETRY } from '../../../nodes/HealthDataService/http/retry';

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

it('the sum of all pauses stays within minutes', () => {
	const waits = Array.from({ length: RETRY_LIMITS.maxAttempts - 1 }, (_, i) => backoff(i + 2, 1)).reduce(
		(a, b) => a + b,
	);
	expect(waits).toBeLessThan(RETRY_LIMITS.retryForMs);
	expect(RETRY_LIMITS.retryForMs + RETRY_LIMITS.maxRetryAfterMs).toBeLessThanOrEqual(4 * 60_000);
});

it('allows a waiting request at most a minute: two attempts, half a minute for each', () => {
	expect(SHORT_RETRY).toEqual({ maxAttempts: 2, retryForMs: 5_000, timeoutMs: 30_000 });
	expect(RETRY_LIMITS).toMatchObject({ maxAttempts: 7, retryForMs: 180_000, timeoutMs: 300_000 });
});

describe('errors of failed connections', () => {
	const problemOf = (code: unknown, more = {}) =>
		networkError(
			Object.assign(new Error('secret'), { cause: { code, message: 'secret', ...more } }),
			'https://health.example:444/api',
		);
	it.each([
		['ECONNREFUSED', true, 'Nothing answers at health.example:444. Check'],
		['ENOTFOUND', false, 'The name of health.example:444 is not known. Check'],
		['EAI_AGAIN', true, 'could not be looked up'],
		['ECONNRESET', true, 'closed the connection before its answer was complete'],
		['ECONNABORTED', true, "raise 'Timeout'"],
		['ETIMEDOUT', true, 'health.example:444 did not answer in time. Try again later'],
		['EHOSTUNREACH', true, 'There is no network route to health.example:444'],
		['ENETUNREACH', true, 'There is no network route to health.example:444'],
		['EPROTO', true, 'health.example:444 does not speak the encryption'],
		['ERR_SSL_WRONG_VERSION_NUMBER', false, 'health.example:444 does not speak the encryption'],
		['ERR_BAD_RESPONSE', true, 'The answer of health.example:444 was cut off. Try'],
		[
			'CERT_HAS_EXPIRED',
			false,
			"its certificate is not trusted: it has expired. Have it replaced, or turn on 'Ignore SSL Issues (Insecure)' in the credential",
		],
		['DEPTH_ZERO_SELF_SIGNED_CERT', false, 'it is self-signed'],
		['ERR_TLS_CERT_ALTNAME_INVALID', false, 'it is for another name'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, 'its issuer is not known'],
		['CERT_SOMETHING_NEW', false, 'its certificate is not trusted: it is not valid'],
		['ESOMETHING_NEW', true, 'ended without an answer (ESOMETHING_NEW). Try'],
		['E2 secret', true, 'ended without an answer. Try'],
		['secret_ECONN', true, 'ended without an answer. Try'],
		['toString', true, 'ended without an answer. Try'],
		[{ secret: 1 }, true, 'ended without an answer. Try'],
		[undefined, true, 'ended without an answer. Try'],
	])('%p', (code, isTransient, words) => {
		const problem = problemOf(code);
		expect(problem).toMatchObject({
			message: 'The service could not be reached',
			isTransient,
			concernsAll: !isTransient,
		});
		expect(problem.description).toContain(words);
		expect(problem.description).not.toContain('secret');
	});

	it("n8n's own refusal of an address is lasting", () => {
		expect(problemOf(undefined, { name: 'SsrfBlockedIpError' })).toMatchObject({
			isTransient: false,
			concernsAll: true,
			description: expect.stringContaining("n8n's administrator"),
		});
	});

	it('another error name with the same end is not', () => {
		expect(problemOf(undefined, { name: 'NotSsrfBlocked' }).description).not.toContain("n8n's administrator");
	});

	it('a Problem wrapped by n8n is unwrapped', () => {
		const problem = new Problem('mine', 'advice');
		expect(networkError(Object.assign(new Error('theirs'), { cause: problem }), 'https://health.example')).toBe(
			problem,
		);
		expect(networkError(problem, 'https://health.example')).toBe(problem);
	});
});
