/** Attempts of a client, while the service fails or throttles: when a request is sent again, its end, and the effect on others. */
import { SINGLE_ATTEMPT, type ClientOptions, type RequestOptions } from '../../../nodes/HealthDataService/http/client';
import { RequestQueue } from '../../../nodes/HealthDataService/http/requestQueue';
import { MAX_PAUSE_MS } from '../../../nodes/HealthDataService/http/retry';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
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

/** A request as the trigger sends it: throttles are waited out until `seconds` from now. */
const until = (seconds: number, more: ClientOptions = {}) => ({
	retryUntil: time.elapsed + seconds * 1000,
	outlastsThrottles: true,
	maxRetryAfterMs: MAX_PAUSE_MS,
	...more,
});
const budget = (mayRetry: boolean, stopsAfterMs = Infinity): RequestOptions => {
	const end = time.elapsed + stopsAfterMs;
	const stoppedBy = () => (time.elapsed > end ? new Problem('No time is left', '') : undefined);
	return { budget: { mayRetry: () => mayRetry, stoppedBy } };
};

type Options = () => [ClientOptions?, RequestOptions?];
const plain: Options = () => [];

it.each<[string, Array<Given | Error>, Options, number[], unknown]>([
	[
		'a failure that stays',
		[status(500)],
		plain,
		[0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5],
		{
			message: 'The service could not answer (status 500)',
			description: 'Tried 7 times in 32 seconds. Try again later. If it stays, ask the people who run the service',
			kind: 'temporarily-unavailable',
			concernsAll: false,
			retryAfterMs: undefined,
		},
	],
	['a failure that passes', [status(502), status(408), {}], plain, [0, 0.5, 1.5], 'OK'],
	['no connection', [UNKNOWN_HOST], plain, [0], { description: expect.stringMatching(/^The name of/) }],
	['a body that is cut off', [CUT, {}], plain, [0, 0.5], 'OK'],
	[
		'one attempt',
		[LATE],
		() => [{}, { maxAttempts: 1 }],
		[0],
		{ description: expect.stringMatching(/^Tried once in 10 s/) },
	],
	[
		'two attempts',
		[status(500)],
		() => [{ maxAttempts: 2 }],
		[0, 0.5],
		{ description: expect.stringMatching(/2 times in 1 second\./) },
	],
	['time from the first failure', [LATE, {}], () => [{ retryForMs: 600 }], [0, 10.5], 'OK'],
	['time that is over', [status(500)], () => [{ retryForMs: 5000 }], [0, 0.5, 1.5, 3.5], { httpCode: '500' }],
	['Retry-After', [status(429, 7), {}], plain, [0, 7], 'OK'],
	['Retry-After of ten minutes', [status(429, 600), {}], plain, [0, 60], 'OK'],
	['Retry-After at the end', [status(503, 50)], () => [{ maxAttempts: 1 }], [0], { retryAfterMs: 50_000 }],
	['no time for the user', [status(503)], () => [{}, budget(true, 2000)], [0, 0.5, 1.5], { httpCode: '503' }],
	['no retry for the user', [status(500)], () => [{}, budget(false)], [0], { httpCode: '500' }],

	['a throttle waited out for ten minutes', [status(429, 600), {}], () => [until(7200)], [0, 600], 'OK'],
	[
		'a throttle waited out to the end',
		[status(429)],
		() => [until(100, { maxAttempts: 2, retryForMs: 1000 })],
		[0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 61.5, 91.5],
		{ httpCode: '429', retryAfterMs: undefined },
	],
	['a failure of two attempts', [status(500)], () => [until(600, { maxAttempts: 2 })], [0, 0.5], { httpCode: '500' }],
	['503 of two attempts', [status(503)], () => [until(600, { maxAttempts: 2 })], [0, 0.5], { httpCode: '503' }],
	[
		'503 with Retry-After',
		[status(503, 2), status(503, 2), {}],
		() => [until(600, { maxAttempts: 2 })],
		[0, 2, 4],
		'OK',
	],
	['a throttle, without retries for the user', [status(429), {}], () => [until(600), budget(false)], [0, 0.5], 'OK'],
	[
		'a throttle, with one attempt',
		[status(429, 30)],
		() => [until(600), { maxAttempts: 1 }],
		[0],
		{ retryAfterMs: 30_000 },
	],
	['a failure before throttles', [status(500), status(429)], () => [until(5)], [0, 0.5, 1.5, 3.5], { httpCode: '500' }],
	['a failure before Retry-After', [status(500), status(429, 60)], () => [until(5)], [0, 0.5], { httpCode: '500' }],
	[
		'a failure before throttles, in a run',
		[status(500), status(429)],
		() => [{ maxAttempts: 3 }],
		[0, 0.5, 1.5],
		{ httpCode: '429' },
	],
	[
		'a failure before throttles, and no time for the user',
		[status(500), status(429)],
		() => [until(600), budget(true, 5000)],
		[0, 0.5, 1.5, 3.5],
		{ httpCode: '500' },
	],
])('%s', async (_, answers, options, times, result) => {
	const { ask, times: sent } = served((__, nth) => answers[Math.min(nth, answers.length) - 1]);
	const given = await ask('/a', ...options());
	if (result === 'OK') expect(given).toBe('OK');
	else expect(given).toMatchObject(result as object);
	expect(sent().map((at) => Math.round(at * 2) / 2)).toEqual(times);
});

describe('other requests', () => {
	const both = async (first: Promise<unknown>, second: () => Promise<unknown>) => {
		await time.pass(1000);
		await Promise.all([first, second()]);
	};

	it.each([
		[429, [7]],
		[500, [1]],
	])('wait for the Retry-After of a %i: %j s', async (code, at) => {
		const { ask, times } = served(
			(path, nth) => status(path === '/a' && nth === 1 ? code : 200, 7),
			new RequestQueue(),
		);
		await both(ask(), async () => await ask('/b'));
		expect(times('/b')).toEqual(at);
	});

	it.each<[string, number, Given, number]>([
		['one throttle', 0.4, status(429), 0],
		['two throttles', 1.4, status(429), 0],
		['three throttles', 3.4, status(429), 2],
		['a Retry-After', 3.8, status(429, 4), 4],
		['a Retry-After beyond its end', 9.5, status(429, 60), 10],
	])('wait when a reader gives up after %s', async (_, end, throttle, seconds) => {
		const { ask, times, queue } = served((path) => (path === '/a' ? throttle : {}));
		await time.pass(1000);
		const begun = time.elapsed - 1000;
		await ask('/a', until(end));
		const failedAt = (time.elapsed - begun) / 1000;
		await ask('/b');
		expect(Math.round(times('/b')[0] - failedAt)).toBe(seconds);
		expect(queue.lastThrottle).toMatchObject({ httpCode: '429' });
	});

	it('wait shortly each time, while they are answered', async () => {
		const { ask, times, queue } = served(
			(path, nth) => (path === '/a' && nth < 5 ? status(429) : {}),
			new RequestQueue(),
		);
		const pause = jest.spyOn(queue, 'pause');
		const end = ask('/a', until(600));
		while (times().length < 5) {
			await ask('/b');
			await time.pass(50);
		}
		expect(await end).toBe('OK');
		expect(pause.mock.calls.flat()).toEqual([500, 500, 500, 500]);
	});

	it('are sent after retries, of which the earliest comes first', async () => {
		const failed: Record<string, Given> = { '/a': status(500, 5), '/b': status(500, 10), '/c': status(500) };
		const { ask, sent } = served((path, nth) => ({ ...(nth === 1 ? failed[path] : {}), tookMs: 400 }));
		await Promise.all([...'abcdef'].map(async (name) => await ask(`/${name}`)));
		expect(sent.map(([path]) => path.slice(1))).toEqual([...'abcde', ...'cf', ...'ab']);
	});

	it('for the first time are sent after those of a user who was begun', async () => {
		const { ask, sent } = served(() => ({ tookMs: 100 }));
		const ofA = budget(true);
		const first = ask('/a', {}, ofA).then(async () => await ask('/A', {}, ofA));
		await Promise.all([first, ...[...'bcd'].map(async (name) => await ask(`/${name}`))]);
		expect(sent.map(([path]) => path.slice(1)).join('')).toBe('abAcd');
	});

	it('do not wait for a throttle of a single attempt', async () => {
		const { ask, times } = served((path) => (path === '/a' ? status(429, 30) : {}));
		await ask('/a', until(600), { maxAttempts: 1 });
		await ask('/b', until(600));
		expect(times('/b')).toEqual([0]);
	});

	it('have two attempts after three failed, until one is answered', async () => {
		let isBack = false;
		const { ask, times } = served((path) => status(isBack && path === '/e' ? 200 : 500));
		for (const path of ['/a', '/b', '/c', '/d']) await ask(path);
		isBack = true;
		for (const path of ['/e', '/f']) await ask(path);
		expect(['/a', '/b', '/c', '/d', '/e', '/f'].map((path) => times(path).length)).toEqual([7, 7, 7, 2, 1, 7]);
	});

	it('of a run that stops on errors get its error, and are not sent', async () => {
		const { ask, sent } = served(() => status(500));
		const stops = { continues: false, maxAttempts: 1 };
		const [first, second] = await Promise.all([ask('/a', stops), ask('/b', stops)]);
		expect([first, second]).toMatchObject([{ concernsAll: false }, { httpCode: '500', concernsAll: true }]);
		expect(sent).toHaveLength(1);
	});

	it('are not judged by a single attempt', async () => {
		const { ask, sent, queue } = served(() => status(500));
		await ask('/a', {}, SINGLE_ATTEMPT);
		expect([sent.length, queue.circuitBreaker.lastFailure]).toEqual([1, undefined]);
		await ask('/b');
		expect(queue.circuitBreaker.lastFailure).toBeDefined();
	});
});

it.each([
	[429, true],
	[500, false],
])('a %i that is outlasted is the last throttle of the queue: %p', async (code, isThrottle) => {
	const { ask, queue } = served(() => status(code));
	await ask('/a', until(5));
	expect(queue.lastThrottle !== undefined).toBe(isThrottle);
});

it.each(['cancelled', 'no longer needed'])('%s while it waits: ends soon, and is not sent again', async (words) => {
	const stop = new AbortController();
	const { ask, times } = served(() => status(500), undefined, words === 'cancelled' ? stop.signal : undefined);
	const end = ask('/a', {}, { isCancelled: () => words !== 'cancelled' && stop.signal.aborted });
	await time.pass(5000);
	stop.abort();
	const begun = time.elapsed;
	expect(await end).toMatchObject({ message: expect.stringContaining(words), concernsAll: true });
	expect(time.elapsed - begun).toBeLessThanOrEqual(250);
	expect(times()).toHaveLength(4);
});

it('an answer after a cancel is none', async () => {
	const run = new AbortController();
	const { ask } = served(() => ({ tookMs: 1000 }), undefined, run.signal);
	const end = ask();
	await time.pass(10);
	run.abort();
	expect(await end).toMatchObject({ message: 'The execution was cancelled' });
});

it('notes when the first attempt for a user left the queue', async () => {
	const { ask } = served((path, nth) => ({ ...status(path === '/b' && nth === 1 ? 500 : 200), tookMs: 400 }));
	const ofB = budget(true);
	const begun = time.elapsed;
	await Promise.all([ask('/a'), ask('/b', {}, ofB)]);
	expect(ofB.budget!.sentAt! - begun).toBeCloseTo(400, -1);
});
