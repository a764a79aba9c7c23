/**
 * Attempts of one request, in virtual time: when it is retried, when it fails, the words of its error, and the effect on other
 * requests.
 */
import { sleep } from 'n8n-workflow';
import { RequestQueue } from '../../../nodes/HealthDataService/http/requestQueue';
import {
	MAX_PAUSE_MS,
	RETRY_LIMITS,
	withRetry,
	type Budget,
	type RequestOptions,
	type RetryOptions,
} from '../../../nodes/HealthDataService/http/retry';
import type { Answer } from '../../../nodes/HealthDataService/http/classify';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { VirtualTime } from '../../helpers/virtualTime';

const limits = { ...RETRY_LIMITS };
let time: VirtualTime;
beforeEach(() => {
	Object.assign(RETRY_LIMITS, { baseDelayMs: 500, maxDelayMs: 30_000, maxRetryAfterMs: 60_000 });
	time = new VirtualTime(Date.UTC(2026, 5, 1));
	time.install();
	// Each pause as long as it may be.
	Math.random = () => 1;
});
afterEach(() => {
	time.uninstall();
	Object.assign(RETRY_LIMITS, limits);
});

const status = (statusCode: number, headers = {}, body: unknown = {}): Answer => ({
	response: { statusCode, headers, body } as never,
});
const failure = (message: string, kind?: 'temporarily-unavailable') => ({
	failure: new Problem(message, 'Advice', { kind }),
});

/** Requests through one queue: when each was sent, in seconds, and its result. */
function service(queue: RequestQueue, answer: (name: string, nth: number) => Answer, tookMs = 0) {
	const sent: Array<[name: string, at: number]> = [];
	const send = async (url: string) => {
		const { pathname } = new URL(url);
		sent.push([pathname.slice(1), time.elapsed / 1000]);
		const nth = sent.filter(([name]) => name === pathname.slice(1)).length;
		if (tookMs > 0) await sleep(tookMs);
		return answer(pathname.slice(1), nth);
	};
	const ask = async (name: string, more: Partial<RetryOptions> = {}, once?: RequestOptions) =>
		await withRetry(send, {
			queue,
			continues: true,
			maxAttempts: 7,
			retryForMs: 180_000,
			...more,
		})(`https://health.example/${name}`, once).then(
			({ statusCode }) => statusCode,
			(error: Problem) => error,
		);
	return { sent, ask, times: (name = 'a') => sent.filter(([one]) => one === name).map(([, at]) => at) };
}

it('is retried after doubling pauses, and then fails with the number of attempts and the time', async () => {
	const { ask, times } = service(new RequestQueue({ concurrency: 1 }), () => status(500));
	expect(await time.until(ask('a'), 60_000)).toMatchObject({
		message: 'The service could not answer (status 500)',
		description: 'Tried 7 times in 32 seconds. Try again later. If it stays, ask the people who run the service',
		kind: 'temporarily-unavailable',
		httpCode: '500',
		concernsAll: false,
		retryAfterMs: undefined,
	});
	expect(times()).toEqual([0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5]);
});

it.each([
	[500, 2],
	[502, 3],
	[429, 2],
	[408, 7],
])('status %i until try %i: the answer, and nothing is left of the failure', async (code, until) => {
	const queue = new RequestQueue({ concurrency: 1 });
	const { ask, times } = service(queue, (_, nth) => status(nth < until ? code : 200));
	expect(await time.until(ask('a'), 60_000)).toBe(200);
	expect(times()).toHaveLength(until);
	expect([queue.circuitBreaker.lastFailure, queue.circuitBreaker.failingForMs, queue.throttles]).toEqual([
		undefined,
		0,
		0,
	]);
});

it.each([200, 301, 400, 401, 403, 404, 422])('status %i is an answer, at once', async (code) => {
	const { ask, times } = service(new RequestQueue({ concurrency: 1 }), () => status(code));
	expect(await time.until(ask('a'), 1000)).toBe(code);
	expect(times()).toEqual([0]);
});

describe('no answer at all', () => {
	it('is retried when transient', async () => {
		const { ask, times } = service(new RequestQueue({ concurrency: 1 }), () =>
			failure('Unreachable', 'temporarily-unavailable'),
		);
		expect(await time.until(ask('a', { maxAttempts: 3 }), 60_000)).toMatchObject({
			message: 'Unreachable',
			description: 'Tried 3 times in 2 seconds. Advice',
			kind: 'temporarily-unavailable',
		});
		expect(times()).toEqual([0, 0.5, 1.5]);
	});

	it('is reported at once when a retry would only repeat it, and is no failure of the service', async () => {
		const queue = new RequestQueue({ concurrency: 1 });
		const { ask, times } = service(queue, () => failure('Wrong address'));
		expect(await time.until(ask('a'), 1000)).toMatchObject({ message: 'Wrong address', description: 'Advice' });
		expect(times()).toEqual([0]);
		expect(queue.circuitBreaker.failingForMs).toBe(0);
	});

	it('that breaks off is one of these', async () => {
		const { ask } = service(new RequestQueue({ concurrency: 1 }), () => status(200, {}, '{"users": ['));
		expect(await time.until(ask('a', { maxAttempts: 2 }), 1000)).toMatchObject({
			message: 'The answer of the service was cut off',
			description: expect.stringMatching(/^Tried 2 times in 1 second\. Try/),
			httpCode: '200',
		});
	});
});

describe('how long', () => {
	it('counts from the first failure, not from the first attempt', async () => {
		const { ask, times } = service(
			new RequestQueue({ concurrency: 1 }),
			(_, nth) => status(nth === 1 ? 500 : 200),
			10_000,
		);
		expect(await time.until(ask('a', { retryForMs: 600 }), 60_000)).toBe(200);
		expect(times()).toEqual([0, 10.5]);
	});

	// The service has failed for ten seconds; the first pause of `b` is half a second.
	it.each([9_000, 10_400])(
		'counts from when the service began to fail, after a second attempt: %i',
		async (retryForMs) => {
			const { ask, times } = service(new RequestQueue({ concurrency: 2 }), () => status(500));
			const first = ask('a');
			await time.pass(10_000);
			const second = ask('b', { retryForMs });
			await time.until(Promise.all([first, second]), 60_000);
			expect(times('b')).toEqual([10, 10.5]);
		},
	);

	it('the time of a request counts from its start', async () => {
		const { ask } = service(new RequestQueue({ concurrency: 1 }), () => status(500));
		await time.pass(30_000);
		expect(await time.until(ask('a', { maxAttempts: 2 }), 60_000)).toMatchObject({
			description: expect.stringMatching(/^Tried 2 times in 1 second\. Try/),
		});
	});

	it('the time held back by Requests per Second is included', async () => {
		const { ask } = service(new RequestQueue({ concurrency: 4, requestsPerSecond: 0.1 }), () => status(500));
		const [, second] = await time.until(
			Promise.all([ask('a', { maxAttempts: 1 }), ask('b', { maxAttempts: 1 })]),
			60_000,
		);
		expect(second).toMatchObject({
			description: expect.stringMatching(/^Tried once in 10 seconds\. Try/),
		});
	});
});

describe('Retry-After', () => {
	it('is kept in the error', async () => {
		const { ask } = service(new RequestQueue({ concurrency: 1 }), () => status(503, { 'retry-after': '50' }));
		expect(await time.until(ask('a', { maxAttempts: 1 }), 1000)).toMatchObject({ retryAfterMs: 50_000 });
	});

	it('pauses all requests, a failure does not', async () => {
		for (const [code, at] of [
			[429, 7],
			[500, 1],
		]) {
			const { ask, times } = service(new RequestQueue({ concurrency: 4 }), (name, nth) =>
				status(name === 'a' && nth === 1 ? code : 200, { 'retry-after': '7' }),
			);
			const from = time.elapsed / 1000;
			const first = ask('a');
			await time.pass(1000);
			await time.until(Promise.all([first, ask('b')]), 60_000);
			expect([code, times('b')]).toEqual([code, [from + at]]);
		}
	});

	it('repeated, makes the first pause of others longer, too', async () => {
		const { ask, times } = service(new RequestQueue({ concurrency: 4 }), (name, nth) =>
			status(name === 'a' || nth === 1 ? 429 : 200),
		);
		let isCancelled = false;
		const first = ask('a', {}, { isCancelled: () => isCancelled });
		await time.pass(1000);
		isCancelled = true;
		await time.pass(1000);
		await time.until(Promise.all([first, ask('b')]), 60_000);
		expect([times('a'), times('b')]).toEqual([
			[0, 0.5],
			[2, 4],
		]);
	});
});

describe('after a failed request', () => {
	it.each([1, 2, 3, 20])('a sound request after %i of them is retried after a failure', async (lost) => {
		const queue = new RequestQueue({ concurrency: 1 });
		const { ask } = service(queue, (name, nth) => status(name === 'sound' && nth === 2 ? 200 : 500));
		for (let index = 0; index < lost; index++) await time.until(ask(`lost${index}`), 60_000);
		expect(await time.until(ask('sound'), 60_000)).toBe(200);
	});

	it('the next two have all their attempts, the others two, until something is answered', async () => {
		const queue = new RequestQueue({ concurrency: 1 });
		let isBack = false;
		const { ask, times } = service(queue, (name) => status(isBack && name === 'e' ? 200 : 500));
		for (const name of ['a', 'b', 'c', 'd']) await time.until(ask(name), 60_000);
		isBack = true;
		expect(await time.until(ask('e'), 60_000)).toBe(200);
		await time.until(ask('f'), 60_000);
		expect(['a', 'b', 'c', 'd', 'f'].map((name) => times(name).length)).toEqual([7, 7, 7, 2, 7]);
	});

	it('a sound request is retried, even if nothing has answered for long', async () => {
		const queue = new RequestQueue({ concurrency: 1 });
		const { ask } = service(queue, (name, nth) => status(name === 'sound' && nth === 2 ? 200 : 500), 200_000);
		expect(await time.until(ask('lost'), 2_000_000)).toMatchObject({ httpCode: '500' });
		expect(await time.until(ask('sound'), 2_000_000)).toBe(200);
	});

	it('requests of a run that stops on errors get its error, and are not sent', async () => {
		const { ask, times } = service(new RequestQueue({ concurrency: 1 }), () => status(500));
		const stops = { continues: false, maxAttempts: 1 };
		const [first, second] = await time.until(Promise.all([ask('a', stops), ask('b', stops)]), 60_000);
		expect(second).toMatchObject({ message: (first as Problem).message, concernsAll: true });
		expect((first as Problem).concernsAll).toBe(false);
		expect(times('b')).toEqual([]);
	});
});

it('retries go ahead of first attempts', async () => {
	const { ask, sent } = service(
		new RequestQueue({ concurrency: 1 }),
		(name, nth) => status(name === 'a' && nth === 1 ? 500 : 200),
		400,
	);
	await time.until(Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (name) => await ask(name))), 60_000);
	expect(sent.map(([name]) => name)).toEqual(['a', 'b', 'c', 'a', 'd', 'e']);
});

/** Options with the budget of a user. */
const budget = (own: Partial<Budget> = {}) => ({
	budget: { stoppedBy: () => undefined, mayRetry: () => true, ...own } as Budget,
});

it('without time left, a request that was sent fails with its last error, and one that was not with the reason', async () => {
	const { ask, times } = service(new RequestQueue({ concurrency: 1 }), () => status(503));
	const late = new Problem('No time is left', 'Advice');
	const once = budget({ stoppedBy: () => (time.elapsed > 2000 ? late : undefined) });
	expect(await time.until(ask('a', {}, once), 60_000)).toMatchObject({
		message: 'The service could not answer (status 503)',
		description: expect.stringMatching(/^Tried 3 times in \d seconds?\. /),
	});
	expect(times()).toEqual([0, 0.5, 1.5]);
	expect(await time.until(ask('b', {}, budget({ stoppedBy: () => late })), 60_000)).toBe(late);
	expect(times('b')).toEqual([]);
});

it('notes when the first attempt left the queue', async () => {
	const { ask, sent } = service(
		new RequestQueue({ concurrency: 1 }),
		(name, nth) => status(name === 'b' && nth === 1 ? 500 : 200),
		400,
	);
	const ofB = budget();
	const began = performance.now();
	await time.until(Promise.all([ask('a'), ask('b', {}, ofB)]), 60_000);
	expect(sent.map(([name]) => name)).toEqual(['a', 'b', 'b']);
	expect(ofB.budget.sentAt! - began).toBeCloseTo(400, -1);
});

it.each<[string, (stop: () => boolean, signal: AbortSignal) => [Partial<RetryOptions>, RequestOptions?], string]>([
	['cancelled', (_, signal) => [{ signal }], 'The execution was cancelled'],
	['not wanted any more', (isCancelled) => [{}, { isCancelled }], 'The request is no longer needed'],
])('%s while it waits: it ends soon, and is not sent again', async (_, wanted, message) => {
	const stop = new AbortController();
	const { ask, times } = service(new RequestQueue({ concurrency: 1 }), () => status(500));
	const end = ask('a', ...wanted(() => stop.signal.aborted, stop.signal));
	await time.pass(5000);
	const before = times().length;
	stop.abort();
	expect(await time.until(end, 250)).toMatchObject({ message, concernsAll: true });
	expect(times()).toHaveLength(before);
});

it.each([
	[200, 8],
	[401, 4],
	[403, 4],
	[404, 8],
])('after an answer with status %i, of ten that are wanted %i are on their way', async (code, most) => {
	const { ask, sent } = service(new RequestQueue({ concurrency: 8 }), () => status(code), 1000);
	await time.until(ask('first'), 5000);
	const others = Array.from({ length: 10 }, async (_, index) => await ask(`u${index}`));
	await time.pass(500);
	expect(sent).toHaveLength(1 + most);
	await time.until(Promise.all(others), 10_000);
});

describe('a reader that waits out throttles', () => {
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
		const { ask, times } = service(oneByOne(), (_, nth) => status(nth < 4 ? code : 200, headers));
		await time.until(ask('a', until(600, { maxAttempts: 2 })), 60_000);
		expect(times()).toHaveLength(sent);
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
		expect([times().length, Math.round(times('b')[0] - failedAt)]).toEqual([sent, seconds]);
	});

	it.each([
		[{}, 7],
		[budget({ mayRetry: () => true }), 7],
		[budget({ mayRetry: () => false }), 1],
	])('budget %#: a failure is sent %i times, and a throttled request again all the same', async (options, sent) => {
		const { ask, times } = service(oneByOne(), (name, nth) => status(name === 'a' ? 500 : nth === 1 ? 429 : 200));
		await time.until(ask('a', until(600), options), 60_000);
		expect(await time.until(ask('b', until(600), options), 60_000)).toBe(200);
		expect([times().length, times('b').length]).toEqual([sent, 2]);
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
});

it('counts requests without a result, between attempts, too', async () => {
	const queue = new RequestQueue({ concurrency: 1 });
	const { ask } = service(queue, (_, nth) => status(nth === 1 ? 500 : 200), 100);
	const ends = [ask('a'), ask('b')];
	const seen: number[][] = [];
	for (const ms of [50, 100, 5000]) {
		await time.pass(ms);
		seen.push([queue.open, queue.held]);
	}
	await time.until(Promise.all(ends), 10_000);
	expect(seen).toEqual([
		[2, 1],
		[2, 1],
		[0, 0],
	]);
});
