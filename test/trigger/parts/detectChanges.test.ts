/**
 * Change detection: which rows of a user are new, updated or old, and what is emitted.
 */
import type { IDataObject } from 'n8n-workflow';
import { readingEvents } from '../../../nodes/HealthDataService/trigger/events';
import {
	detectChanges,
	SeenReadings,
	toItem,
	type TimeWindow,
} from '../../../nodes/HealthDataService/trigger/detectChanges';

const [bloodPressure] = readingEvents;
const reading = (time: unknown, systolic: unknown = 120, more: IDataObject = {}) =>
	({ id: null, user_id: 'u', timestamp: time, systolic, diastolic: 80, unit: 'mmHg', provider: 'p', ...more }) as never;
const at = (millis: number) => new Date(millis).toISOString();
const look = (rows: IDataObject[], window: TimeWindow, seen = new SeenReadings({})) =>
	detectChanges(bloodPressure, rows, seen, window);
const values = (rows: Array<{ row: IDataObject }>) => rows.map(({ row }) => row.systolic);

it('ignores rows before the window, and takes those at its first instant', () => {
	const rows = [reading(at(999), 1), reading(at(1000), 2), reading(at(5000), 3)];
	const { changes, old, newest } = look(rows, { start: 1000 });
	expect([values(changes), old, newest]).toEqual([[2, 3], [], 5000]);
	expect(look([reading(at(999), 1)], { start: 1000 }).newest).toBeUndefined();
});

it('rows that were found too late are old, in the window and before it, and do not move it', () => {
	const rows = [reading(at(998), 1), reading(at(999), 2), reading(at(1000), 3)];
	const late = (lateUntil: number, start: number) => {
		const { changes, old, newest } = look(rows, { start, lateUntil });
		return [values(changes), values(old), newest];
	};
	expect(late(999, 1000)).toEqual([[3], [1], 1000]);
	expect(late(1000, 0)).toEqual([[3], [1, 2], 1000]);
	expect(late(1001, 0)).toEqual([[], [1, 2, 3], undefined]);
	const seen = new SeenReadings({});
	for (const row of look(rows, { start: 0 }).changes) seen.remember(row);
	expect(look(rows, { start: 0, lateUntil: 1001 }, seen).old).toEqual([]);
});

it('finds the newest row in any order', () => {
	expect(look([reading(at(7000)), reading(at(3000)), reading(null)], { start: 0 }).newest).toBe(7000);
	expect(look([], { start: 0 }).newest).toBeUndefined();
});

it('rows up to the start of watching are old, that instant included, and so are rows without a time', () => {
	const rows = [reading(at(1000), 1), reading(at(1001), 2), reading('soon', 3)];
	const { changes, old } = look(rows, { start: 0, watchingSince: 1000 });
	expect([values(changes), values(old)]).toEqual([[2], [1, 3]]);
	expect(values(look(rows, { start: 0 }).changes)).toEqual([1, 2, 3]);
});

it('at the first read, only rows measured since watching began are new', () => {
	const rows = [reading(at(1000), 1), reading(at(1500), 2), reading(at(2000), 3), reading(at(2001), 4)];
	const { changes, old } = look(rows, { start: 0, watchingSince: 1000, readAt: 2000 });
	expect([values(changes), values(old)]).toEqual([
		[2, 3],
		[1, 4],
	]);
	// `readAt` alone makes no row old.
	expect(values(look(rows, { start: 0, readAt: 0 }).changes)).toEqual([1, 2, 3, 4]);
});

it('drops duplicates and rows seen before, and reports corrections', () => {
	const seen = new SeenReadings({});
	for (const row of look([reading(at(1000)), reading(at(2000))], { start: 0 }, seen).changes) seen.remember(row);
	const { changes, old, newest } = look(
		[reading(at(1000)), reading(at(2000), 130), reading(at(3000)), reading(at(3000))],
		{ start: 0 },
		seen,
	);
	expect(changes.map(({ change, time }) => [change, time])).toEqual([
		['updated', 2000],
		['created', 3000],
	]);
	expect([old, newest]).toEqual([[], 3000]);
});

it.each(['systolic', 'diastolic', 'unit'])('reports a correction of %s', (column) => {
	const seen = new SeenReadings({});
	for (const row of look([reading(at(1000))], { start: 0 }, seen).changes) seen.remember(row);
	const { changes } = look([reading(at(1000), 120, { [column]: 'corrected' })], { start: 0 }, seen);
	expect(changes.map(({ change }) => change)).toEqual(['updated']);
});

it('emits the row as it came, with its `id` and `change` in the place of `id`', () => {
	const fields = { provider: 'p', user_id: 'u', id: null, change: 'theirs', error: 'x' };
	const [row] = look([{ timestamp: at(1000), systolic: 120, ...fields }], { start: 0 }).changes;
	const item = toItem(bloodPressure, row);
	expect(Object.keys(item)).toEqual([
		...['timestamp', 'systolic', 'provider', 'user_id', 'id', 'change', 'change_raw', 'error_raw'],
	]);
	expect(item).toMatchObject({
		id: `bloodPressure-${row.key}`,
		change: 'created',
		change_raw: 'theirs',
		error_raw: 'x',
		systolic: 120,
	});
	expect(item).not.toHaveProperty('id_raw');
	// The row itself is not changed.
	expect(row.row).toHaveProperty('id', null);
});
