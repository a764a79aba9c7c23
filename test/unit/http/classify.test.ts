/** Classification of answers: statuses, incomplete bodies and network errors. */
import {
	classify,
	classifyStatus,
	isRetryable,
	isTruncated,
	type Outcome,
} from '../../../nodes/HealthDataService/http/classify';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';

const response = (statusCode: number, body: unknown = {}) => ({ statusCode, body }) as never;
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

it.each<[boolean, unknown]>([
	[true, '{"users": ['],
	[true, ' ['],
	[true, '{"detail'],
	[false, 'Not Found'],
	[false, ''],
	[false, { users: [] }],
	[false, null],
	// No retry mends these: a number that is none, JSON in JSON, a lone comma.
	[false, '{"value": -Infinity}'],
	[false, '{"users": []}'],
	[false, '{"users": [],}\n'],
])('an incomplete body is %p for %j', (is, body) => expect(isTruncated(response(200, body))).toBe(is));
