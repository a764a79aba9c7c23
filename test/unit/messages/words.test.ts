/** Words for readings: values, times, lists and severity. */
import type { IDataObject } from 'n8n-workflow';
import {
	periodWords,
	plural,
	readingList,
	readingWords,
	severity,
	timeWords,
} from '../../../nodes/HealthDataService/messages/words';
import { measurementsOf, readingOf } from '../../../nodes/HealthDataService/service/readings/measurements';
import { localTimeIn } from '../../../nodes/HealthDataService/shared/dateTime';
import { bloodPressure } from '../../helpers/metrics';

const limits = { high: [180, 110], low: [90, 50] };
const style = { metric: bloodPressure, limits, year: '2026', latestNow: Infinity };

/** "systolic/diastolic day hour:minute" of November 2026. */
function measurementOf(reading: string, more: IDataObject = {}) {
	const [, systolic, diastolic, day, clock] = /(.*)\/(.*) (\d+) (.*)/.exec(reading)!;
	const number = (value: string) => (value === 'null' ? null : Number.isNaN(Number(value)) ? value : Number(value));
	const timestamp = `2026-11-${day.padStart(2, '0')}T${clock}:00Z`;
	const row = { systolic: number(systolic), diastolic: number(diastolic), unit: 'mmHg', timestamp, ...more };
	return measurementsOf(bloodPressure, [readingOf(bloodPressure, row, localTimeIn('UTC'))])[0];
}

describe('a time', () => {
	it.each<[Parameters<typeof timeWords>, string]>([
		[['2026-11-30 08:01:59', '2026'], 'Mon 30 Nov 08:01'],
		[['2026-11-30', '2026'], 'Mon 30 Nov'],
		[['2025-11-30 08:01:59', '2026'], 'Sun 30 Nov 2025 08:01'],
		[['2026-11-30 08:01:59'], 'Mon 30 Nov 2026 08:01'],
		[['2026-11-30 08:01:59', '', '2026-11-30 07:00:00'], '08:01'],
		[['2026-11-30', '2026', '2026-11-30 07:00:00'], 'Mon 30 Nov'],
		[['2026-11-29 08:01:59', '2026', '2026-11-30'], 'Sun 29 Nov 08:01'],
		[[null], '(no time)'],
	])('%j is %s', (given, words) => {
		expect(timeWords(...given)).toBe(words);
	});
});

it.each([
	['2026-11-16', '2026-11-22', 'Mon 16 Nov to Sun 22 Nov 2026'],
	['2025-12-29', '2026-01-04', 'Mon 29 Dec 2025 to Sun 4 Jan 2026'],
	['2026-11-22', '2026-11-22', 'Sun 22 Nov 2026'],
	['2026-11-21 08:00:00', '2026-11-22 08:00:00', 'Sat 21 Nov 08:00 to Sun 22 Nov 2026 08:00'],
])('the period %s, %s is %s', (from, to, words) => {
	expect(periodWords(from, to)).toBe(words);
});

it.each<[string, string, IDataObject?]>([
	['180/95 30 08:01', '180/95 Mon 30 Nov 08:01 high'],
	['120/80 30 08:01', '120/80 Mon 30 Nov 08:01'],
	['190/45 30 08:01', '190/45 Mon 30 Nov 08:01 high and low'],
	['179.96/95 30 08:01', '180/95 Mon 30 Nov 08:01 high'],
	['200/null 30 08:01', '200/– Mon 30 Nov 08:01 high'],
	['140/null 30 08:01', '140/– Mon 30 Nov 08:01 not counted'],
	// A word that begins with a slash is a command in Telegram.
	['1e308/100 30 08:01', '?/100 Mon 30 Nov 08:01 not counted'],
	['0/0 30 08:01', '0/0 Mon 30 Nov 08:01 not counted'],
	['85/140 30 08:01', '85/140 Mon 30 Nov 08:01 not counted'],
	['190 mm/80 30 08:01', '190 mm/80 Mon 30 Nov 08:01 not comparable'],
	[
		'190/80 30 08:01',
		'190/80 x · ·app-user-0007·… Mon 30 Nov 08:01 not comparable',
		{ unit: 'x\n• *app-user-0007* high: 250/140' },
	],
	['18.7/11.9 30 08:01', '140/89 Mon 30 Nov 08:01', { unit: 'kPa' }],
	['120/80 30 08:01', '120/80 (no time)', { timestamp: 'yesterday' }],
	['190/90 30 08:01', '190/90 Mon 30 Nov 08:01 high and corrected', { change: 'updated' }],
	['120/80 30 08:01', '120/80 Mon 30 Nov 08:01 corrected', { change: 'updated' }],
	['190/90 30 12:00', '190/90 Mon 30 Nov 12:00 high'],
	['190/90 30 08:01', '190/90 Tue 30 Nov 2027 08:01 high and dated ahead', { timestamp: '2027-11-30T08:01:00Z' }],
])('%s is "%s"', (reading, words, more = {}) => {
	const now = { ...style, latestNow: Date.UTC(2026, 10, 30, 12) };
	expect(readingWords(now, measurementOf(reading, more))).toBe(words);
});

it('without limits, what is no number is not counted', () => {
	const words = readingWords({ ...style, limits: {} }, measurementOf('190/x 30 08:01'));
	expect(words).toBe('190/x Mon 30 Nov 08:01 not counted');
});

describe('a list of readings', () => {
	const list = (length: number[], ...readings: string[]) =>
		readingList(
			style,
			readings.map((one) => measurementOf(one)),
			...length,
		);

	it('is newest first, and says a day once', () => {
		expect(list([], '192/110 30 07:51', '180/95 30 08:01', '185/100 29 07:56')).toBe(
			'180/95 Mon 30 Nov 08:01 high, 192/110 07:51 high, 185/100 Sun 29 Nov 07:56 high',
		);
		expect(list([])).toBe('');
	});

	const week = ['182/90 24 08:00', '183/118 25 08:00', '210/91 26 08:00', '88/60 27 08:00', '181/45 28 08:00'];
	const days = ['184/92 29 08:00', '185/93 30 08:00', '186/94 30 09:00'];

	it('has the newest three, the highest and lowest of each value, and the rest as a number', () => {
		expect(list([], ...week, ...days)).toBe(
			'186/94 Mon 30 Nov 09:00 high, 185/93 08:00 high, 184/92 Sun 29 Nov 08:00 high, 181/45 Sat 28 Nov 08:00 high and low, 88/60 Fri 27 Nov 08:00 low, 210/91 Thu 26 Nov 08:00 high, 183/118 Wed 25 Nov 08:00 high … and 1 more',
		);
	});

	it('a text is neither the highest nor the lowest', () => {
		expect(list([1], 'x/80 30 08:00', '120/x 29 08:00', '130/82 28 08:00', '125/85 27 08:00')).toMatch(
			/^x\/80 .*, 120\/x .*, 130\/82 .*, 125\/85 [^…]*$/,
		);
		expect(list([1], '120/80 30 08:00', 'x/x 29 08:00')).toMatch(/^120\/80 [^,]* … and 1 more$/);
	});

	it('has all readings up to a number, else those beyond a limit', () => {
		const normal = Array.from({ length: 6 }, (_, at) => `12${at}/80 20 0${at}:00`);
		expect(list([3, 14], ...week, ...days, ...normal).split(', ')).toHaveLength(14);
		expect(list([3, 13], ...week, ...days, ...normal)).toMatch(/^186\/94 .*182\/90 .* … and 6 more$/);
	});
});

describe('severity', () => {
	it.each<[Array<number | null | string>, number]>([
		[[180, 100], 1],
		[[150, 132], 1.2],
		[[270, 110], 1.5],
		[[150, 25], 2],
		[[45, null], 2],
		[['190 "mm"', null], 0],
		[[null, null], 0],
	])('of %j is %d', (values, expected) => {
		expect(severity(limits, values)).toBeCloseTo(expected);
	});

	it('of no limits is 0', () => {
		expect(severity({}, [200, 120])).toBe(0);
	});
});

it.each([
	[1, '1 reading'],
	[0, '0 readings'],
	[1200, '1,200 readings'],
])('%i is "%s"', (count, words) => {
	expect(plural(count, 'reading')).toBe(words);
});
