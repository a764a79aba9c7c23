/** Request queue, adaptive concurrency, key check and circuit breaker: requests are promises that the test answers. */
import type { Outcome } from '../../../nodes/HealthDataService/http/classify';
import { RequestQueue } from '../../../nodes/HealthDataService/http/requestQueue';
import { BREAKER_LIMITS } from '../../../nodes/HealthDataService/http/circuitBreaker';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { crowd, provenQueue, room, settle } from '../../helpers/crowd';
import { nextTurn } from '../../helpers/machine';
import { useVirtualTime } from '../../helpers/virtualTime';

const problem = (message: string) => new Problem(message, '');

const time = useVirtualTime();

describe('the first requests', () => {
	it.each([
		[1, 1],
		[3, 3],
		[8, 4],
		[50, 4],
	])('of %i allowed, %i go out before an answer', async (most, handful) => {
		expect(await room(new RequestQueue({ concurrency: most }))).toBe(handful);
	});

	it('all go out after the first answer that takes the key', async () => {
		const queue = new RequestQueue({ concurrency: 8 });
		const all = crowd(queue, 20);
		await nextTurn();
		await all.answer('unauthorized');
		expect(all.sent()).toBe(5);
		await all.answer('transient');
		expect(all.sent()).toBe(6);
		await all.answer('answered');
		// Three have ended.
		expect(all.sent()).toBe(3 + 8);
	});

	it('none is sent after the key was refused, and all get the same error', async () => {
		const queue = new RequestQueue({ concurrency: 8 });
		const all = crowd(queue, 500);
		await nextTurn();
		queue.close(problem('wrong key'));
		queue.close(problem('another'));
		await all.answer('unauthorized', 4);
		await all.done();
		expect(all.sent()).toBe(4);
		expect(all.errors).toEqual(Array(496).fill('wrong key'));
	});
});

describe('the key check', () => {
	it('happens once, and all other requests wait for it', async () => {
		const queue = await provenQueue(4);
		const first = crowd(queue, 4);
		await nextTurn();
		const probe = crowd(queue, 1, { continues: true, isProbe: true });
		let asked = 0;
		const ask = async () => {
			asked++;
			await probe.done();
		};
		const others = crowd(queue, 10);
		const verdicts = [queue.probeOnce(ask), queue.probeOnce(ask)];
		await first.answer('unauthorized', 4);
		expect([probe.sent(), others.sent()]).toEqual([1, 0]);
		await probe.answer('answered');
		await Promise.all(verdicts);
		await nextTurn();
		expect([asked, others.sent()]).toEqual([1, 4]);
		await queue.probeOnce(ask);
		expect(asked).toBe(1);
	});

	it('sends a request of its own, though it is the only one that may be sent', async () => {
		const queue = await provenQueue(4);
		let own = crowd(queue, 0);
		const check = queue.probeOnce(async () => {
			await nextTurn();
			own = crowd(queue, 1, { continues: true, isProbe: true });
			await own.done();
		});
		const other = crowd(queue, 1);
		await nextTurn();
		await nextTurn();
		expect([own.sent(), other.sent()]).toEqual([1, 0]);
		await own.answer('answered');
		await check;
	});

	it('ends when it fails, too', async () => {
		const queue = await provenQueue(4);
		await queue.probeOnce(async () => await Promise.reject(new Error('no')));
		expect(await room(queue)).toBe(4);
	});
});

describe('after a refusal', () => {
	it('half as many go out; those sent together count once', async () => {
		const queue = await provenQueue(8);
		const all = crowd(queue, 40);
		await nextTurn();
		await all.answer('throttled', 8);
		expect(queue.throttles).toBe(1);
		expect(all.sent()).toBe(8 + 4);
		await all.answer('throttled', 4);
		expect(queue.throttles).toBe(2);
		expect(all.sent()).toBe(12 + 2);
	});

	it('never fewer than one', async () => {
		const queue = await provenQueue(2);
		await settle(queue, 'throttled', 5);
		expect(await room(queue)).toBe(1);
	});

	it('one more after some ten answers for each allowed, up to what was allowed at first', async () => {
		const queue = await provenQueue(4);
		await settle(queue, 'throttled');
		await settle(queue, 'answered', 24);
		expect(await room(queue)).toBe(2);
		await settle(queue, 'answered', 2);
		expect(queue.throttles).toBe(0);
		expect(await room(queue)).toBe(3);
		await settle(queue, 'answered', 36);
		expect(await room(queue)).toBe(4);
		await settle(queue, 'answered', 200);
		expect(await room(queue)).toBe(4);
	});

	it('nothing is sent during a pause, and the longest pause counts', async () => {
		const queue = await provenQueue(4);
		queue.pause(250);
		queue.pause(20);
		const all = crowd(queue, 1);
		await time.pass(249);
		expect(all.sent()).toBe(0);
		await time.pass(1);
		expect(all.sent()).toBe(1);
	});

	it('a pause ends soon after all requests are cancelled', async () => {
		const queue = await provenQueue(4);
		queue.pause(60_000);
		const begun = time.now;
		const all = crowd(queue, 3);
		queue.close(problem('wrong key'));
		await all.done();
		// A step of the sleep.
		expect(time.now - begun).toBeLessThanOrEqual(200);
		expect([all.sent(), all.errors.length]).toEqual([0, 3]);
	});
});

describe('after a failed request', () => {
	const stops = { continues: false };
	const REASON = { description: 'advice', httpCode: '500', kind: 'temporarily-unavailable' } as const;
	const fail = ({ circuitBreaker }: RequestQueue, count: number) => {
		for (let i = 0; i < count; i++) circuitBreaker.onFailure(new Problem('given up', 'advice', REASON));
	};

	it('nothing more is sent, unless the run continues on errors', async () => {
		const queue = await provenQueue(4);
		fail(queue, 1);
		const [stopped, wanted] = [crowd(queue, 2, stops), crowd(queue, 2)];
		await nextTurn();
		expect([stopped.sent(), wanted.sent()]).toEqual([0, 2]);
		expect(stopped.errors).toEqual(['given up', 'given up']);
	});

	it.each<Outcome>(['answered', 'unauthorized'])(
		'an answer (%s) clears it: what it was, since when, and how many',
		async (outcome) => {
			const queue = await provenQueue(4);
			const { circuitBreaker } = queue;
			fail(queue, BREAKER_LIMITS.inARow);
			circuitBreaker.reset();
			await settle(queue, 'transient');
			await time.pass(BREAKER_LIMITS.forMs);
			await settle(queue, outcome);
			expect(circuitBreaker).toMatchObject({ lastFailure: undefined, isOpen: false, mayBeOutage: false });
			fail(queue, BREAKER_LIMITS.inARow - 1);
			expect(circuitBreaker.mayBeOutage).toBe(false);
			await settle(queue, outcome);
			const later = crowd(queue, 1, stops);
			await nextTurn();
			expect(later.sent()).toBe(1);
		},
	);

	it.each<[Outcome, boolean]>([
		['transient', true],
		['throttled', true],
		['failed', false],
	])('after %s, and ten minutes, three may be an outage: %p', async (outcome, mayBeOutage) => {
		const queue = await provenQueue(4);
		await settle(queue, outcome);
		await time.pass(BREAKER_LIMITS.forMs);
		fail(queue, 3);
		expect(queue.circuitBreaker).toMatchObject({ mayBeOutage, isOpen: false });
	});

	it('50 in a row may be an outage; the open circuit breaker rejects all, with the reason', async () => {
		const queue = await provenQueue(4);
		fail(queue, 49);
		expect(queue.circuitBreaker.mayBeOutage).toBe(false);
		fail(queue, 1);
		expect(queue.circuitBreaker).toMatchObject({ mayBeOutage: true, isOpen: false });
		queue.circuitBreaker.isOpen = true;
		expect(queue.circuitBreaker.lastFailure).toMatchObject({ ...REASON, concernsAll: true });
		const all = crowd(queue, 3);
		await all.done();
		expect(all.sent()).toBe(0);
		expect(all.errors).toEqual(Array(3).fill('given up'));
	});

	it.each([
		[600_000, 2, false],
		[600_000, 3, true],
		[599_999, 3, false],
	])('after %i ms without an answer, %i may be an outage: %p', async (ms, count, mayBeOutage) => {
		const queue = new RequestQueue({ concurrency: 4 });
		queue.circuitBreaker.onFailedAttempt();
		await time.pass(ms);
		queue.circuitBreaker.onFailedAttempt();
		fail(queue, count);
		expect(queue.circuitBreaker.mayBeOutage).toBe(mayBeOutage);
	});
});

it('cancelled: nothing is sent, and the error says so', async () => {
	const queue = await provenQueue(4);
	const all = crowd(queue, 2, { continues: true, signal: AbortSignal.abort() });
	await all.done();
	expect([all.sent(), all.errors]).toEqual([0, ['The execution was cancelled', 'The execution was cancelled']]);
});

it('a request that is no longer needed is not sent, the others are', async () => {
	const queue = await provenQueue(4);
	const [unneeded, others] = [crowd(queue, 2, { continues: true, isCancelled: () => true }), crowd(queue, 1)];
	await nextTurn();
	expect([unneeded.sent(), others.sent()]).toEqual([0, 1]);
	expect(unneeded.errors).toEqual(Array(2).fill('The request is no longer needed'));
});

it('has no data before an answer', () => expect(new RequestQueue().hasData).toBe(false));
