/** Classification of answers: statuses, incomplete bodies and network errors. */
import {
	classify,
	classifyStatus,
	isRetryable,
	isTruncated,
	type Outcome,
} from '../../../nodes/HealthDataService/http/classify';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';

const response = (statusCode: number, body: unknown = {}, type?: string) =>
	({ statusCode, body, headers: { 'content-type': type } }) as never;
const failure = (kind?: 'temporarily-unavailable') => new Problem('Message', 'Advice', { kind });

it.each<[Outcome, boolean, number[]]>([
	['answered', false, [200, 204, 301, 302, 400, 404, 407, 409, 418, 422, 501, 505, 519, 525]],
	['denied', false, [401, 403]],
	['throttled', true, [429, 503]],
	['transient', true, [408, 425, 500, 502, 504, 520, 521, 522, 523, 524]],
	['failed', false, []],
])('%s, retryable %p: %j', (outcome, retryable, statuses) => {
	expect(isRetryable(outcome)).toBe(retryable);
	expect(statuses.map(classifyStatus)).toEqual(statuses.map(() => outcome));
	expect(statuses.map((status) => classify(response(status)))).toEqual(statuses.map(() => outcome));
});

it('an incomplete body is transient, with any status', () => {
	for (const status of [200, 404]) expect(classify(response(status, '{"users": ['))).toBe('transient');
	expect(classify(response(401, '{"detail'))).toBe('denied');
});

it('no response: transient or failed, as its error says', () => {
	expect(classify(failure('temporarily-unavailable'))).toBe('transient');
	expect(classify(failure())).toBe('failed');
});

const JSON_TYPE = 'application/json; charset=utf-8';
it.each<[boolean, number, unknown, string | undefined]>([
	[true, 200, '{"users": [', JSON_TYPE],
	[true, 200, ' [', undefined],
	[true, 299, '{"us', 'Application/JSON'],
	[false, 200, 'us', JSON_TYPE],
	[true, 200, '', 'application/problem+json'],
	[true, 404, '{"detail', JSON_TYPE],
	[false, 404, 'Not Found', JSON_TYPE],
	[false, 200, 'text {', 'text/plain'],
	[false, 200, 'text', undefined],
	[false, 200, '', 'text/html'],
	[false, 404, '', JSON_TYPE],
	[false, 200, 'text', 'application/jsonp'],
	[false, 200, { users: [] }, JSON_TYPE],
	[false, 200, null, JSON_TYPE],
	[true, 422, '{', JSON_TYPE],
	[false, 422, '', JSON_TYPE],
	// No retry mends these: a number that is none, text behind the data, JSON in JSON, UTF-16, a lone comma.
	[false, 200, '{"value": NaN', JSON_TYPE],
	[false, 200, '{"value": -Infinity}', JSON_TYPE],
	[false, 200, '{"users": []} done', JSON_TYPE],
	[false, 200, '{"users": []}', JSON_TYPE],
	[false, 200, '{\u0000"\u0000u', JSON_TYPE],
	[false, 200, '\ufffd\ufffd{\u0000', JSON_TYPE],
	[false, 200, '{"users": [],}', JSON_TYPE],
])('an incomplete body is %p for status %i, %j as %s', (is, statusCode, body, type) => {
	expect(isTruncated(response(statusCode, body, type))).toBe(is);
});

it('an answer that is cut off anywhere is incomplete', () => {
	const whole = JSON.stringify(
		{ a: [{ n: -1.5e-10, s: '\u00e9 "\n', t: true, f: false, o: null }], total: 1e25 },
		null,
		1,
	);
	const cut = Array.from(whole, (_, end) => whole.slice(0, end));
	expect(cut.filter((body) => !isTruncated(response(200, body, JSON_TYPE)))).toEqual([]);
});
