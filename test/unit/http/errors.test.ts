/** Errors: words for each status, each answer that is not the data and each failed connection; no word of the service. */
import { fc } from '../../helpers/properties';
import {
	missingFieldError,
	networkError,
	truncatedError,
	statusError,
	keyError,
	unexpectedBodyError,
} from '../../../nodes/HealthDataService/http/errors';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';

const said = { detail: 'no such value' };
const LATER = 'Try again later. If it stays, ask the people who run the service';

it.each<[number, string, string, object]>([
	[206, 'The service sent a part of its answer only (status 206)', LATER, {}],
	[
		400,
		'The service did not accept the request',
		'Check the values of the fields in this node. If they are right, try again',
		{},
	],
	[
		403,
		"The service refuses this user's data (status 403)",
		"The key itself is accepted. Ask the people who run the service whether your team may read this user's data",
		{},
	],
	[
		404,
		'The service has nothing at this address (status 404)',
		"Check 'Base URL' in the credential",
		{ concernsAll: true },
	],
	[
		429,
		'The service is receiving too many requests (status 429)',
		"Wait a minute. If it stays, set 'Requests per Second' in the options, read fewer users at a time, or run the workflow less often",
		{ kind: 'rate-limited' },
	],
	[500, 'The service could not answer (status 500)', LATER, { kind: 'temporarily-unavailable' }],
	[
		407,
		'A proxy between n8n and the service asks for a password (status 407)',
		"Ask n8n's administrator: the proxy's name and password belong into HTTP_PROXY and HTTPS_PROXY, or into 'Proxy' in the request options. n8n cannot log in with NTLM or Kerberos: such a proxy must let n8n pass without",
		{ concernsAll: true },
	],
	[418, 'The service could not answer (status 418)', LATER, {}],
])('status %i', (status, message, advice, more) => {
	const expected = { kind: 'configuration-invalid', concernsAll: false, httpCode: String(status), ...more };
	for (const body of [said, undefined, null, '', 'text', [], {}, { detail: null }, { detail: [] }, { detail: 7 }])
		expect(statusError(status, body)).toMatchObject({ message, description: advice, ...expected });
});

it('401 means the key, for all requests, with any body', () => {
	const expected = {
		message: 'The service did not accept the API key (status 401)',
		description:
			"Check 'API Key' and 'Base URL' in the credential together: a key only works in the environment it was made for. A proxy that does not allow this host answers 403, too",
		kind: 'credential-invalid',
		concernsAll: true,
		httpCode: '401',
	};
	expect(statusError(401, said)).toMatchObject(expected);
	expect(keyError(401)).toMatchObject(expected);
	expect(keyError(403).message).toBe('The service did not accept the API key (status 403)');
});

it.each([
	['client_user_id', 'Client User ID'],
	['end_date', 'Date Range'],
	['limit', 'Limit'],
	['offset', 'Skip First Users'],
	['provider', 'Provider'],
	['start_date', 'Date Range'],
	['user_id', 'User'],
])('the error of a rejected parameter %s says %s', (parameter, label) => {
	for (const status of [400, 422]) {
		expect(
			statusError(status, { detail: [{ loc: ['request', 'query', parameter], msg: 'wrong' }, { msg: 'other' }] }),
		).toMatchObject({
			message: `The service did not accept '${label}'`,
			description: `Check '${label}'`,
		});
	}
});

/** An array in an array, thousands of levels deep. */
const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

it.each<[string, unknown]>([
	['null in place of a method', { toString: null }],
	['a list of such', [{ toString: null, valueOf: null }]],
	['nested', nested(9000)],
])('a body that cannot be made text is an error with advice: %s', (_, odd) => {
	const bodies = [odd, { detail: odd }, { detail: [odd] }, { detail: [{ loc: odd }] }, { detail: { loc: [odd] } }];
	const expected = {
		message: 'The service did not accept the request',
		description: 'Check the values of the fields in this node. If they are right, try again',
	};
	for (const body of bodies) expect(statusError(422, body)).toMatchObject(expected);
});

/** A key, an identifier, a reading, and marks that could forge a line of a log. */
const SECRETS = ['sk-Live_Secret-Key', 'anna.smith', '151/93 mmHg', '\n[ERROR] forged', '\u202e', '"'];
const secret = fc.constantFrom(...SECRETS);
const body = fc.oneof(
	secret,
	secret.map((detail) => ({ detail })),
	secret.map((detail) => ({ detail: [detail] })),
	secret.map((said) => ({ detail: [{ msg: said, type: said, loc: [said], input: said }] })),
	secret.map((message) => ({
		detail: { error_type: message, error_message: message, message, loc: ['query', message] },
	})),
);

it('no word of the service is repeated, in any shape', () => {
	fc.assert(
		fc.property(fc.constantFrom(400, 401, 403, 404, 409, 418, 422, 429, 500, 503), body, (status, answer) => {
			const { message, description } = statusError(status, answer);
			for (const one of SECRETS) expect(`${message} ${description}`).not.toContain(one);
		}),
	);
});

it.each(['constructor', '__proto__', 'secret'])('a parameter called %s names no field', (name) => {
	const { message } = statusError(422, { detail: { loc: ['query', name] } });
	expect(message).toBe('The service did not accept the request');
});

describe('an answer that is not the data', () => {
	const ADVICE =
		"Check 'Base URL' in the credential: it must be the address of the Health Data Service itself, not of a web site or login page. If it is right, ask the people who run the service";

	it.each<[unknown, string]>([
		['<html>', 'A web page came back instead of data'],
		[' \n<!doctype html>', 'A web page came back instead of data'],
		['1 < 2', "The service's answer is not the data that was asked for"],
		['text', "The service's answer is not the data that was asked for"],
		[['<'], "The service's answer is not the data that was asked for"],
		[null, "The service's answer is not the data that was asked for"],
	])('%j', (body, message) => {
		expect(unexpectedBodyError(body)).toMatchObject({
			message,
			description: ADVICE,
			httpCode: '200',
			concernsAll: false,
			kind: 'configuration-invalid',
		});
	});

	it('has no promised field', () => {
		const message = "The service's answer has no 'users'";
		expect(missingFieldError('users')).toMatchObject({ message, description: ADVICE, httpCode: '200' });
	});

	it('that was cut off is transient', () => {
		expect(truncatedError()).toMatchObject({
			message: 'The answer of the service was cut off',
			description: LATER,
			kind: 'temporarily-unavailable',
			httpCode: '200',
		});
	});
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
		['ECONNRESET', true, 'health.example:444, or it ended too early (ECONNRESET). Try'],
		['ECONNABORTED', true, "raise 'Timeout'"],
		['ETIMEDOUT', true, 'health.example:444 did not answer in time. Try again later'],
		['EPROTO', true, 'No encrypted connection to health.example:444 could be made (EPROTO). Check'],
		['ERR_SSL_WRONG_VERSION_NUMBER', false, 'No encrypted connection to health.example:444'],
		['HPE_INVALID_CONSTANT', true, 'answers at health.example:444 is not a web service (HPE_INVALID_CONSTANT). Check'],
		[
			'CERT_HAS_EXPIRED',
			false,
			"its certificate is not trusted (CERT_HAS_EXPIRED). Have it replaced, or turn on 'Ignore SSL Issues (Insecure)' in the credential",
		],
		['DEPTH_ZERO_SELF_SIGNED_CERT', false, 'is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)'],
		['NO_CERT_ERROR', true, 'or it ended too early (NO_CERT_ERROR). Try'],
		['ERR_TLS_CERT_ALTNAME_INVALID', false, 'is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)'],
		['CERT_SOMETHING_NEW', false, 'is not trusted (CERT_SOMETHING_NEW)'],
		['ESOMETHING_NEW', true, 'or it ended too early (ESOMETHING_NEW). Try'],
		['E2 secret', true, 'or it ended too early. Try'],
		['secret_ECONN', true, 'or it ended too early. Try'],
		['toString', true, 'or it ended too early. Try'],
		[{ secret: 1 }, true, 'or it ended too early. Try'],
		[undefined, true, 'or it ended too early. Try'],
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

	it("n8n's own refusal of an address is lasting, another error name with the same end is none", () => {
		expect(problemOf(undefined, { name: 'SsrfBlockedIpError' })).toMatchObject({
			isTransient: false,
			concernsAll: true,
			description: expect.stringContaining("n8n's administrator"),
		});
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
