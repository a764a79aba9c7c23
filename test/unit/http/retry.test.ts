/**
 * Retries: Retry-After, backoff and limits; the attempts of a client while the service fails or throttles: when a request is sent
 * again, its end, and the effect on others.
 */
import { Budget } from '../../../nodes/HealthDataService/http/budget';
import { type ClientOptions, type RequestOptions } from '../../../nodes/HealthDataService/http/client';
import { CANCELLED_REQUEST } from '../../../nodes/HealthDataService/http/errors';
import { RequestQueue } from '../../../nodes/HealthDataService/http/requestQueue';
import {
	backoff,
	MAX_PAUSE_MS,
	RETRY_LIMITS,
	retryAfterMs,
	SHORT_RETRY,
} from '../../../nodes/HealthDataService/http/retry';
import { served, useRetryLimits, type Given } from '../../helpers/playedService';
import { useVirtualTime } from '../../helpers/virtualTime';

const time = useVirtualTime();
useRetryLimits();

const status = (statusCode: number, seconds?: number | string): Given => ({
	statusCode,
	headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
});
const LATE: Given = { statusCode: 500, tookMs: 10_000 };
const CUT: Given = { headers: { 'content-type': 'application/json' }, body: '{"users": [' };
const UNKNOWN_HOST = Object.assign(new Error(), { code: 'ENOTFOUND' });
const NO_ADDRESS = { description: expect.stringMatching(/^The name of/) };

/** A request as the trigger sends it: throttles are waited out until `seconds` from now. */
const until = (seconds: number, more: Partial<ClientOptions> = {}) => ({
	retryUntil: time.elapsed + seconds * 1000,
	maxRetryAfterMs: MAX_PAUSE_MS,
	...more,
});
const budget = (mayRetry: boolean, totalMs = Infinity): RequestOptions => ({
	budget: new Budget(() => ({ retryMs: mayRetry ? Infinity : 0, totalMs })),
});

const cancelled = (afterMs: number): RequestOptions => {
	const end = time.elapsed + afterMs;
	return { isCancelled: () => time.elapsed > end };
};

type Options = () => [Partial<ClientOptions>?, RequestOptions?];
const plain: Options = () => [];
const most =
	(maxAttempts: number): Options =>
	() => [{ maxAttempts }];
const within =
	(retryForMs: number): Options =>
	() => [{ retryForMs }];
const poll =
	(seconds: number, more = {}): Options =>
	() => [until(seconds, more)];
const ofUser =
	(request: RequestOptions): Options =>
	() => [until(600), request];
const says = (text: RegExp) => ({ description: expect.stringMatching(text) });
const failed = (status: number) => ({ httpCode: String(status) });

it.each<[string, Array<Given | Error>, Options, number[], unknown]>([
	[
		'a failure that stays',
		[status(500)],
		plain,
		[0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5],
		{
			message: 'The service could not answer (status 500)',
			description: 'Tried 7 times in 32 s. Try again later. If it stays, ask the people who run the service',
			kind: 'temporarily-unavailable',
			concernsAll: false,
			retryAfterMs: undefined,
		},
	],
	['a failure that passes', [status(502), status(408), {}], plain, [0, 0.5, 1.5], 'OK'],
	['no connection', [UNKNOWN_HOST], plain, [0], NO_ADDRESS],
	['no connection after a failure', [status(500), UNKNOWN_HOST], plain, [0, 0.5], NO_ADDRESS],
	['a body that is cut off', [CUT, {}], plain, [0, 0.5], 'OK'],
	['one attempt', [LATE], () => [{}, { maxAttempts: 1 }], [0], says(/^Try again later/)],
	['two attempts', [status(500)], most(2), [0, 0.5], says(/2 times in 1 s\./)],
	['time from the first failure', [LATE, {}], within(600), [0, 10.5], 'OK'],
	['Retry-After', [status(429, 7), {}], plain, [0, 7], 'OK'],
	['Retry-After of ten minutes', [status(429, 600), {}], plain, [0, 60], 'OK'],
	['Retry-After at the end', [status(503, 50)], most(1), [0], { retryAfterMs: 50000 }],
	['no time for the user', [status(503)], () => [{}, budget(true, 2000)], [0, 0.5, 1.5], failed(503)],
	['no retry for the user', [status(500)], () => [{}, budget(false)], [0], failed(500)],

	['a retry that is cancelled', [status(500)], () => [{}, cancelled(2000)], [0, 0.5, 1.5], CANCELLED_REQUEST],
	['a retry at the end of the time', [status(500)], within(3500), [0, 0.5, 1.5, 3.5], failed(500)],
	['a retry just after it', [status(500)], within(3499), [0, 0.5, 1.5], failed(500)],
	['a Retry-After longer than the time', [status(429, 9)], within(8000), [0], { retryAfterMs: 9000 }],
	['a Retry-After shorter than the pause', [status(429, 1)], most(4), [0, 1, 2, 4], { retryAfterMs: 1000 }],
	['a Retry-After of a failure', [status(500, 7), {}], plain, [0, 7], 'OK'],
	['a Retry-After of 0', [status(429, 0), {}], plain, [0, 0.5], 'OK'],
	['a failure until the end', [status(500)], poll(3.5), [0, 0.5, 1.5, 3.5], failed(500)],
	['a Retry-After beyond the end', [status(429, 6)], poll(5), [0], { retryAfterMs: 6000 }],

	['a throttle waited out for ten minutes', [status(429, 600), {}], poll(7200), [0, 600], 'OK'],
	[
		'a throttle waited out to the end',
		[status(429)],
		() => [until(100, { maxAttempts: 2, retryForMs: 1000 })],
		[0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 61.5, 91.5],
		{ httpCode: '429', retryAfterMs: undefined },
	],
	['a failure of two attempts', [status(500)], poll(600, { maxAttempts: 2 }), [0, 0.5], failed(500)],
	['503 of two attempts', [status(503)], poll(600, { maxAttempts: 2 }), [0, 0.5], failed(503)],
	['503 with Retry-After', [status(503, 2), status(503, 2), {}], poll(600, { maxAttempts: 2 }), [0, 2, 4], 'OK'],
	['a throttle, without retries for the user', [status(429), {}], () => [until(600), budget(false)], [0, 0.5], 'OK'],
	['a throttle, with one attempt', [status(429, 30)], ofUser({ maxAttempts: 1 }), [0], { retryAfterMs: 30000 }],
	['a failure before throttles', [status(500), status(429)], poll(5), [0, 0.5, 1.5, 3.5], failed(500)],
	['a failure before Retry-After', [status(500), status(429, 60)], poll(5), [0, 0.5], failed(500)],
	['a failure before throttles, in a run', [status(500), status(429)], most(3), [0, 0.5, 1.5], failed(429)],
	['failure, throttles, end', [status(500), status(429)], ofUser(budget(true, 5000)), [0, 0.5, 1.5, 3.5], failed(500)],
])('%s', async (_, answers, options, times, result) => {
	const { ask, times: sent } = served((__, nth) => answers[Math.min(nth, answers.length) - 1]);
	const given = await ask('/a', ...options());
	if (result === 'OK') expect(given).toBe('OK');
	else expect(given).toMatchObject(result as object);
	expect(sent().map((at) => Math.round(at * 2) / 2)).toEqual(times);
});

describe('other requests', () => {
	it('wait for nothing when a reader gives up after some throttles', async () => {
		const { ask, times } = served((path) => (path === '/a' ? status(429) : {}));
		await ask('/a', until(3.4));
		const failedAt = time.elapsed / 1000;
		await ask('/b');
		expect(Math.round(times('/b')[0] - failedAt)).toBeLessThanOrEqual(0);
	});

	it.each<[string, number, Options, number, number?]>([
		['a 429', 429, plain, 7],
		['no 500', 500, plain, 1],
		['no 429 of a probe', 429, () => [{}, { isProbe: true }], 1],
		['no 429 of a single attempt', 429, () => [until(600), { maxAttempts: 1 }], 1],
		['a 503 after failures of others', 503, plain, 7, 3],
	])('wait for the Retry-After of %s', async (_, code, options, seconds, failures = 0) => {
		const queue = new RequestQueue();
		for (let i = 0; i < failures; i++) queue.noteFailure();
		const { ask, times } = served((path, nth) => status(path === '/a' && nth === 1 ? code : 200, 7), queue);
		const first = ask('/a', ...options());
		await time.pass(1000);
		await Promise.all([first, ask('/b')]);
		expect(times('/b')).toEqual([seconds]);
	});

	it.each([
		// The second request is limited after an answer.
		['all', 429, 7, 2],
		['single users', 200, 1, 1],
	])('of a poll wait for one of %s: the list is asked once until an answer', async (_, ofList, seconds, count) => {
		const isLimited = (path: string, nth: number) => !path.startsWith('/b') && nth === 1;
		const { ask, times } = served(
			(path, nth) => status(path.startsWith('/v2') ? ofList : isLimited(path, nth) ? 429 : 200, 7),
			new RequestQueue(),
		);
		const poll = async (path: string) => await ask(path, until(600, { isPoll: true }), budget(true));
		const asked = () => times('/v2/user?limit=1').length;
		const limited = [poll('/a')];
		await time.pass(500);
		limited.push(poll('/c'));
		await time.pass(500);
		await Promise.all([...limited, poll('/b')]);
		expect([times('/b'), asked()]).toEqual([[seconds], count]);
		await poll('/d');
		expect(asked()).toBe(count + 1);
	});

	it('wait after a 429 without Retry-After as long as its request', async () => {
		const { ask, times } = served((path) => status(path === '/a' ? 429 : 200), new RequestQueue());
		const first = ask('/a', { maxAttempts: 2 });
		await time.pass(100);
		await Promise.all([first, ask('/b')]);
		expect(times('/b')).toEqual([0.5]);
	});

	const users = Array.from({ length: 200 }, (_, name) => `/${name}`);

	it('are not held back by a 503 of every user, while the list is answered', async () => {
		const { ask, sent } = served((path) => status(path.startsWith('/v2') ? 200 : 503), new RequestQueue());
		await Promise.all(users.map(async (user) => await ask(user)));
		expect(sent.at(-1)![1]).toBeLessThan(240);
	});

	it('are all answered by a service that answers 503 above one request a second', async () => {
		let next = 0;
		const { ask } = served(() => {
			const isFree = performance.now() >= next;
			if (isFree) next = performance.now() + 1000;
			return { ...status(isFree ? 200 : 503), tookMs: 50 };
		}, new RequestQueue());
		const results = await Promise.all(users.map(async (user) => await ask(user)));
		expect(new Set(results)).toEqual(new Set(['OK']));
	});

	it('for the first time are sent after those of a user who was begun', async () => {
		const { ask, sent } = served((path, nth) => ({ ...(path === '/A' && nth === 1 && status(500)), tookMs: 100 }));
		const ofA = budget(true);
		const first = ask('/a', {}, ofA).then(async () => await ask('/A', {}, ofA));
		await Promise.all([first, ...[...'bcd'].map(async (name) => await ask(`/${name}`))]);
		expect(sent.map(([path]) => path.slice(1)).join('')).toBe('abAcdA');
		// Three requests and the pause before the third; not the wait for the second.
		expect(ofA.budget!.ms).toBe(800);
	});

	it('are sent after retries, of which the earliest comes first', async () => {
		const failed: Record<string, Given> = { '/a': status(500, 5), '/b': status(500, 10), '/c': status(500) };
		const { ask, sent } = served((path, nth) => ({ ...(nth === 1 ? failed[path] : {}), tookMs: 400 }));
		await Promise.all([...'abcdef'].map(async (name) => await ask(`/${name}`)));
		expect(sent.map(([path]) => path.slice(1))).toEqual([...'abcde', ...'cf', ...'ab']);
	});
});

it.each([
	[2, 7],
	[3, 2],
])(
	'after %i failures of others in a row, a request has %i attempts, and counts as one more',
	async (count, attempts) => {
		const { ask, queue, times } = served(() => status(500));
		for (let i = 0; i < count; i++) queue.noteFailure();
		await ask();
		expect(times()).toHaveLength(attempts);
		expect(queue.failures.count).toBe(count + 1);
	},
);

it('after an answer, a request has all attempts again', async () => {
	const { ask, queue, times } = served((path) => status(path === '/a' ? 500 : 200));
	for (let i = 0; i < 3; i++) queue.noteFailure();
	await ask('/b');
	await ask('/a');
	expect(times()).toHaveLength(7);
});

it.each([
	[429, [429, 429, 429, 429]],
	[500, []],
])('each %i that is outlasted is a throttle for the reader: %p', async (code, codes) => {
	const { ask } = served(() => status(code));
	const told: number[] = [];
	await ask('/a', until(5, { onThrottle: ({ httpCode }) => told.push(Number(httpCode)) }));
	expect(told).toEqual(codes);
});

describe('Retry-After', () => {
	beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-01T00:00:00Z')));

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
	])('%p means %p ms', (header, expected) => {
		expect(retryAfterMs(header, RETRY_LIMITS.maxRetryAfterMs)).toBe(expected);
	});

	it("a date counts from the answer's own, whatever n8n's clock says", () => {
		const [date, until] = ['Thu, 01 Jan 2026 00:50:00 GMT', 'Thu, 01 Jan 2026 00:50:05 GMT'];
		expect(retryAfterMs(until, RETRY_LIMITS.maxRetryAfterMs, date)).toBe(5_000);
	});
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
