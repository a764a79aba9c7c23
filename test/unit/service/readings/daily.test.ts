/** Daily rows: their columns, duplicate readings, and the day of an instant. */
import type { IDataObject } from 'n8n-workflow';
import { collectDaily, type DayRange } from '../../../../nodes/HealthDataService/service/readings/daily';
import { metrics, type Metric } from '../../../../nodes/HealthDataService/service/readings/metrics';
import { dayIn, calendarDay } from '../../../../nodes/HealthDataService/shared/calendarDay';
import { fc } from '../../../helpers/properties';

const metricOf = (value: string) => metrics.find((metric) => metric.value === value)!;
const bloodPressure = metricOf('bloodPressure');
const mindfulness = metricOf('mindfulnessMinutes');
const owner = { user_id: 'u', client_user_id: 'c' };
const ALWAYS: DayRange = { zone: 'UTC', first: '0000-01-01' };

/** A page for each list of points, all from one source unless they say otherwise. */
const pageOf = (points: IDataObject[]) => ({
	groups: {
		any: points.map(({ provider = 'omron', type = 'cuff', ...point }) => ({
			data: [point],
			source: { provider, type },
		})),
	},
});
async function* pagesOf(lists: IDataObject[][]) {
	for (const list of lists) yield pageOf(list) as unknown as IDataObject;
}
const rowsOf = async (lists: IDataObject[][], days = ALWAYS, metric: Metric = bloodPressure, user = owner) =>
	await collectDaily(metric, days)(pagesOf(lists), user);

const at = (timestamp: unknown, more: IDataObject = {}): IDataObject => ({
	timestamp: timestamp as string,
	systolic: 120,
	diastolic: 80,
	unit: 'mmHg',
	...more,
});

it('has the columns of the design, in their order', async () => {
	const [pressure] = await rowsOf([[at('2026-03-01T07:00:00Z')]]);
	expect(Object.entries(pressure)).toEqual([
		['client_user_id', 'c'],
		['date', '2026-03-01'],
		['systolic_mean', 120],
		['systolic_min', 120],
		['systolic_max', 120],
		['diastolic_mean', 80],
		['diastolic_min', 80],
		['diastolic_max', 80],
		['unit', 'mmHg'],
		['readings', 1],
		['provider', 'omron'],
		['source_type', 'cuff'],
		['user_id', 'u'],
		['row_id', expect.stringMatching(/^bloodPressure-day-[0-9a-f]{32}$/)],
	]);
	const session = { start: '2026-03-01T23:50:00Z', end: '2026-03-02T00:10:00Z', value: 20, unit: 'min' };
	const [minutes, ...more] = await rowsOf([[session]], ALWAYS, mindfulness);
	expect(more).toEqual([]);
	expect(Object.entries(minutes)).toEqual([
		['client_user_id', 'c'],
		// The day on which it began.
		['date', '2026-03-01'],
		['value_sum', 20],
		['unit', 'min'],
		['readings', 1],
		['provider', 'omron'],
		['source_type', 'cuff'],
		['user_id', 'u'],
		['row_id', expect.stringMatching(/^mindfulnessMinutes-day-[0-9a-f]{32}$/)],
	]);
});

it('counts a reading without a value as a reading, and not in the measured columns', async () => {
	const rows = await rowsOf([
		[at('2026-03-01T07:00Z', { diastolic: null }), at('2026-03-01T08:00Z', { systolic: '131', diastolic: null })],
	]);
	expect(rows).toMatchObject([
		{ readings: 2, systolic_mean: 125.5, systolic_max: 131, diastolic_mean: null, diastolic_min: null },
	]);
});

describe('duplicate readings', () => {
	const same = at('2026-03-01T07:00:00.000001Z');

	it('are the same reading on two pages, in any notation', async () => {
		const again = { ...same, timestamp: '2026-03-01 08:00:00.000001+01', systolic: '120' };
		expect(await rowsOf([[same], [again, same]])).toMatchObject([{ readings: 1, systolic_mean: 120 }]);
	});

	it('are readings with an empty and with a missing source type', async () => {
		const rows = await rowsOf([
			[same, { ...same, systolic: 130 }].map((point, i) => ({ ...point, type: ['', null][i] }) as IDataObject),
		]);
		expect(rows).toMatchObject([{ source_type: null, readings: 2 }]);
	});

	it('are readings with one unit in several spellings', async () => {
		const rows = await rowsOf([['mmHg', 'mm Hg', 'MMHG'].map((unit, i) => ({ ...same, unit, systolic: 120 + i }))]);
		expect(rows).toMatchObject([{ unit: 'mmHg', readings: 3, systolic_mean: 121 }]);
		const [usual] = await rowsOf([[same]]);
		expect(rows[0].row_id).toBe(usual.row_id);
	});

	it('are not readings that differ in a value, a microsecond, the unit or the source', async () => {
		const rows = await rowsOf([
			[same, { ...same, systolic: 130 }],
			[
				{ ...same, timestamp: '2026-03-01T07:00:00.000002Z' },
				{ ...same, unit: 'kPa' },
				{ ...same, type: 'phone' },
				{ ...same, provider: 'withings' },
			],
		]);
		expect(rows.map(({ provider, source_type, unit, readings }) => [provider, source_type, unit, readings])).toEqual([
			['omron', 'cuff', 'kPa', 1],
			['omron', 'cuff', 'mmHg', 3],
			['omron', 'phone', 'mmHg', 1],
			['withings', 'cuff', 'mmHg', 1],
		]);
		expect(rows[1]).toMatchObject({ systolic_mean: 123.3, systolic_min: 120, systolic_max: 130 });
		expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(4);
	});

	it('gives the same rows, ids and order for any order of readings and pages', async () => {
		const point = fc.record({
			timestamp: fc.constantFrom('2026-03-01T07:00Z', '2026-03-01T21:00Z', '2026-03-02T07:00Z', 'no time', null),
			systolic: fc.constantFrom<unknown>(120.1, 120.2, '130.7', null, 'x'),
			diastolic: fc.constantFrom<unknown>(80, null),
			unit: fc.constantFrom('mmHg', '', null),
			provider: fc.constantFrom('omron', 'withings'),
			type: fc.constantFrom('cuff', 'phone', ''),
		}) as fc.Arbitrary<IDataObject>;
		await fc.assert(
			fc.asyncProperty(fc.array(point, { maxLength: 25 }), fc.nat(25), async (points, cut) => {
				const rows = await rowsOf([points]);
				const other = [...points.slice(cut).reverse(), ...points.slice(0, cut)];
				expect(await rowsOf([other.slice(0, cut), [], other, other.slice(cut)])).toEqual(rows);
				expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(rows.length);
			}),
		);
	});

	it('has an id that is another for another user, metric, day and source, and does not depend on what was measured', async () => {
		const idOf = async (point: IDataObject, user = owner, metric = bloodPressure) =>
			(await rowsOf([[point]], ALWAYS, metric, user))[0].row_id;
		const id = await idOf(same);
		// Fixed: users' tables have it as their key.
		expect(id).toBe('bloodPressure-day-0bfe93128570c7f9d3c567b235b72771');
		expect(await idOf(at('2026-03-01T23:59:59Z', { systolic: 99 }), { ...owner, client_user_id: 'other' })).toBe(id);
		const others = [
			await idOf(same, { ...owner, user_id: 'v' }),
			await idOf(at('2026-03-02T00:00:00Z')),
			await idOf({ ...same, unit: 'kPa' }),
			await idOf({ ...same, provider: 'withings' }),
			await idOf({ ...same, type: 'phone' }),
			await idOf(same, owner, { ...bloodPressure, value: 'other' }),
		];
		expect(new Set([id, ...others]).size).toBe(7);
		expect(others.map((other) => String(other).slice(-26))).not.toContain(String(id).slice(-26));
	});
});

describe('the day', () => {
	it('is null in a row of its own, after all others, for readings without a time', async () => {
		const rows = await rowsOf([
			[at(null), at('soon', { systolic: 130 }), at('2026-03-02T07:00Z'), at('2026-03-01T07:00Z')],
		]);
		expect(rows.map(({ date, readings }) => [date, readings])).toEqual([
			['2026-03-01', 1],
			['2026-03-02', 1],
			[null, 2],
		]);
	});

	it('survives a clock that is beyond all dates', async () => {
		const rows = await rowsOf([[at('+275760-09-13T00:00:00.000Z'), at('2026-03-01T07:00Z')]], {
			...ALWAYS,
			zone: 'Asia/Kolkata',
		});
		expect(rows.map(({ date }) => date)).toEqual(['2026-03-01', null]);
	});

	it('is never one outside the requested days, though an hour of it lies within one of them', async () => {
		// St. John's went from 00:01 on the 29th back to 23:01 on the 28th, which is asked for to its last instant.
		const zone = 'America/St_Johns';
		const { last } = calendarDay('2006-10-28', zone)!;
		const within = ['2006-10-29T02:29:59Z', '2006-10-29T02:30:30Z', '2006-10-29T03:00:00Z'];
		for (const time of within) expect(Date.parse(time)).toBeLessThanOrEqual(last);
		const dates = async (days: Omit<DayRange, 'zone'>) =>
			(await rowsOf([within.map((time) => at(time))], { zone, ...days })).map(({ date, readings }) => [date, readings]);
		expect(await dates({ first: '2006-10-28', last: '2006-10-28' })).toEqual([['2006-10-28', 2]]);
		expect(await dates({ first: '2006-10-29', last: '2006-10-29' })).toEqual([['2006-10-29', 1]]);
		expect(await dates({ first: '2006-10-28' })).toEqual([
			['2006-10-28', 2],
			['2006-10-29', 1],
		]);
	});

	it.each([
		['Europe/Berlin', 2026, 2027],
		['America/Havana', 2026, 2027],
		['America/St_Johns', 2006, 2007],
		['Pacific/Apia', 2011, 2012],
		['Australia/Lord_Howe', 2026, 2027],
		['Africa/Monrovia', 1972, 1973],
		['UTC', 2026, 2027],
	])('is what the calendar says in %s', (zone, from, to) => {
		const format = new Intl.DateTimeFormat('en-CA', {
			timeZone: zone,
			year: 'numeric',
			month: '2-digit',
			day: '2-digit',
		});
		const dayOf = dayIn(zone);
		const wrong: unknown[] = [];
		for (let time = Date.UTC(from, 0, 1); time < Date.UTC(to, 0, 1); time += 19 * 60_000 + 777)
			if (dayOf(time) !== format.format(time)) wrong.push([time, dayOf(time), format.format(time)]);
		expect(wrong).toEqual([]);
	});
});

it.each([
	['2026-03-02', 'America/New_York', '2026-03-02'],
	['20260302', 'Pacific/Kiritimati', '2026-03-02'],
	['20260302T030000Z', 'America/New_York', '2026-03-01'],
	['2026-03-02T03Z', 'America/New_York', '2026-03-01'],
])('the reading of %s in %s is of %s', async (timestamp, zone, date) => {
	const days = { zone, first: date, last: date };
	expect(await rowsOf([[at(timestamp)]], days)).toEqual([expect.objectContaining({ date, readings: 1 })]);
});
