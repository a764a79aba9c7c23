/** Report of a read: readings that the service of engine/message.test.ts does not give, and which people are named first. */
import type { IDataObject } from 'n8n-workflow';
import { personRows, teamReport, type ReportOptions } from '../../../nodes/HealthDataService/messages/report';
import type { UserResult } from '../../../nodes/HealthDataService/service/readings/readUsers';
import { localTimeIn } from '../../../nodes/HealthDataService/shared/dateTime';
import { bloodPressure } from '../../helpers/metrics';

/** Monday to Sunday, and the week before. */
const [BEFORE, START, END] = [9, 16, 23].map((day) => Date.UTC(2026, 10, day));
const within = (from: number, to: number) => (one: { time?: number }) => one.time! >= from && one.time! < to;

const options: ReportOptions = {
	metric: bloodPressure,
	limits: { mean: [135, 85], high: [180, 110], low: [90, 50], enough: [3, 2] },
	provider: '',
	sourceTypes: [],
	onlyStatus: [],
	compareWith: 'period',
	rangeOf: () => ({
		zone: 'UTC',
		localTimeOf: localTimeIn('UTC'),
		from: '2026-11-16',
		to: '2026-11-22',
		query: { start_date: new Date(BEFORE).toISOString(), end_date: new Date(END - 1).toISOString() },
		isAsked: within(START, END),
		before: { from: '2026-11-09', to: '2026-11-15', has: within(BEFORE, START) },
	}),
};

function resultOf(given: ReportOptions, data: IDataObject[], at = 0): UserResult {
	const selected = { user: { user_id: `u${at}`, client_user_id: `anna-${at}` }, place: at + 1 };
	const rows = personRows(given, [{ slug: 'omron', data, source: { type: 'cuff' }, extras: {} }], selected);
	return { ...selected, rows, isGone: false, tookMs: 0, endedAt: 0 };
}

/** Of one person with one reading. */
function reportOf(reading: IDataObject) {
	const range = { ...options.rangeOf({ user: { user_id: '', client_user_id: null }, place: 0 }), isAsked: () => true };
	const timeless = { ...options, rangeOf: () => range };
	return teamReport(timeless, { users: () => [] }, [resultOf(timeless, [reading])]);
}

it('a reading without a time may be of the last 24 hours', () => {
	const { text } = reportOf({ timestamp: 'soon', systolic: 190, diastolic: 100, unit: 'mmHg' });
	expect(text).toContain('last 24 hours of the period: 1\n• anna-0: 190/100 (no time) high; by cuff');
});

it('a missing value is a dash in a cell, as in a line', () => {
	const { html } = reportOf({ timestamp: '2026-11-18T08:00:00Z', systolic: 200, diastolic: null, unit: 'mmHg' });
	expect(html).toContain('<br><b>200/–</b></td>');
});

it('people beyond limits are all named before people who were without readings already', () => {
	const beyond = [192, 92, 93].map((systolic, at) => ({
		timestamp: new Date(END - 1000 - at * 100_000).toISOString(),
		...{ systolic, diastolic: 70, unit: 'mmHg' },
	}));
	const results = Array.from({ length: 345 }, (_, at) => resultOf(options, at < 45 ? beyond : [], at));
	const text = String(teamReport(options, { users: () => [] }, results).text);
	const counts = text.split('\n\n').map((part) => [/: \d+$/m.exec(part)?.[0], part.match(/^• anna/gm)?.length]);
	expect(counts[1]).toEqual([': 45', 45]);
	expect(counts.at(-1)).toEqual([': 300', expect.any(Number)]);
});
