/**
 * The gate by itself: requests are promises that the test answers when it likes.
 */
import { sleep } from 'n8n-workflow';
import { Gate, type Outcome, type Wanted } from '../../nodes/HealthDataService/http/gate';
import { LOSS_LIMITS } from '../../nodes/HealthDataService/http/losses';
import { Problem } from '../../nodes/HealthDataService/shared/problem';
import { nextTurn } from '../helpers/machine';

const problem = (message: string) => new Problem(message, '');

afterEach(() => jest.restoreAllMocks());

/** `count` requests that are wanted at once, and what became of them. */
function crowd(gate: Gate, count: number, wanted: Wanted = { continues: true }) {
	const sent: Array<(outcome: Outcome) => void> = [];
	const errors: string[] = [];
	const all = Array.from({ length: count }, async () => {
		const work = async () => await new Promise<Outcome>((resolve) => sent.push(resolve));
		await gate.inTurn(work, (outcome) => outcome, wanted).catch(({ message }: Error) => errors.push(message));
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

/** A gate that has seen its key accepted. */
async function openGate(most: number) {
	const gate = new Gate(most);
	await gate.inTurn(
		async () => 'answered' as const,
		(outcome) => outcome,
		{ continues: true },
	);
	return gate;
}

/** How many it lets out now. */
async function room(gate: Gate): Promise<number> {
	const probe = crowd(gate, 60);
	await nextTurn();
	const inFlight = probe.sent();
	for (let left = 60; left > 0; ) {
		const now = probe.sent() - (60 - left);
		await probe.answer('unsent', now);
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
		expect(await room(new Gate(most))).toBe(handful);
	});

	it('all go out after the first answer that takes the key', async () => {
		const gate = new Gate(8);
		const all = crowd(gate, 20);
		await nextTurn();
		await all.answer('denied');
		expect(all.sent()).toBe(5);
		await all.answer('failed');
		expect(all.sent()).toBe(6);
		await all.answer('answered');
		// Three have ended.
		expect(all.sent()).toBe(3 + 8);
	});

	it('none goes out after the key was refused, and everybody learns the same', async () => {
		const gate = new Gate(8);
		const all = crowd(gate, 500);
		await nextTurn();
		gate.end(problem('wrong key'));
		gate.end(problem('another'));
		await all.answer('denied', 4);
		await all.done();
		expect(all.sent()).toBe(4);
		expect(all.errors).toEqual(Array(496).fill('wrong key'));
	});
});

describe('finding out', () => {
	it('happens once, and everybody else waits for it', async () => {
		const gate = await openGate(4);
		const first = crowd(gate, 4);
		await nextTurn();
		const probe = crowd(gate, 1, { continues: true, isProbe: true });
		let asked = 0;
		const ask = async () => {
			asked++;
			await probe.done();
		};
		const others = crowd(gate, 10);
		const verdicts = [gate.askOnce(ask), gate.askOnce(ask)];
		await first.answer('denied', 4);
		expect([probe.sent(), others.sent()]).toEqual([1, 0]);
		await probe.answer('answered');
		await Promise.all(verdicts);
		await nextTurn();
		expect([asked, others.sent()]).toEqual([1, 4]);
		await gate.askOnce(ask);
		expect(asked).toBe(1);
	});

	it('ends when it fails, too', async () => {
		const gate = await openGate(4);
		await gate.askOnce(async () => await Promise.reject(new Error('no')));
		expect(await room(gate)).toBe(4);
	});
});

describe('after a refusal', () => {
	it('half as many go out; those sent together count once', async () => {
		const gate = await openGate(8);
		const all = crowd(gate, 40);
		await nextTurn();
		await all.answer('refused', 8);
		expect(gate.pace.refusals).toBe(1);
		expect(all.sent()).toBe(8 + 4);
		await all.answer('refused', 4);
		expect(gate.pace.refusals).toBe(2);
		expect(all.sent()).toBe(12 + 2);
	});

	it('never fewer than one', async () => {
		const gate = await openGate(2);
		for (let i = 0; i < 5; i++)
			await gate.inTurn(
				async () => 'refused' as const,
				(outcome) => outcome,
				{ continues: true },
			);
		expect(await room(gate)).toBe(1);
	});

	it('one more after ten answers for each allowed, up to what was allowed at first', async () => {
		const gate = await openGate(4);
		const answered = async (n: number) => {
			for (let i = 0; i < n; i++)
				await gate.inTurn(
					async () => 'answered' as const,
					(outcome) => outcome,
					{ continues: true },
				);
		};
		await gate.inTurn(
			async () => 'refused' as const,
			(outcome) => outcome,
			{ continues: true },
		);
		await answered(19);
		expect(await room(gate)).toBe(2);
		await answered(1);
		expect(gate.pace.refusals).toBe(0);
		expect(await room(gate)).toBe(3);
		await answered(30);
		expect(await room(gate)).toBe(4);
		await answered(200);
		expect(await room(gate)).toBe(4);
	});

	it('nobody sends during a pause, and the longest counts', async () => {
		const gate = await openGate(4);
		gate.pause(250);
		gate.pause(20);
		const begun = performance.now();
		const all = crowd(gate, 1);
		while (all.sent() === 0) await sleep(5);
		expect(performance.now() - begun).toBeGreaterThan(230);
	});

	it('a pause ends soon after it is over for everybody', async () => {
		const gate = await openGate(4);
		gate.pause(60_000);
		const begun = performance.now();
		const all = crowd(gate, 3);
		gate.end(problem('wrong key'));
		await all.done();
		expect(performance.now() - begun).toBeLessThan(1000);
		expect([all.sent(), all.errors.length]).toEqual([0, 3]);
	});
});

describe('after something was given up', () => {
	const stops = { continues: false };

	it('nothing more is sent, unless it is wanted all the same', async () => {
		const gate = await openGate(4);
		gate.losses.add(problem('given up'));
		const [stopped, wanted] = [crowd(gate, 2, stops), crowd(gate, 2)];
		await nextTurn();
		expect([stopped.sent(), wanted.sent()]).toEqual([0, 2]);
		expect(stopped.errors).toEqual(['given up', 'given up']);
	});

	it.each(['answered', 'denied'] as const)(
		'an answer (%s) clears it: what it was, since when, and how many',
		async (outcome) => {
			const gate = await openGate(4);
			gate.losses.begin();
			for (let i = 0; i < LOSS_LIMITS.inARow; i++) gate.losses.add(problem('given up'));
			expect(gate.losses.down?.message).toBe('given up');
			gate.losses.forget();
			for (let i = 1; i < LOSS_LIMITS.inARow; i++) gate.losses.add(problem('given up'));
			await gate.inTurn(
				async () => outcome,
				(is) => is,
				{ continues: true },
			);
			expect(gate.losses).toMatchObject({ last: undefined, down: undefined, failingFor: 0 });
			gate.losses.add(problem('one more'));
			expect(gate.losses.down).toBeUndefined();
			gate.losses.forget();
			gate.losses.add(problem('given up'));
			await gate.inTurn(
				async () => outcome,
				(is) => is,
				{ continues: true },
			);
			const later = crowd(gate, 1, stops);
			await nextTurn();
			expect(later.sent()).toBe(1);
		},
	);

	it('50 in a row: down for everybody, with the last reason', async () => {
		const gate = await openGate(4);
		const losing = async (n: number) => {
			for (let i = 1; i <= n; i++)
				gate.losses.add(new Problem(`reason ${i}`, 'advice', { kind: 'temporarily-unavailable', httpCode: '500' }));
		};
		await losing(49);
		expect(gate.losses.down).toBeUndefined();
		await losing(1);
		expect(gate.losses.down).toMatchObject({
			message: 'reason 1',
			description: 'advice',
			httpCode: '500',
			kind: 'temporarily-unavailable',
			concernsAll: true,
		});
		const all = crowd(gate, 3);
		await all.done();
		expect([all.sent(), all.errors]).toEqual([0, ['reason 1', 'reason 1', 'reason 1']]);
	});

	it('three are enough after ten minutes, two never', () => {
		const now = jest.spyOn(performance, 'now').mockReturnValue(0);
		const { losses } = new Gate(4);
		losses.begin();
		now.mockReturnValue(600_000);
		losses.begin();
		losses.add(problem('given up'));
		losses.add(problem('given up'));
		expect(losses.down).toBeUndefined();
		losses.add(problem('given up'));
		expect(losses.down).toBeDefined();

		losses.forget();
		losses.begin();
		now.mockReturnValue(1_199_999);
		for (let i = 0; i < 3; i++) losses.add(problem('given up'));
		expect(losses.down).toBeUndefined();
	});
});

it('cancelled: nothing is sent, and the reason is that', async () => {
	const gate = await openGate(4);
	const all = crowd(gate, 2, { continues: true, signal: AbortSignal.abort() });
	await all.done();
	expect([all.sent(), all.errors]).toEqual([0, ['The execution was cancelled', 'The execution was cancelled']]);
});
