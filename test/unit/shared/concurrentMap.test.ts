/** Concurrent map, in order and as completed: concurrency, read-ahead, order of the results, and the end. */
import { nextTurn } from '../../helpers/machine';
import { concurrentMap } from '../../../nodes/HealthDataService/shared/concurrentMap';

const numbers = async function* (count: number, given: number[] = []) {
	for (let i = 0; i < count; i++) {
		given.push(i);
		yield i;
	}
};

/** Work that the test completes. */
function manual() {
	const open = new Map<number, { resolve: (value?: number) => void; reject: (error: Error) => void }>();
	const overs: Array<() => boolean> = [];
	const work = async (one: number, isCancelled: () => boolean) => {
		overs.push(isCancelled);
		return await new Promise<number | undefined>((resolve, reject) => open.set(one, { resolve, reject }));
	};
	const done = async (...which: number[]) => {
		for (const one of which) {
			open.get(one)!.resolve(one);
			open.delete(one);
		}
		await nextTurn();
		await nextTurn();
	};
	return { open, work, done, overs };
}

/** @param isSlow whether the next results come while one is read */
function drain<T>(results: AsyncGenerator<T>, isSlow = false) {
	const got: T[] = [];
	const end = (async () => {
		for await (const one of results) {
			got.push(one);
			if (isSlow) await nextTurn();
		}
	})();
	end.catch(() => undefined);
	return { got, end };
}

it('starts no more than so many ahead of the first that is not done', async () => {
	const { open, work, done } = manual();
	drain(concurrentMap(numbers(9), { width: 2 }, work));
	await nextTurn();
	await done(1);
	expect([...open.keys()]).toEqual([0]);
	await done(0);
	expect([...open.keys()]).toEqual([2, 3]);
});

it('cancels the work in progress at once, though the source is still awaited, and gives no partial result', async () => {
	const source = async function* () {
		yield* [0, 1, 2];
		await new Promise<void>((resolve) => (comes = resolve));
	};
	let comes = () => {};
	const { open, work, done, overs } = manual();
	const { got, end } = drain(concurrentMap(source(), { width: 9 }, work));
	await nextTurn();
	open.get(2)!.reject(new Error('broken'));
	await nextTurn();
	expect(overs.map((isCancelled) => isCancelled())).toEqual([true, true, true]);
	await done(0);
	comes();
	await expect(end).rejects.toThrow('broken');
	expect(got).toEqual([]);
});

it('notices a result at the moment it begins to wait', async () => {
	for (let turns = 0; turns < 12; turns++) {
		const work = async (one: number) => {
			for (let turn = 0; turn < turns; turn++) await Promise.resolve();
			return one;
		};
		const { got, end } = drain(concurrentMap(numbers(1, []), { width: 2 }, work));
		await Promise.race([end, nextTurn()]);
		expect([turns, got]).toEqual([turns, [0]]);
	}
});

it('when the time is up, nothing more is started, and those in work are awaited', async () => {
	const { open, work, done } = manual();
	let isTimeUp = false;
	const given: number[] = [];
	const { got, end } = drain(concurrentMap(numbers(9, given), { width: 2, isTimeUp: () => isTimeUp }, work));
	await nextTurn();
	isTimeUp = true;
	await done(0);
	expect([got, given, [...open.keys()]]).toEqual([[0], [0, 1], [1]]);
	await done(1);
	await end;
	expect(got).toEqual([0, 1]);
});

it('starts nothing where the time is up before', async () => {
	const { open, work } = manual();
	await drain(concurrentMap(numbers(3), { width: 2, isTimeUp: () => true }, work)).end;
	expect(open.size).toBe(0);
});

it('tells the work in progress when the reader stops, and reads the source no further', async () => {
	const given: number[] = [];
	let isCancelled = () => false;
	const work = async (one: number, isOver: () => boolean) => {
		isCancelled = isOver;
		return await Promise.resolve(one);
	};
	for await (const one of concurrentMap(numbers(100, given), { width: 2 }, work)) if (one === 3) break;
	expect([given.length < 10, isCancelled()]).toEqual([true, true]);
});

it('in order, when the source fails, its error is thrown without waiting for the elements in work', async () => {
	const source = async function* () {
		yield 1;
		throw new Error('the list broke');
	};
	const { work, overs } = manual();
	await expect(drain(concurrentMap(source(), { width: 5 }, work)).end).rejects.toThrow('the list broke');
	expect(overs.map((isCancelled) => isCancelled())).toEqual([true]);
});

describe('as completed', () => {
	function mapped(source: AsyncIterable<number> = numbers(5), isTimeUp = () => false) {
		const { work, ...rest } = manual();
		return { ...rest, ...drain(concurrentMap(source, { width: 2, asCompleted: true, isTimeUp }, work), true) };
	}

	it('a slow element holds back no other one', async () => {
		const { open, got, end, done } = mapped();
		await nextTurn();
		for (const one of [1, 2, 3]) await done(one);
		expect([...open.keys()]).toEqual([0, 4]);
		expect(got).toEqual([1, 2, 3]);
		await done(4, 0);
		await end;
		expect(got).toEqual([1, 2, 3, 4, 0]);
	});

	it('leaves out an undefined result, and continues', async () => {
		const { open, got, end, done } = mapped(numbers(2));
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
		const { got, end, done, overs } = mapped(source());
		await nextTurn();
		expect(overs.map((isCancelled) => isCancelled())).toEqual([false]);
		await done(0);
		await expect(end).rejects.toThrow('the list broke');
		expect(got).toEqual([0]);
	});
});
