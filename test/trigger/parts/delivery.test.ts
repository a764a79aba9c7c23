/**
 * How much one poll hands on, by itself: the oldest, and with which user the next poll goes on.
 */
import { limitDelivery, MAX_ROWS_PER_POLL, type FoundRow } from '../../../nodes/HealthDataService/trigger/delivery';

const found = (time: number | undefined, done: number): FoundRow => ({ row: { time } as never, done });
const times = (rows: Array<{ time?: number }>) => rows.map(({ time }) => time);

it('the oldest first, those without a time as if they were measured now', () => {
	const all = [found(30, 0), found(undefined, 0), found(10, 1), found(20, 2)];
	expect(times(limitDelivery(all, { doneCount: 3, now: 25 }).handed)).toEqual([10, 20, undefined, 30]);
});

it('all users are done when all goes out', () => {
	expect(limitDelivery([found(1, 0)], { doneCount: 7, now: 0 }).doneCount).toBe(7);
	expect(limitDelivery([], { doneCount: 0, now: 0 })).toEqual({ handed: [], doneCount: 0 });
});

it('10,000 at most: what is left begins with the first user of whom something is left', () => {
	const many = Array.from({ length: MAX_ROWS_PER_POLL }, (_, i) => found(i, 5));
	expect(limitDelivery(many, { doneCount: 9, now: 0 }).doneCount).toBe(9);
	const { handed, doneCount } = limitDelivery([found(1e9, 8), found(1e9 + 1, 3), ...many], { doneCount: 9, now: 0 });
	expect([handed.length, doneCount, times(handed).at(-1)]).toEqual([10_000, 3, 9999]);
	expect(limitDelivery([found(1e9, 8), ...many], { doneCount: 9, now: 0 }).doneCount).toBe(8);
});
