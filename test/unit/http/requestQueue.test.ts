/**
 * Request queue, adaptive concurrency, key check and circuit breaker: requests are promises that the test answers.
 */
import type { Outcome } from '../../../nodes/HealthDataService/http/classify';
import { RequestQueue, type QueueOptions } from '../../../nodes/HealthDataService/http/requestQueue';
import { BREAKER_LIMITS } from '../../../nodes/HealthDataService/http/circuitBreaker';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { nextTurn } from '../../helpers/machine';
import { useVirtualTime } from '../../helpers/virtualTime';

const problem = (message: string) => new Problem(message, '');

const time = useVirtualTime();

/** `count` requests that are wanted at once, and what became of them. */
function crowd(queue: RequestQueue, count: number, wanted: QueueOptions = { continues: true }) {
	const sent: Array<(outcome: Outcome) => void> = [];
	const errors: string[] = [];
	const all = Array.from({ length: count }, async () => {
		const work = async () => await new Promise<Outcome>((resolve) => sent.push(resolve));
		await queue.run(work, (outcome) => outcome, wanted).catch(({ message }: Error) => errors.push(message));
	});
	let next = 0;
	return {
		errors,
		sent: () => sent.length,
		/** Answers the next `n` of those that were sent. */
		async answer(outcome: Outcome, n = 1) {
			for (let i = 0; i < n; i++) sent[next++](outcome);
			await nextTurn();
		},
		done: async () => await Promise.all(all),
	};
}

/** A queue that has seen its key accepted. */
async function provenQueue(most: number) {
	const queue = new RequestQueue({ concurrency: most });
	await queue.run(
		async () => 'answered' as const,
		(outcome) => outcome,
		{ continues: true },
	);
	return queue;
}

/** How many it lets out now. */
async function room(queue: RequestQueue): Promise<number> {
	const probe = crowd(queue, 60);
	await nextTurn();
	const inFlight = probe.sent();
	for (let left = 60; left > 0; ) {
		const now = probe.sent() - (60 - left);
		await probe.answer('failed', now);
		left -= now;
	}
	return inFlight;
}

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
		for (let i = 0; i < 5; i++)
			await queue.run(
				async () => 'throttled' as const,
				(outcome) => outcome,
				{ continues: true },
			);
		expect(await room(queue)).toBe(1);
	});

	it('one more after some ten answers for each allowed, up to what was allowed at first', async () => {
		const queue = await provenQueue(4);
		const answered = async (n: number) => {
			for (let i = 0; i < n; i++)
				await queue.run(
					async () => 'answered' as const,
					(outcome) => outcome,
					{ continues: true },
				);
		};
		await queue.run(
			async () => 'throttled' as const,
			(outcome) => outcome,
			{ continues: true },
		);
		await answered(24);
		expect(await room(queue)).toBe(2);
		await answered(2);
		expect(queue.throttles).toBe(0);
		expect(await room(queue)).toBe(3);
		await answered(36);
		expect(await room(queue)).toBe(4);
		await answered(200);
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

	it('nothing more is sent, unless the run continues on errors', async () => {
		const queue = await provenQueue(4);
		queue.circuitBreaker.onFailure(problem('given up'));
		const [stopped, wanted] = [crowd(queue, 2, stops), crowd(queue, 2)];
		await nextTurn();
		expect([stopped.sent(), wanted.sent()]).toEqual([0, 2]);
		expect(stopped.errors).toEqual(['given up', 'given up']);
	});

	it.each(['answered', 'unauthorized'] as const)(
		'an answer (%s) clears it: what it was, since when, and how many',
		async (outcome) => {
			const queue = await provenQueue(4);
			queue.circuitBreaker.onFailedAttempt();
			for (let i = 0; i < BREAKER_LIMITS.inARow; i++) queue.circuitBreaker.onFailure(problem('given up'));
			expect(queue.circuitBreaker.isOpen).toBe(true);
			queue.circuitBreaker.reset();
			for (let i = 1; i < BREAKER_LIMITS.inARow; i++) queue.circuitBreaker.onFailure(problem('given up'));
			await queue.run(
				async () => outcome,
				(is) => is,
				{ continues: true },
			);
			expect(queue.circuitBreaker).toMatchObject({ lastFailure: undefined, isOpen: false, failingForMs: 0 });
			queue.circuitBreaker.onFailure(problem('one more'));
			expect(queue.circuitBreaker.isOpen).toBe(false);
			queue.circuitBreaker.reset();
			queue.circuitBreaker.onFailure(problem('given up'));
			await queue.run(
				async () => outcome,
				(is) => is,
				{ continues: true },
			);
			const later = crowd(queue, 1, stops);
			await nextTurn();
			expect(later.sent()).toBe(1);
		},
	);

	it.each<[Outcome, number]>([
		['transient', 5000],
		['throttled', 5000],
		['failed', 0],
	])('%s: the service has failed for %i ms five seconds later', async (outcome, failingForMs) => {
		const queue = await provenQueue(4);
		await queue.run(
			async () => outcome,
			(is) => is,
			{ continues: true },
		);
		await time.pass(5000);
		expect(queue.circuitBreaker.failingForMs).toBe(failingForMs);
	});

	it('50 in a row: the circuit breaker is open for all, with the last reason', async () => {
		const queue = await provenQueue(4);
		const losing = async (n: number) => {
			for (let i = 1; i <= n; i++)
				queue.circuitBreaker.onFailure(
					new Problem(`reason ${i}`, 'advice', { kind: 'temporarily-unavailable', httpCode: '500' }),
				);
		};
		await losing(49);
		expect(queue.circuitBreaker.isOpen).toBe(false);
		await losing(1);
		expect(queue.circuitBreaker.isOpen).toBe(true);
		expect(queue.circuitBreaker.lastFailure).toMatchObject({
			message: 'reason 1',
			description: 'advice',
			httpCode: '500',
			kind: 'temporarily-unavailable',
			concernsAll: true,
		});
		const all = crowd(queue, 3);
		await all.done();
		expect([all.sent(), all.errors]).toEqual([0, ['reason 1', 'reason 1', 'reason 1']]);
	});

	it('three are enough after ten minutes, two never', () => {
		const now = jest.spyOn(performance, 'now').mockReturnValue(0);
		const { circuitBreaker } = new RequestQueue({ concurrency: 4 });
		circuitBreaker.onFailedAttempt();
		now.mockReturnValue(600_000);
		circuitBreaker.onFailedAttempt();
		circuitBreaker.onFailure(problem('given up'));
		circuitBreaker.onFailure(problem('given up'));
		expect(circuitBreaker.isOpen).toBe(false);
		circuitBreaker.onFailure(problem('given up'));
		expect(circuitBreaker.isOpen).toBe(true);

		circuitBreaker.reset();
		circuitBreaker.onFailedAttempt();
		now.mockReturnValue(1_199_999);
		for (let i = 0; i < 3; i++) circuitBreaker.onFailure(problem('given up'));
		expect(circuitBreaker.isOpen).toBe(false);
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
