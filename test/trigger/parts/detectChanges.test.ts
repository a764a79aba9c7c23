/**
 * The heart of the trigger by itself: which rows of a user are new, which are old, and what goes out.
 */
import type { IDataObject } from 'n8n-workflow';
import { readingEvents } from '../../../nodes/HealthDataService/trigger/events';
import { detectChanges, toItem, type TimeWindow } from '../../../nodes/HealthDataService/trigger/detectChanges';
import { SeenReadings } from '../../../nodes/HealthDataService/trigger/seen';

const [bloodPressure] = readingEvents;
const reading = (time: unknown, systolic: unknown = 120, more: IDataObject = {}) =>
	({ id: null, user_id: 'u', timestamp: time, systolic, diastolic: 80, unit: 'mmHg', provider: 'p', ...more }) as never;
const at = (millis: number) => new Date(millis).toISOString();
const look = (rows: IDataObject[], window: TimeWindow, seen = new SeenReadings({})) =>
	detectChanges(bloodPressure, rows, seen, window);
const values = (rows: Array<{ row: IDataObject }>) => rows.map(({ row }) => row.systolic);

it('looks at nothing before the window, and at all from its first instant on', () => {
	const rows = [reading(at(999), 1), reading(at(1000), 2), reading(at(5000), 3)];
	const { fresh, old, newest } = look(rows, { from: 1000 });
	expect([values(fresh), old, newest]).toEqual([[2, 3], [], 5000]);
	expect(look([reading(at(999), 1)], { from: 1000 }).newest).toBeUndefined();
});

it('the newest is the latest, in whatever order they come', () => {
	expect(look([reading(at(7000)), reading(at(3000)), reading(null)], { from: 0 }).newest).toBe(7000);
	expect(look([], { from: 0 }).newest).toBeUndefined();
});

it('what was measured up to the beginning is old, that instant included, and so is what has no time', () => {
	const rows = [reading(at(1000), 1), reading(at(1001), 2), reading('soon', 3)];
	const { fresh, old } = look(rows, { from: 0, since: 1000 });
	expect([values(fresh), values(old)]).toEqual([[2], [1, 3]]);
	expect(values(look(rows, { from: 0 }).fresh)).toEqual([1, 2, 3]);
});

it('in the poll in which watching begins, only what was measured while it ran is new', () => {
	const rows = [reading(at(1000), 1), reading(at(1500), 2), reading(at(2000), 3), reading(at(2001), 4)];
	const { fresh, old } = look(rows, { from: 0, since: 1000, until: 2000 });
	expect([values(fresh), values(old)]).toEqual([
		[2, 3],
		[1, 4],
	]);
	// An end alone makes nothing old.
	expect(values(look(rows, { from: 0, until: 0 }).fresh)).toEqual([1, 2, 3, 4]);
});

it('what is known is neither, what was corrected is new, and identical ones are one', () => {
	const seen = new SeenReadings({});
	for (const row of look([reading(at(1000)), reading(at(2000))], { from: 0 }, seen).fresh) seen.remember(row);
	const { fresh, old, newest } = look(
		[reading(at(1000)), reading(at(2000), 130), reading(at(3000)), reading(at(3000))],
		{ from: 0 },
		seen,
	);
	expect(fresh.map(({ change, time }) => [change, time])).toEqual([
		['updated', 2000],
		['created', 3000],
	]);
	expect([old, newest]).toEqual([[], 3000]);
});

it.each(['systolic', 'diastolic', 'unit'])('a correction of %s is one, whatever it was before', (column) => {
	const seen = new SeenReadings({});
	for (const row of look([reading(at(1000))], { from: 0 }, seen).fresh) seen.remember(row);
	const { fresh } = look([reading(at(1000), 120, { [column]: 'corrected' })], { from: 0 }, seen);
	expect(fresh.map(({ change }) => change)).toEqual(['updated']);
});

it('goes out with its id and how it changed first, then as it came', () => {
	const [row] = look([reading(at(1000), 120, { change: 'theirs', error: 'x' })], { from: 0 }).fresh;
	const item = toItem(bloodPressure, row);
	expect(Object.keys(item).slice(0, 3)).toEqual(['id', 'change', 'user_id']);
	expect(item).toMatchObject({
		id: `bloodPressure-${row.key}`,
		change: 'created',
		change_raw: 'theirs',
		error_raw: 'x',
		systolic: 120,
	});
	expect(item).not.toHaveProperty('id_raw');
	// What it is made of stays whole.
	expect(row.row).toHaveProperty('id', null);
});
