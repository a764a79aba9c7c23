/** Lock of a running poll: polls do not overlap, and the lock expires. */
import { withoutOverlap, type Schedule } from '../../nodes/HealthDataService/trigger/scheduler';
import { useVirtualTime } from '../helpers/virtualTime';

const time = useVirtualTime();

const BUDGET_MS = 40_000;
const schedule = (name: string, more: Partial<Schedule> = {}) =>
	({ name, budgetMs: BUDGET_MS, isStart: false, ...more }) as Schedule;
/** A poll that runs until its end is called. */
function pending(name: string) {
	let end = () => {};
	const ended = new Promise<string>((resolve) => (end = () => resolve(name)));
	return { poll: async () => await ended, end };
}

it('skips other polls of the same trigger', async () => {
	const first = withoutOverlap(schedule('a'), async () => await time.pass(BUDGET_MS).then(() => 'first'));
	expect(await withoutOverlap(schedule('a'), async () => 'second')).toBeNull();
	expect(await withoutOverlap(schedule('b'), async () => 'another trigger')).toBe('another trigger');
	expect(await first).toBe('first');
	expect(await withoutOverlap(schedule('a'), async () => 'third')).toBe('third');
});

it('is released by a poll that throws', async () => {
	await expect(withoutOverlap(schedule('c'), async () => await Promise.reject(new Error('no')))).rejects.toThrow('no');
	expect(await withoutOverlap(schedule('c'), async () => 'next')).toBe('next');
});

it('expires after twice the budget, and the late poll does not release the lock of another', async () => {
	const first = pending('first');
	const late = withoutOverlap(schedule('d'), first.poll);
	await time.pass(2 * BUDGET_MS - 1);
	expect(await withoutOverlap(schedule('d'), async () => 'too soon')).toBeNull();
	await time.pass(1);
	const second = pending('second');
	const running = withoutOverlap(schedule('d'), second.poll);
	first.end();
	expect(await late).toBe('first');
	expect(await withoutOverlap(schedule('d'), async () => 'beside the second')).toBeNull();
	second.end();
	expect(await running).toBe('second');
});
