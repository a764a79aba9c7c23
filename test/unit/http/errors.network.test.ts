/** Errors of failed connections: what n8n's administrator or user can do about each, and no word of the service. */
import { networkError } from '../../../nodes/HealthDataService/http/errors';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';

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
		['SELF_SIGNED_CERT_IN_CHAIN', false, 'its certificate is not trusted'],
		['NO_CERT_ERROR', true, 'ended without an answer (NO_CERT_ERROR). Try'],
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
