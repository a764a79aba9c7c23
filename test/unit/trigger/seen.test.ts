/** Change detection: what is old when watching begins. */
import { readingEvents } from '../../../nodes/HealthDataService/trigger/events';
import { SeenReadings, type TimeWindow } from '../../../nodes/HealthDataService/trigger/seen';

const NOON = Date.UTC(2026, 5, 1, 12);
const START = NOON - 60_000;
const first: TimeWindow = { start: START, end: Infinity, watchingSince: NOON, readAt: NOON + 5 };
const later: TimeWindow = { start: START, end: Infinity };

function foundAt(time: number | null, window: TimeWindow) {
	const timestamp = time === null ? null : new Date(time).toISOString();
	const rows = [{ user_id: 'anna', timestamp, systolic: 120, diastolic: 80, provider: 'omron', source_type: 'cuff' }];
	const seen = new SeenReadings({});
	const changes = seen.changes(readingEvents[0], rows, window, () => true);
	const old = Object.values(seen.toSave(() => 0));
	return { changes: changes.length, old: old.length, newest: seen.newest };
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

it('later, a reading without a time is new', () => {
	expect(foundAt(null, later)).toEqual({ changes: 1, old: 0, newest: -Infinity });
});

it('a reading that is dated after the end of the window is not the newest', () => {
	expect(foundAt(NOON, { ...later, end: NOON - 1 })).toEqual({ changes: 1, old: 0, newest: -Infinity });
});
