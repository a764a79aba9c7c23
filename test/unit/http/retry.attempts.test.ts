/**
 * Attempts of one request, in virtual time: when it is retried, when it fails, the words of its error, and the effect on other
 * requests.
 */
import { RequestQueue } from '../../../nodes/HealthDataService/http/requestQueue';
import { SINGLE_ATTEMPT, type RequestOptions, type RetryOptions } from '../../../nodes/HealthDataService/http/retry';
import type { Answer } from '../../../nodes/HealthDataService/http/classify';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { budget, service, status, time, useAttempts } from '../../helpers/attempts';

useAttempts();

const failure = (message: string, kind?: 'temporarily-unavailable') => ({
	failure: new Problem(message, 'Advice', { kind }),
});

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
	expect(queue).toMatchObject({ throttles: 0, circuitBreaker: { lastFailure: undefined } });
});

it.each([200, 301, 400, 401, 403, 404, 422])('status %i is an answer, at once', async (code) => {
	const { ask, times } = service(new RequestQueue({ concurrency: 1 }), () => status(code));
	expect(await time.until(ask('a'), 1000)).toBe(code);
	expect(times()).toEqual([0]);
});

it.each<[string, Answer, number, object]>([
	[
		'transient',
		failure('Message', 'temporarily-unavailable'),
		3,
		{ description: 'Tried 3 times in 2 seconds. Advice' },
	],
	['cut off', status(200, {}, '{"users": ['), 3, { message: 'The answer of the service was cut off', httpCode: '200' }],
	['what a retry would only repeat', failure('Message'), 1, { message: 'Message', description: 'Advice' }],
])('no answer (%s): an error after as many attempts as may help', async (_, answer, sent, error) => {
	const { ask, times } = service(new RequestQueue({ concurrency: 1 }), () => answer);
	expect(await time.until(ask('a', { maxAttempts: 3 }), 60_000)).toMatchObject(error);
	expect(times()).toEqual([0, 0.5, 1.5].slice(0, sent));
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

	it.each([
		[429, 7],
		[500, 1],
	])('of a %i: the next request is sent after %i s', async (code, at) => {
		const { ask, times } = service(new RequestQueue({ concurrency: 4 }), (name, nth) =>
			status(name === 'a' && nth === 1 ? code : 200, { 'retry-after': '7' }),
		);
		const first = ask('a');
		await time.pass(1000);
		await time.until(Promise.all([first, ask('b')]), 60_000);
		expect(times('b')).toEqual([at]);
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
		expect(times('a')).toEqual([0, 0.5]);
		expect(times('b')).toEqual([2, 4]);
	});
});

describe('after a failed request', () => {
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

	it('requests of a run that stops on errors get its error, and are not sent', async () => {
		const { ask, times } = service(new RequestQueue({ concurrency: 1 }), () => status(500));
		const stops = { continues: false, maxAttempts: 1 };
		const [first, second] = await time.until(Promise.all([ask('a', stops), ask('b', stops)]), 60_000);
		expect(second).toMatchObject({ message: (first as Problem).message, concernsAll: true });
		expect((first as Problem).concernsAll).toBe(false);
		expect(times('b')).toEqual([]);
	});
});

it('is sent again for so long after its first failure', async () => {
	const { ask, times } = service(new RequestQueue({ concurrency: 1 }), () => status(500), 1000);
	await time.until(ask('a', { retryForMs: 5000 }), 60_000);
	expect(times()).toEqual([0, 1.5, 3.5]);
});

it('of requests that wait, the one whose time comes first is sent first', async () => {
	const queue = new RequestQueue({});
	const sent: string[] = [];
	const wait = async (name: string, ms: number) => {
		const options = { continues: true, notBefore: performance.now() + ms };
		await queue.run(
			async () => void sent.push(`${name} ${time.elapsed}`),
			() => 'answered',
			options,
		);
	};
	await time.until(Promise.all([wait('b', 3000), wait('c', 5000), wait('a', 1000)]), 60_000);
	expect(sent).toEqual(['a 1000', 'b 3000', 'c 5000']);
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

it('an answer after a cancel is none', async () => {
	const run = new AbortController();
	const { ask } = service(new RequestQueue({ concurrency: 1 }), () => status(200), 1000);
	const end = ask('a', { signal: run.signal });
	await time.pass(10);
	run.abort();
	expect(await time.until(end, 2000)).toMatchObject({ message: 'The execution was cancelled' });
});

it('a single attempt is sent once, and its failure does not count towards the circuit breaker', async () => {
	const queue = new RequestQueue({ concurrency: 1 });
	const { ask, times } = service(queue, () => status(500));
	expect(await time.until(ask('a', {}, SINGLE_ATTEMPT), 1000)).toMatchObject({ httpCode: '500' });
	expect(times()).toHaveLength(1);
	expect(queue.circuitBreaker.lastFailure).toBeUndefined();
	await time.until(ask('b'), 60_000);
	expect(queue.circuitBreaker.lastFailure).toBeDefined();
});
