/**
 * Concurrent map with results as they are completed: elements in work, time that is up, and how it ends.
 */
import { nextTurn } from '../helpers/machine';
import { concurrentMap } from '../../nodes/HealthDataService/shared/concurrentMap';

const numbers = async function* (count: number) {
	for (let i = 0; i < count; i++) yield i;
};

/** A map over five numbers; the test ends the work of each. */
function mapped(options: { isTimeUp?: () => boolean } = {}, source = numbers(5)) {
	const open = new Map<number, { resolve: (value?: number) => void; reject: (error: Error) => void }>();
	const ends: Array<() => boolean> = [];
	const got: number[] = [];
	const results = concurrentMap(source, { width: 2, asCompleted: true, ...options }, async (one, isCancelled) => {
		ends.push(isCancelled);
		return await new Promise<number | undefined>((resolve, reject) => open.set(one, { resolve, reject }));
	});
	const end = (async () => {
		for await (const one of results) {
			got.push(one);
			// The next results come meanwhile.
			await nextTurn();
		}
	})();
	end.catch(() => undefined);
	const done = async (...which: number[]) => {
		for (const one of which) {
			open.get(one)!.resolve(one);
			open.delete(one);
		}
		await nextTurn();
		await nextTurn();
	};
	return { open, got, end, done, ends };
}

it('a slow element holds back no other one', async () => {
	const { open, got, end, done } = mapped();
	await nextTurn();
	for (const one of [1, 2, 3]) await done(one);
	expect([[...open.keys()], got]).toEqual([
		[0, 4],
		[1, 2, 3],
	]);
	await done(4, 0);
	await end;
	expect(got).toEqual([1, 2, 3, 4, 0]);
});

it('once time is up starts no element, and awaits those in work', async () => {
	let isTimeUp = false;
	const { open, got, end, done } = mapped({ isTimeUp: () => isTimeUp });
	await nextTurn();
	isTimeUp = true;
	await done(1);
	expect([[...open.keys()], got]).toEqual([[0], [1]]);
	await done(0);
	await end;
	expect(got).toEqual([1, 0]);
});

it('leaves out an undefined result, and ends at the first failure', async () => {
	const { open, got, end, ends } = mapped();
	await nextTurn();
	open.get(0)!.resolve();
	await nextTurn();
	open.get(1)!.reject(new Error('broken'));
	await expect(end).rejects.toThrow('broken');
	expect([got, ends.every((isCancelled) => isCancelled())]).toEqual([[], true]);
});

it('leaves out an undefined result, and continues', async () => {
	const { open, got, end, done } = mapped({}, numbers(2));
	await nextTurn();
	open.get(0)!.resolve();
	await done(1);
	await end;
	expect(got).toEqual([1]);
});

it('when the source fails, the elements in work are awaited first', async () => {
	const source = async function* () {
		yield 0;
		throw new Error('the list broke');
	};
	const { got, end, done, ends } = mapped({}, source());
	await nextTurn();
	expect(ends.map((isCancelled) => isCancelled())).toEqual([false]);
	await done(0);
	await expect(end).rejects.toThrow('the list broke');
	expect(got).toEqual([0]);
});
