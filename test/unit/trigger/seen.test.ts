/** Change detection: what is old when watching begins, what goes out later, and what is saved. */
import { readingEvents } from '../../../nodes/HealthDataService/trigger/events';
import { SeenReadings, type TimeWindow } from '../../../nodes/HealthDataService/trigger/seen';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 5, 1, 12);
const START = NOON - 60_000;
const first: TimeWindow = { start: START, end: Infinity, watchingSince: NOON, readAt: NOON + 5 };
const later: TimeWindow = { start: START, end: Infinity };

const rowAt = (time: number | null, systolic = 120) => ({
	user_id: 'anna',
	timestamp: time === null ? null : new Date(time).toISOString(),
	systolic,
	diastolic: 80,
	provider: 'omron',
	source_type: 'cuff',
});
type Row = ReturnType<typeof rowAt>;

/** A poll that reads these rows: what goes out is remembered as such. */
function poll(seen: SeenReadings, rows: Row[], window = later, isWanted = true) {
	const changes = seen.changes(readingEvents[0], rows, window, () => isWanted);
	for (const row of changes) seen.remember(row, 'e');
	return changes.map(({ row }) => `${String(row.change)} ${String(row.systolic)}`);
}
const saved = (seen: SeenReadings, neededFrom = 0) => seen.toSave(() => neededFrom);
const restarted = (seen: SeenReadings) => new SeenReadings(saved(seen));

function foundAt(time: number | null, window: TimeWindow) {
	const seen = new SeenReadings({});
	const changes = seen.changes(readingEvents[0], [rowAt(time)], window, () => true);
	return { changes: changes.length, old: Object.values(saved(seen)).length, newest: seen.newest };
}

it.each([
	['without a time is old', null, first, { old: 1, newest: -Infinity }],
	['measured when watching began is old', NOON, first, { old: 1 }],
	['measured after that, and before the read, is new', NOON + 5, first, { changes: 1 }],
	['dated after the read is old', NOON + 6, first, { old: 1 }],
	['from the start of the window counts', START, first, { old: 1 }],
	['from before the window does not count', START - 1, first, { newest: -Infinity }],
])('at a first read, a reading %s', (_, time, window, expected) => {
	expect(foundAt(time, window)).toEqual({ changes: 0, old: 0, newest: time, ...expected });
});

it.each([
	['without a time is new', null, later, { newest: -Infinity }],
	['dated at the end of the window may be the newest', NOON, { ...later, end: NOON }, {}],
	['dated after it is not the newest', NOON, { ...later, end: NOON - 1 }, { newest: -Infinity }],
])('later, a reading %s', (_, time, window, expected) => {
	expect(foundAt(time, window)).toEqual({ changes: 1, old: 0, newest: time, ...expected });
});

it.each([
	['the same reading', [rowAt(NOON)], true, []],
	['a correction', [rowAt(NOON, 110)], true, ['updated 110']],
	['a correction that reaches nothing: an alarm is taken back', [rowAt(NOON, 110)], false, ['updated 110']],
	['another reading', [rowAt(NOON + 1)], true, ['created 120']],
	['another reading that reaches nothing', [rowAt(NOON + 1)], false, []],
	['one reading on two pages', [rowAt(NOON + 1), rowAt(NOON + 1)], true, ['created 120']],
])('after a reading went out and a restart: %s', (_, rows, isWanted, expected) => {
	const seen = new SeenReadings({});
	expect(poll(seen, [rowAt(NOON)])).toEqual(['created 120']);
	expect(poll(restarted(seen), rows, later, isWanted)).toEqual(expected);
});

it.each([
	['the same reading', rowAt(NOON), true, []],
	['a correction', rowAt(NOON, 190), true, ['updated 190']],
	['a correction that reaches nothing', rowAt(NOON, 110), false, []],
])('after a reading was old at the first read and a restart: %s', (_, row, isWanted, expected) => {
	const seen = new SeenReadings({});
	expect(poll(seen, [rowAt(NOON)], first)).toEqual([]);
	expect(poll(restarted(seen), [row], later, isWanted)).toEqual(expected);
});

it('a reading that reached nothing goes out once a lower limit wants it', () => {
	const seen = new SeenReadings({});
	expect(poll(seen, [rowAt(NOON)], later, false)).toEqual([]);
	expect(poll(restarted(seen), [rowAt(NOON)])).toEqual(['created 120']);
});

describe('saved', () => {
	function seenOf(...times: Array<number | null>) {
		const seen = new SeenReadings({});
		poll(
			seen,
			times.map((time) => rowAt(time)),
			{ ...later, start: -Infinity },
		);
		return seen;
	}
	const hour = String(NOON / HOUR);

	it('hashes of one length, those of an hour in one text', () => {
		const seen = seenOf(NOON, NOON + HOUR - 1, NOON + HOUR, null);
		const lengths = Object.entries(saved(seen)).map(([name, text]) => [name, text.length]);
		expect(Object.fromEntries(lengths)).toEqual({ [hour]: 54, [String(NOON / HOUR + 1)]: 27, none: 27 });
	});

	it.each([
		['until its end', NOON + HOUR - 1, [hour, 'none']],
		['not from its end on; one without a time always', NOON + HOUR, ['none']],
	])('an hour is kept while it is needed: %s', (_, neededFrom, hours) => {
		expect(Object.keys(saved(seenOf(NOON, null), neededFrom))).toEqual(hours);
	});

	it('what is needed is told by the start of the keys of its user', () => {
		const asked: string[] = [];
		const all = seenOf(NOON).toSave((prefix) => asked.push(prefix));
		expect(asked).toEqual([all[hour].slice(0, 6)]);
	});

	it('values alone cannot be told from the hash: the same at another time has another', () => {
		const texts = Object.values(saved(seenOf(NOON, NOON + HOUR))).map((text) => text.slice(20, 26));
		expect(new Set(texts).size).toBe(2);
	});
});
