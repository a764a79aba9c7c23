/**
 * Errors: words for each status and each answer that is not the data.
 */
import {
	missingFieldError,
	truncatedError,
	statusError,
	keyError,
	unexpectedBodyError,
} from '../../nodes/HealthDataService/http/errors';

const said = { detail: 'no such value' };
const LATER = 'Try again later. If it stays, ask the people who run the service';

it.each<[number, string, string, object]>([
	[206, 'The service sent a part of its answer only (status 206)', LATER, {}],
	[400, 'The service did not accept the request', 'Check the values of the fields in this node', {}],
	[422, 'The service did not accept the request', 'Check the values of the fields in this node', {}],
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
		"Wait a minute. If it stays, lower 'Concurrent Requests' in the options, read fewer users at a time, or run the workflow less often",
		{ kind: 'rate-limited' },
	],
	[500, 'The service could not answer (status 500)', LATER, { kind: 'temporarily-unavailable' }],
	[503, 'The service could not answer (status 503)', LATER, { kind: 'temporarily-unavailable' }],
	[418, 'The service could not answer (status 418)', LATER, {}],
])('status %i', (status, message, advice, more) => {
	const expected = { kind: 'configuration-invalid', concernsAll: false, httpCode: String(status), ...more };
	expect(statusError(status, said, [])).toMatchObject({
		message,
		description: `The service says: no such value. ${advice}`,
		...expected,
	});
	for (const body of [undefined, null, '', 'text', [], {}, { detail: null }, { detail: [] }, { detail: 7 }])
		expect(statusError(status, body, [])).toMatchObject({ message, description: advice, ...expected });
});

it('401 means the key, for all requests, with any body', () => {
	const expected = {
		message: 'The service did not accept the API key (status 401)',
		description:
			"Check 'API Key' and 'Base URL' in the credential together: a key only works in the environment it was made for",
		kind: 'credential-invalid',
		concernsAll: true,
		httpCode: '401',
	};
	expect(statusError(401, said, [])).toMatchObject(expected);
	expect(keyError(401)).toMatchObject(expected);
	expect(keyError(403).message).toBe('The service did not accept the API key (status 403)');
});

it.each([
	['client_user_id', 'Client User ID'],
	['end_date', 'End Date'],
	['limit', 'Limit'],
	['offset', 'Skip First Users'],
	['provider', 'Provider'],
	['start_date', 'Start Date'],
	['user_id', 'User'],
])('the error of a rejected parameter %s says %s', (parameter, label) => {
	for (const status of [400, 422]) {
		expect(
			statusError(status, { detail: [{ loc: ['request', 'query', parameter], msg: 'wrong' }, { msg: 'other' }] }, []),
		).toMatchObject({
			message: `The service did not accept '${label}'`,
			description: `The service says: wrong. Check the value of '${label}'`,
		});
	}
});

it.each([
	[{ msg: 'wrong', error_message: 'bad', message: 'invalid' }, 'wrong'],
	[{ error_message: 'bad', message: 'invalid' }, 'bad'],
	[{ message: 'invalid' }, 'invalid'],
	[{ type: 'missing' }, 'it is missing'],
	[['wrong', 'bad'], 'wrong'],
])('the reason in %j', (detail, reason) => {
	expect(statusError(500, { detail }, []).description).toBe(`The service says: ${reason}. ${LATER}`);
});

it('nothing of the request is repeated', () => {
	expect(statusError(500, { detail: 'no such value' }, ['value']).description).toBe(LATER);
	expect(statusError(500, { detail: [{ msg: 'no such value' }] }, ['value']).description).toBe(LATER);
});

describe('an answer that is not the data', () => {
	const ADVICE =
		"Check 'Base URL' in the credential: it must be the address of the Health Data Service itself, not of a web site or login page";

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

	it('has numbers that JSON does not know', () => {
		expect(unexpectedBodyError('{"users": [NaN]}')).toMatchObject({
			message: "The service's answer is not valid JSON",
			description: 'It has NaN or Infinity in place of a number. Ask the people who run the service',
			httpCode: '200',
		});
	});

	it('lacks a promised field', () => {
		expect(missingFieldError('users')).toMatchObject({
			message: "The service's answer has no 'users'",
			description: ADVICE,
			httpCode: '200',
		});
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
