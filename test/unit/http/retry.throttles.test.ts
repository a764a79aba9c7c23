/**
 * Throttled requests of a reader that waits out throttles, in virtual time: when it sends them again, when it gives up, and the effect
 * on other requests.
 */
import { RequestQueue } from '../../../nodes/HealthDataService/http/requestQueue';
import { MAX_PAUSE_MS, type RetryOptions } from '../../../nodes/HealthDataService/http/retry';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { budget, service, status, time, useAttempts } from '../../helpers/attempts';

useAttempts();

const until = (seconds: number, more: Partial<RetryOptions> = {}) => ({
	retryUntil: seconds * 1000,
	outlastsThrottles: true,
	maxRetryAfterMs: MAX_PAUSE_MS,
	...more,
});
const after = (seconds: number) => ({ 'retry-after': String(seconds) });
const oneByOne = () => new RequestQueue({ concurrency: 1 });

it('sends a limited request again until then, however often it was sent, and no longer', async () => {
	const { ask, times } = service(oneByOne(), () => status(429));
	const once = { maxAttempts: 2, retryForMs: 1000 };
	expect(await time.until(ask('a', until(100, once)), 200_000)).toMatchObject({
		httpCode: '429',
		description: expect.stringMatching(/^Tried 9 times in 9\d seconds/),
		retryAfterMs: undefined,
	});
	expect(times().map(Math.floor)).toEqual([0, 0, 1, 3, 7, 15, 31, 61, 91]);
});

it.each([
	[503, after(2), 4],
	[429, {}, 4],
	[503, {}, 2],
	[500, {}, 2],
])('status %i with %j is sent %i times where a failure is sent twice', async (code, headers, sent) => {
	const queue = oneByOne();
	const { ask, times } = service(queue, (_, nth) => status(nth < 4 ? code : 200, headers));
	await time.until(ask('a', until(600, { maxAttempts: 2 })), 60_000);
	expect(times()).toHaveLength(sent);
	// The queue knows of the throttle.
	expect(queue.lastThrottle !== undefined).toBe(sent === 4);
});

it.each([
	['does not say when it ends: with its own failure', 500, {}, until(20), '500'],
	['says when it ends: with the throttle', 500, after(60), until(20), '429'],
	['was all that it met: with the throttle', 429, {}, until(20), '429'],
	['is a failure like others: with the last one', 500, {}, {}, '429'],
])('a request that gives up after a throttle that %s', async (_, first, headers, limits, httpCode) => {
	const queue = oneByOne();
	const { ask } = service(queue, (__, nth) => (nth === 1 ? status(first) : status(429, headers)));
	expect(await time.until(ask('a', limits), 600_000)).toMatchObject({ httpCode });
	expect(queue.lastThrottle?.httpCode).toBe('outlastsThrottles' in limits ? '429' : undefined);
});

it('a request whose user has no time left ends with its own failure, too', async () => {
	const { ask } = service(oneByOne(), (_, nth) => status(nth === 1 ? 500 : 429));
	const stoppedBy = () => (time.elapsed > 5000 ? new Problem('Too slow', '') : undefined);
	expect(await time.until(ask('a', until(600), budget({ stoppedBy })), 60_000)).toMatchObject({ httpCode: '500' });
});

it.each([
	[until(7200), 600],
	[{}, 60],
])('with %j a Retry-After of ten minutes lasts %i seconds', async (more, seconds) => {
	const { ask, times } = service(oneByOne(), (_, nth) => status(nth === 1 ? 429 : 200, after(600)));
	expect(await time.until(ask('a', more), 700_000)).toBe(200);
	expect(times().map(Math.round)).toEqual([0, seconds]);
});

it('gives up at once where one attempt is all that is wanted, and holds back no other request', async () => {
	const { ask, times } = service(oneByOne(), (name) => status(name === 'a' ? 429 : 200, after(30)));
	expect(await time.until(ask('a', until(600), { maxAttempts: 1 }), 1000)).toMatchObject({ retryAfterMs: 30_000 });
	expect(await time.until(ask('b', until(600)), 1000)).toBe(200);
	expect(times().length).toBe(1);
});

it.each([
	['one limit without Retry-After', 0.4, 1, {}, 0],
	['two limits in a row', 1.4, 2, {}, 0],
	['three limits in a row', 3.4, 3, {}, 2],
	['one Retry-After', 3.8, 1, after(4), 4],
	['a Retry-After that lasts beyond its end', 9.5, 1, after(60), 10],
])('that ends with %s, at %d s, holds back the others', async (_, endAt, sent, headers, seconds) => {
	const { ask, times } = service(oneByOne(), (name) => status(name === 'a' ? 429 : 200, headers));
	await time.pass(1000);
	await time.until(ask('a', until(endAt + 1)), 60_000);
	const failedAt = time.elapsed / 1000;
	await time.until(ask('b'), 60_000);
	expect(times()).toHaveLength(sent);
	expect(Math.round(times('b')[0] - failedAt)).toBe(seconds);
});

it.each([
	[{}, 7],
	[budget({ mayRetry: () => true }), 7],
	[budget({ mayRetry: () => false }), 1],
])('budget %#: a failure is sent %i times, and a throttled request again all the same', async (options, sent) => {
	const { ask, times } = service(oneByOne(), (name, nth) => status(name === 'a' ? 500 : nth === 1 ? 429 : 200));
	await time.until(ask('a', until(600), options), 60_000);
	expect(await time.until(ask('b', until(600), options), 60_000)).toBe(200);
	expect(times()).toHaveLength(sent);
	expect(times('b')).toHaveLength(2);
});

it('pauses the others shortly each time, because they are answered meanwhile', async () => {
	const queue = new RequestQueue({ concurrency: 2 });
	const pause = jest.spyOn(queue, 'pause');
	const { ask, times } = service(queue, (name, nth) => status(name === 'a' && nth < 5 ? 429 : 200));
	const end = ask('a', until(600));
	while (times().length < 5) {
		await time.until(ask('b'), 60_000);
		await time.pass(50);
	}
	expect(await time.until(end, 600_000)).toBe(200);
	expect(pause.mock.calls.flat()).toEqual([500, 500, 500, 500]);
});

it('pauses the others for all of a Retry-After', async () => {
	const { ask, times } = service(oneByOne(), (name, nth) => status(name === 'a' && nth === 1 ? 429 : 200, after(20)));
	await time.until(Promise.all([ask('a', until(600)), ask('b', until(600))]), 60_000);
	expect([...times(), ...times('b')].map(Math.floor)).toEqual([0, 20, 20]);
});
