/** Rows of a day and a range: what counts, once and for which day, against an independent count. */
import type { IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { localTimeIn } from '../../../../nodes/HealthDataService/shared/dateTime';
import { measurementsOf, readingOf } from '../../../../nodes/HealthDataService/service/readings/measurements';
import type { Metric } from '../../../../nodes/HealthDataService/service/readings/metrics';
import { groupsOf as groupsOfPage } from '../../../../nodes/HealthDataService/service/readings/rows';
import {
	dayRows,
	summaryRows,
	type SummaryOptions,
} from '../../../../nodes/HealthDataService/service/readings/summary';
import { memoized } from '../../../../nodes/HealthDataService/shared/values';
import { bloodPressure, mindfulness, readRange } from '../../../helpers/metrics';
import { anyReadings, countOf, localOf, pointOf, rowOf, type Reading } from './summaryOracle';
import { fc } from '../../../helpers/properties';

const user = { user_id: 'u', client_user_id: 'c' };
const NOW = DateTime.fromISO('2026-05-01T12:00:00Z');
interface Days {
	zone?: string;
	startDate?: string;
	endDate?: string;
	dateRange?: string;
}
const ALWAYS = { startDate: '2026-01-01', endDate: '2026-04-30' };

/** Read once: that takes a third of the time of a row. */
const rangeOf = memoized((asked: string) => {
	const { zone = 'UTC', dateRange = 'days', compareWith, ...days } = JSON.parse(asked) as Days & Compared;
	return readRange({ dateRange, ...ALWAYS, ...days }, zone, NOW, { compareWith });
});
type Compared = Pick<SummaryOptions, 'compareWith'>;

function optionsOf(days: Days, more: Partial<SummaryOptions> = {}) {
	const range = rangeOf(JSON.stringify({ ...days, compareWith: more.compareWith }));
	return {
		...{ metric: bloodPressure, rangeOf: () => range, provider: '', sourceTypes: [] },
		...{ limits: {}, onlyStatus: [], ...more },
	};
}

type Group = { data: IDataObject[]; source: { provider: string; type: string | null } };
const pageOf = (groups: Group[]) => groupsOfPage({ groups: { any: groups } } as unknown as IDataObject);
const groupsOf = (readings: Reading[], isSessions = false): Group[] =>
	readings.map((one) => ({ data: [pointOf(one, isSessions)], source: { provider: one.provider, type: one.type } }));

const daily = (pages: Group[][], days: Days = {}, metric: Metric = bloodPressure, more = {}) =>
	dayRows(optionsOf(days, { metric, ...more }), pages.flatMap(pageOf), { user, place: 1 });
const summaries = (pages: Group[][], days: Days = {}, metric: Metric = bloodPressure, more = {}) =>
	summaryRows(optionsOf(days, { metric, ...more }), pages.flatMap(pageOf), { user, place: 1 });
const summary = (...args: Parameters<typeof summaries>) => summaries(...args)[0];

const at = (timestamp: unknown, systolic: unknown, diastolic: unknown, more: IDataObject = {}): Group => {
	const { provider = 'omron', type = 'cuff', ...point } = more as Record<string, string>;
	return {
		data: [{ timestamp, systolic, diastolic, unit: 'mmHg', ...point } as IDataObject],
		source: { provider, type },
	};
};
const clock = (time: string) => `2026-03-02T${time}Z`;

describe.each([
	['blood pressure', bloodPressure, false],
	['sessions', mindfulness, true],
] as const)('of any %s, over any pages', (_, metric, isSessions) => {
	const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata');

	it('each row is what an independent count gives', () => {
		fc.assert(
			fc.property(anyReadings(isSessions), zones, fc.nat(25), (readings, zone, cut) => {
				const groups = groupsOf(readings, isSessions);
				const counted = countOf(readings, isSessions);
				const row = summary([groups.slice(0, cut), [], groups.slice(cut)], { zone }, metric);
				expect(row).toMatchObject(rowOf(counted, isSessions, zone));
				const dayOf = ({ micros }: { micros: number | null }) => localOf(micros, zone)?.slice(0, 10) ?? null;
				const withTime = counted.filter(({ values, micros }) => values && micros !== null);
				expect(row.days).toBe(new Set(withTime.map(dayOf)).size);

				const days = daily([groups], { zone }, metric);
				const expected = [...new Set(counted.map(dayOf))].sort((a, b) => (a ?? '9').localeCompare(b ?? '9'));
				expect(days.map(({ date }) => date)).toEqual(expected);
				for (const day of days) {
					const ofDay = counted.filter((one) => dayOf(one) === day.date);
					expect(day).toMatchObject(rowOf(ofDay, isSessions, zone));
				}

				// Pages that overlap, in another order.
				const reversed = [...groups].reverse();
				expect(summary([reversed, groups.slice(0, cut)], { zone }, metric)).toEqual(row);
				expect(daily([reversed, groups.slice(0, cut)], { zone }, metric)).toEqual(days);
			}),
		);
	});
});

describe('equal readings', () => {
	const each = (times: unknown[], ...providers: string[]) =>
		times.map((time, index) => at(time, 120, 80, { provider: providers[index] ?? 'omron' }));
	const seconds = (...all: number[]) => all.map((one) => new Date(Date.UTC(2026, 2, 2, 8) + one * 1000).toISOString());

	it.each([
		['a minute later of another source', each(seconds(0, 60), 'omron', 'apple'), 1],
		['more than a minute later of another source', each(seconds(0, 60.001), 'omron', 'apple'), 2],
		['of one source in one second', each(seconds(0.1, 0.9)), 1],
		['of one source in two seconds', each(seconds(0.9, 1)), 2],
		['two of each source', each(seconds(0, 20, 30, 40), 'omron', 'apple', 'omron', 'apple'), 2],
		['without a time, identical', each(['soon', 'soon']), 1],
		['without a time, of different text', each(['soon', 'later']), 2],
		['without a time, blank', each([null, '']), 1],
		['with and without a time', each([...seconds(0), 'soon'], 'omron', 'apple'), 2],
	])('%s', (_, groups, readings) => {
		expect(summary([groups]).readings).toBe(readings);
	});

	it('those with sources of their own are one measurement, with or without a time', () => {
		const copies = Array.from({ length: 1000 }, (_, type) => at(clock('08:00'), 120, 80, { type: `${type}` }));
		expect(summary([copies])).toMatchObject({ readings: 1 });
		expect(daily([copies.map(({ source }) => ({ ...at('soon', 120, 80), source }))])).toMatchObject([
			{ readings: 1000 },
		]);
	});

	it('those of two units have one mean, in any order', () => {
		const both = [at(clock('07:00'), 140, 89), at(clock('07:00'), 18.7, 11.9, { unit: 'kPa', provider: 'apple' })];
		for (const groups of [both, [...both].reverse()]) expect(summary([groups])).toMatchObject({ mean: '140.0/89.0' });
	});

	it.each([
		['values', at(clock('08:00'), '121?', 80)],
		['units', at(clock('08:00'), '120?', 80, { unit: 'foo' })],
	])('those that cannot be compared are not equal with other %s', (_, other) => {
		const one = at(clock('08:00'), '120?', 80);
		expect(summary([[one, one, other]]).left_out).toBe(2);
	});
});

const every = (count: number, systolic: unknown, diastolic: unknown, more: IDataObject = {}) =>
	Array.from({ length: count }, (_, i) => at(clock(`07:${10 + i}:00`), systolic, diastolic, more));
const copied = (time: string, systolic: number) => [
	at(clock(`${time}:03`), systolic, 80),
	at(clock(`${time}:10`), systolic, 80, { provider: 'apple_health_kit', type: 'phone' }),
];
const DEEP: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
const NO_TEXT = { provider: { toString: null }, type: { toString: null } };
it.each<[string, Group[], IDataObject]>([
	[
		'null beside one that is whole',
		[...every(11, 120, null), at(clock('08:00'), 120, 118)],
		{ mean: '120.0/118.0', readings: 1, left_out: 11 },
	],
	['0/0', [...every(3, 0, 0), ...every(9, 150, 95)], { mean: '150.0/95.0', readings: 9, left_out: 3 }],
	['2047/2047', [...every(11, 120, 75), at(clock('08:00'), 2047, 2047)], { mean: '120.0/75.0', left_out: 1 }],
	['85/140', [at(clock('08:00'), 85, 140), ...every(2, 140, 85)], { mean: '140.0/85.0', left_out: 1 }],
	[
		'kPa',
		every(1, 25.2, 15.1, { unit: 'kPa' }),
		{ mean: '189.0/113.3', unit: 'mmHg', highest: '189/113', diastolic_max: 113 },
	],
	[
		'kPa of the same reading',
		[at(clock('07:00'), 140, 89), at(clock('07:00'), 18.7, 11.9, { unit: 'kPa' })],
		{ readings: 1, latest: '140/89' },
	],
	['noise', every(1, 189.99999999999997, 109.99999999999999), { latest: '190/110', systolic_max: 190 }],
	['mm[Hg]', [...every(1, 150, 95), ...every(1, 160, 95, { unit: 'mm[Hg]' })], { mean: '155.0/95.0', left_out: 0 }],
	['copies seven seconds later', ['07:00', '07:01'].flatMap((time, i) => copied(time, 120 + i)), { readings: 2 }],
	['a source that is no text', every(2, 120, 80, NO_TEXT), { providers: '', source_types: '' }],
	['a time that is no text', [at({ deep: DEEP }, 120, 80)], { readings: 1, latest: null }],
])('%s: the same in a day and a range', (_, groups, expected) => {
	expect(summary([groups])).toMatchObject(expected);
	expect(daily([groups])).toMatchObject([expected]);
});

it('a user without readings has a row of zeros; a loose cuff is no reading, and is not hidden', () => {
	const limits = { limits: { mean: [135] } };
	for (const pages of [[], [[]]])
		expect(summary(pages, {}, bloodPressure, limits)).toMatchObject({
			...{ status: 'no readings', readings: 0, days: 0, left_out: 0, mean: null, unit: null, latest: null },
			...{ providers: '', source_types: '' },
		});
	const loose = summary([every(3, null, null)], {}, bloodPressure, limits);
	expect(loose).toMatchObject({ status: 'no readings', readings: 0, left_out: 3 });
	expect(daily([])).toEqual([]);
	// Only blood pressure has its means as one text.
	expect(summary([], {}, mindfulness)).not.toHaveProperty('mean');
});

describe('status', () => {
	const week = (systolic: number, diastolic: number, count = 7) =>
		Array.from({ length: count }, (_, day) => at(`2026-03-1${day}T07:00:00Z`, systolic, diastolic));
	const mean = [135, 85];

	it.each([
		[135, 84, 'high'],
		[134.9, 85, 'high'],
		[134.9, 84.9, 'in range'],
	])('%d/%d is %s', (systolic, diastolic, status) => {
		expect(summary([week(systolic, diastolic)], {}, bloodPressure, { limits: { mean } })).toMatchObject({ status });
	});

	it('is high, and not hidden, with too few readings', () => {
		const options = { limits: { mean, enough: [12, 3] } };
		const few = summary([week(176, 108)], {}, bloodPressure, options);
		expect(few).toMatchObject({ status: 'high', enough_readings: false, readings: 7 });
		const { enough_readings } = summary([week(176, 108)], {}, bloodPressure, { limits: { enough: [7, 8] } });
		expect(enough_readings).toBe(false);
		const enough = summary([week(176, 108)], {}, bloodPressure, { limits: { enough: [7, 7] } });
		expect(enough).toMatchObject({ enough_readings: true });
	});

	it('Return Only keeps the users with it', () => {
		const only = (...onlyStatus: string[]) =>
			summaries([week(176, 108)], {}, bloodPressure, { limits: { mean }, onlyStatus }).length;
		expect(only('high')).toBe(1);
		expect(only('in range', 'high')).toBe(1);
		expect(only('in range', 'no readings')).toBe(0);
		const quiet = summaries([], {}, bloodPressure, { onlyStatus: ['no readings'] });
		expect(quiet).toMatchObject([{ status: 'no readings' }]);
	});
});

it('names the newest reading that reached a limit', () => {
	const limits = { high: [180, 110] };
	const early = [at(clock('05:00'), 181, 90), at(clock('04:00'), 182, 90)];
	const groups = [at(clock('06:30'), 140, 112), at(clock('07:00'), 150, 95), ...early];
	expect(summary([groups], {}, bloodPressure, { limits })).toMatchObject({
		...{ highest: '182/90', reached: 'high', reached_reading: '140/112', reached_time: '2026-03-02 06:30:00' },
	});
	const none = summary([[groups[1]]], {}, bloodPressure, { limits });
	expect(none).toMatchObject({ reached: '', reached_reading: null, reached_time: null });
});

it.each([
	['at one time', clock('07:00')],
	['without a time', null],
])('of readings %s, the order of pages does not decide which is named', (_, time) => {
	const limits = { high: [180, 110], low: [90, 50] };
	const named = (groups: Group[]) => summary([groups], {}, bloodPressure, { limits }).reached_reading;
	const comparable = [at(time, 140, 112), at(time, 200, 112), at(time, 88, 49)];
	const others = [at(time, 25, 15, { unit: 'foo' }), at(time, 'x', 15), at(time, 26, 15, { unit: 'foo' })];
	for (const groups of [comparable, others]) {
		const [first, ...more] = groups;
		expect(named([...more, first])).toBe(named(groups));
		expect(named([...groups].reverse())).toBe(named(groups));
	}
});

it('a date without a time stays one, wherever its time is shown', () => {
	const limits = { high: [100] };
	const day = '2026-03-02';
	const groups = [at('20260302', 120, 80)];
	const times = { latest_time: day, highest_time: day, lowest_time: day };
	const zone = 'America/New_York';
	expect(summary([groups], { zone }, bloodPressure, { limits })).toMatchObject({ ...times, reached_time: day });
	expect(daily([groups], { zone }, bloodPressure, { limits })).toMatchObject([{ ...times, reached_time: day }]);
});

it.each<[string, Group, IDataObject]>([
	[
		'a missing value beside one that is high',
		at(clock('08:00'), 200, null),
		{ reached: 'high', reached_reading: '200/–' },
	],
	[
		'an unknown unit',
		at(clock('08:00'), 25, 15, { unit: 'foo' }),
		{ reached: 'not comparable', reached_reading: '25/15 foo' },
	],
	['an impossible pair', at(clock('08:00'), 85, 140), { reached: '', reached_reading: null }],
	['kPa, in mmHg', at(clock('08:00'), 25.2, 12, { unit: 'kPa' }), { reached: 'high', reached_reading: '189/90' }],
])('%s is judged as in the trigger, though it may not count', (_, one, expected) => {
	const limits = { high: [180, 110], low: [90, 50] };
	const groups = [[at(clock('07:00'), 120, 80), one, at(clock('09:00'), 121, 80)]];
	expect(summary(groups, {}, bloodPressure, { limits })).toMatchObject(expected);
	expect(daily(groups, {}, bloodPressure, { limits })).toMatchObject([expected]);
});

it('of equal readings the later is the highest and the lowest, and one without a time is never the latest', () => {
	const groups = [at(clock('07:00'), 120, 80), at(clock('09:00'), 120, 80), at(null, 120, 80)];
	const others = [at(clock('08:00'), 120, 81), at(clock('10:00'), 120, 79)];
	expect(summary([[...groups, ...others]])).toMatchObject({ highest: '120/81', lowest: '120/79' });
	expect(summary([groups])).toMatchObject({
		...{ latest_time: '2026-03-02 09:00:00', highest_time: '2026-03-02 09:00:00', lowest_time: '2026-03-02 09:00:00' },
		...{ readings: 3, days: 1 },
	});
	expect(daily([groups])).toMatchObject([
		{ date: '2026-03-02', readings: 2 },
		{ date: null, readings: 1, latest: null, highest: '120/80', highest_time: null },
	]);
});

describe('sessions', () => {
	const session = (start: string, end: string | null, provider: string, value = 1): Group => ({
		data: [{ start: clock(start), end: end && clock(end), value, unit: 'min' }],
		source: { provider, type: null },
	});
	const sum = (...groups: Group[]) => summary([groups], {}, mindfulness);

	it.each<[string, string | null, string, number]>([
		['before the other has ended', '07:01', '07:00:59', 1],
		['when it ends', '07:01', '07:01', 2],
		['within a minute of one without an end', null, '07:01', 1],
		['within a minute of one that ends as it begins', '07:00', '07:01', 1],
	])('one of another source that begins %s', (_, end, start, readings) => {
		expect(sum(session('07:00', end, 'watch'), session(start, '07:30', 'phone'))).toMatchObject({ readings });
	});

	const each = (count: number, apartSeconds: number, unit: string): Group[] =>
		Array.from({ length: count }, (_, index) => {
			const start = new Date(Date.UTC(2026, 2, 2, 7, 0, 13) + index * apartSeconds * 1000).toISOString();
			return { data: [{ start, value: 2, unit }], source: { provider: 'watch', type: null } };
		});

	it('an hour apart are no copies: samples of a minute are alike', () => {
		expect(sum(...each(4, 3600, 'min'))).toMatchObject({ readings: 4 });
	});

	it('of seconds add up to minutes', () => {
		expect(sum(...each(300, 20, 's'))).toMatchObject({ value_sum: 10, readings: 300, latest: '0' });
	});
});

describe('the same measurements with a time zone applied twice', () => {
	const SECOND = 1000;
	const MORNING = Date.UTC(2026, 2, 2, 7, 0, 13);
	const reading = (day: number, later: number) =>
		at(new Date(MORNING + (day * 86_400 + later) * SECOND).toISOString(), 120 + day, 80);
	const days = (count: number) => Array.from({ length: count }, (_, day) => day);
	const twice = (originals: number, copies: number, later = 7200) => [
		...days(originals).map((day) => reading(day, 0)),
		...days(copies).map((day) => reading(day, later)),
	];

	it.each<[string, Group[], number]>([
		['all of them', twice(4, 4), 4],
		['half of them', twice(8, 4), 8],
		['less than half of them', twice(9, 4), 13],
		['one of one', twice(1, 1), 2],
		['to 15 minutes', twice(4, 4, 900), 4],
		['to 14 hours', twice(4, 4, 14 * 3600), 4],
		['to more than 14 hours', twice(4, 4, 14 * 3600 + 900), 8],
		['but a second', twice(4, 4, 7201), 8],
		['to no multiple of 15 minutes', twice(4, 4, 7200 + 300), 8],
		[
			'at a full minute',
			twice(4, 4).map((group) =>
				at(String(group.data[0].timestamp).replace(':13.', ':00.'), group.data[0].systolic, 80),
			),
			8,
		],
		[
			'with other values',
			[...twice(4, 0), ...days(4).map((day) => at(reading(day, 7200).data[0].timestamp, 150 + day, 80))],
			8,
		],
		['a third time', [...twice(4, 4), ...days(4).map((day) => reading(day, 3 * 3600))], 4],
		['some a third time, as far again', [...twice(6, 6), ...days(2).map((day) => reading(day, 4 * 3600))], 6],
	])('%s: counted once where half of them, and two, are copies', (_, groups, readings) => {
		expect(summary([groups])).toMatchObject({ readings });
		expect(daily([groups]).reduce((sum, row) => sum + Number(row.readings), 0)).toBe(readings);
	});

	it('names the sources of all copies', () => {
		const of = (provider: string, count: number, later: number) =>
			days(count).map((day) => ({ ...reading(day, later), source: { provider, type: 'phone' } }));
		const groups = [...twice(4, 0), ...of('apple', 4, 3600), ...of('withings', 1, 7200)];
		expect(summary([groups])).toMatchObject({ readings: 4, providers: 'apple, omron, withings' });
	});

	it('a copy of the next day counts on the day of the first one', () => {
		const late = days(2).flatMap((day) => [reading(day, 13 * 3600), reading(day, 18.5 * 3600)]);
		expect(daily([late]).map(({ date, readings }) => [date, readings])).toEqual([
			['2026-03-02', 1],
			['2026-03-03', 1],
		]);
	});

	const around = (mean: number, spread: number) => fc.integer({ min: mean - spread, max: mean + spread });
	it.each<[string, fc.Arbitrary<number[]>]>([
		// By the spread of a person's pressure within a day: equal values come again about once in 200 readings.
		['as a person has', fc.tuple(around(125, 12), around(80, 8))],
		['the same, or nearly', fc.constantFrom([120, 80], [121, 80], [121, 81])],
		['the same always', fc.constant([120, 80])],
	])('a monitor that measures each half hour at one second loses nothing, with values %s', (_, values) => {
		fc.assert(
			fc.property(fc.array(values, { minLength: 10, maxLength: 48 }), (each) => {
				const groups = each.map(([systolic, diastolic], half) =>
					at(new Date(MORNING + half * 1800 * SECOND).toISOString(), systolic, diastolic),
				);
				expect(summary([groups]).readings).toBe(groups.length);
			}),
		);
	});
});

describe('the period before', () => {
	const groups = ['02-26', '02-27', '02-28', '03-01', '03-02'].map((day, index) =>
		at(`2026-${day}T07:00:00Z`, 120 + index, 80),
	);
	const compared = (days: Days, from = 0, ...more: Group[]) =>
		summary([[...groups.slice(from), at(null, 99, 60), ...more]], days, bloodPressure, { compareWith: 'period' });

	it('has as many calendar days; readings without a time are of the present one', () => {
		// The service sends the readings from 27 February on.
		const days = { startDate: '2026-03-01', endDate: '2026-03-02' };
		expect(compared(days, 1, at('2026-03-01', 98, 60))).toMatchObject({
			...{ readings: 4, from: '2026-03-01', to: '2026-03-02' },
			...{ readings_before: 2, systolic_mean_before: 121.5, mean_before: '121.5/80.0' },
		});
	});

	it('changes no other column', () => {
		const days = { startDate: '2026-03-01', endDate: '2026-03-02' };
		const row = compared(days);
		expect(row).not.toHaveProperty('status_before');
		expect(row).toMatchObject(summary([[...groups.slice(3), at(null, 99, 60)]], days));
		// Without it, all that the service sends counts.
		expect(summary([groups], days)).toMatchObject({ readings: 5 });
	});

	it('counts a copy over its end once, in the period of the first', () => {
		const days = { startDate: '2026-03-02', endDate: '2026-03-02' };
		const copies = ['2026-03-01T23:59:50Z', '2026-03-02T00:00:20Z'].map((time, index) =>
			at(time, 150, 90, { provider: ['omron', 'apple'][index] }),
		);
		const row = summary([copies], days, bloodPressure, { compareWith: 'period' });
		expect(row).toMatchObject({ readings: 0, readings_before: 1 });
	});

	it('a day earlier has the readings of both, and ends a day before: at the same time of day where it is not over', () => {
		const compare = (days: Days, from: number) =>
			summary([groups.slice(from)], days, bloodPressure, { compareWith: 'day' });
		expect(compare({ startDate: '2026-02-28', endDate: '2026-03-02' }, 1)).toMatchObject({
			...{ readings: 3, readings_before: 3, from_before: '2026-02-27', to_before: '2026-03-01' },
		});
		const week = ['04-24T07:00', '04-30T11:00', '04-30T12:01', '05-01T11:00'].map((time) =>
			at(`2026-${time}Z`, 120, 80),
		);
		const row = summary([week], { dateRange: 'last7Days' }, bloodPressure, { compareWith: 'day' });
		expect(row).toMatchObject({ readings: 3, readings_before: 2, from_before: '2026-04-24', to_before: '2026-04-30' });
	});

	it('of exact times ends with the instant at which they begin', () => {
		const days = { dateRange: 'times', startDate: '2026-03-01T07:00:00Z', endDate: '2026-03-02T07:00:00Z' };
		// The service sends the readings from 28 February, 07:00 on.
		expect(compared(days, 2)).toMatchObject({
			...{ readings: 3, readings_before: 1, from: '2026-03-01 07:00:00', to: '2026-03-02 07:00:00' },
		});
	});
});

describe('the day of a reading', () => {
	it.each([
		['2026-03-02', 'America/New_York', '2026-03-02'],
		['20260302', 'Pacific/Kiritimati', '2026-03-02'],
		['20260302T030000Z', 'America/New_York', '2026-03-01'],
		['2026-03-02T03Z', 'America/New_York', '2026-03-01'],
	])('of %s in %s is %s', (timestamp, zone, date) => {
		const days = { zone, startDate: date, endDate: date };
		expect(daily([[at(timestamp, 120, 80)]], days)).toMatchObject([{ date, readings: 1 }]);
	});

	it('is never one of the year 10000, nor its time the latest', () => {
		const groups = [at('9999-12-31T23:59:59Z', 130, 80), at('2026-03-01T07:00Z', 120, 80)];
		const days = { zone: 'Asia/Kolkata', endDate: '9999-12-31' };
		expect(daily([groups], days).map(({ date }) => date)).toEqual(['2026-03-01', null]);
		expect(summary([groups], days)).toMatchObject({ readings: 2, days: 1, latest: '120/80' });
	});

	it('survives a clock that is beyond all dates', () => {
		const groups = [at('+275760-09-13T00:00:00.000Z', 130, 80), at('2026-03-01T07:00Z', 120, 80)];
		const rows = daily([groups], { zone: 'Asia/Kolkata', endDate: '' });
		expect(rows.map(({ date }) => date)).toEqual(['2026-03-01', null]);
	});
});

it('has its columns in their order', () => {
	const limits = { mean: [135], low: [90], enough: [undefined, 3] };
	const options = { limits, compareWith: 'period', hasTimeZone: true };
	const columns = [
		'client_user_id status enough_readings reached reached_reading reached_time systolic_mean diastolic_mean mean unit',
		'readings days latest latest_time highest highest_time lowest lowest_time systolic_min systolic_max diastolic_min',
		'diastolic_max left_out systolic_mean_before diastolic_mean_before mean_before readings_before from_before to_before status_before',
		'from to providers source_types connected time_zone user_id row_id',
	];
	expect(Object.keys(summary([], {}, bloodPressure, options))).toEqual(columns.join(' ').split(' '));
});

const idOf = (make: typeof summaries, days: Days = {}, metric = bloodPressure, more = {}) =>
	make([[at('2026-03-02T07:00Z', 120, 80)]], days, metric, more)[0].row_id as string;

it.each([
	['a summary', summaries, 'bloodPressure-summary-0bfe93'],
	['a day', daily, 'bloodPressure-day-0bfe93'],
] as const)(
	'row_id of %s is of metric, user, days, provider and source types, and of nothing else',
	(_, make, prefix) => {
		const id = idOf(make);
		expect(id.startsWith(prefix)).toBe(true);
		expect(idOf(make, { zone: 'Asia/Kolkata' })).toBe(id);
		expect(idOf(make, {}, bloodPressure, { limits: { high: [1] } })).toBe(id);
		const others = [
			idOf(make, {}, bloodPressure, { provider: 'omron' }),
			idOf(make, {}, bloodPressure, { sourceTypes: ['cuff'] }),
			idOf(make, {}, { ...bloodPressure, value: 'other' }),
		];
		expect(new Set([id, ...others].map((one) => one.slice(-26))).size).toBe(4);
		for (const narrower of [{ startDate: '2026-03-02' }, { endDate: '2026-03-02' }])
			expect(idOf(make, narrower) === id).toBe(make === daily);
	},
);

it('looks at each of many short sessions in a minute, all of their own sources, a few times only', () => {
	const count = 200;
	const start = Date.UTC(2026, 2, 2);
	let looks = 0;
	const sessions = Array.from({ length: count }, (_, ms) => {
		const [from, to] = [ms, ms + 1].map((later) => new Date(start + later).toISOString());
		const row = { start: from, end: to, value: 1, unit: 'min', source_type: `watch-${ms}` };
		const reading = readingOf(mindfulness, row, localTimeIn('UTC'));
		return Object.defineProperty(reading, 'time', { get: () => (looks++, start + ms), enumerable: true });
	});
	expect(measurementsOf(mindfulness, sessions)).toHaveLength(count);
	expect(looks).toBeLessThan(count * 20);
});
