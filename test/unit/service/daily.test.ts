/**
 * Daily rows: sums and averages, rounding, duplicate readings, and the day of an instant.
 */
import type { IDataObject } from 'n8n-workflow';
import { aggregate } from '../../../nodes/HealthDataService/service/aggregates';
import { collectDaily, type DayRange } from '../../../nodes/HealthDataService/service/daily';
import { metrics, type Metric } from '../../../nodes/HealthDataService/service/metrics';
import { dayIn, calendarDay } from '../../../nodes/HealthDataService/shared/calendarDay';
import { fc } from '../../helpers/properties';

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
		['id', expect.stringMatching(/^bloodPressure-day-[0-9a-f]{32}$/)],
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
		['id', expect.stringMatching(/^mindfulnessMinutes-day-[0-9a-f]{32}$/)],
	]);
});

describe('what counts', () => {
	/** Thousandths, so that the oracle can add whole numbers. */
	const thousandths = fc.oneof(
		fc.integer({ min: -300_000, max: 300_000 }),
		fc.integer({ min: 0, max: 2500 }).map((tenths) => tenths * 100),
		fc.integer({ min: 40, max: 250 }).map((whole) => whole * 1000),
	);
	const written = fc.constantFrom<(value: number) => unknown>(
		(value) => value,
		String,
		(value) => ` ${value}\n`,
		(value) => value.toExponential(),
	);
	const nothing = fc.constantFrom<unknown>(
		null,
		undefined,
		'',
		' ',
		'n/a',
		'1,5',
		'0x10',
		'Infinity',
		true,
		[7],
		{},
		NaN,
		-Infinity,
	);

	it('is of every number, in any notation, to the last decimal, in any order', () => {
		fc.assert(
			fc.property(
				fc.array(fc.tuple(thousandths, written), { minLength: 1, maxLength: 40 }),
				fc.array(nothing, { maxLength: 5 }),
				(numbers, nothings) => {
					const values = [...nothings, ...numbers.map(([number, write]) => write(number / 1000))];
					const whole = numbers.map(([number]) => BigInt(number));
					const [count, total] = [BigInt(whole.length), whole.reduce((a, b) => a + b)];
					const sorted = numbers.map(([number]) => number).sort((a, b) => a - b);
					// Half goes up: the floor of twice as much and one, halved, all in whole numbers.
					const twice = 2n * total * 10n + 1000n * count;
					const floor = twice / (2000n * count) - (twice < 0n && twice % (2000n * count) !== 0n ? 1n : 0n);
					const expected = {
						sum: Number(total) / 1000,
						mean: Number(floor) / 10,
						min: sorted[0] / 1000,
						max: sorted.at(-1)! / 1000,
					};
					for (const order of [values, [...values].reverse()])
						for (const [how, result] of Object.entries(expected))
							expect([how, aggregate(how as keyof typeof expected, order)]).toEqual([how, result]);
				},
			),
		);
	});

	it('is the same in any order, also of numbers with too many digits to be added exactly', () => {
		const double = fc.double({ min: -1000, max: 1000, noNaN: true });
		fc.assert(
			fc.property(fc.array(double, { minLength: 3, maxLength: 10 }), (values) => {
				for (const how of ['sum', 'mean'] as const)
					expect(aggregate(how, [...values].reverse())).toBe(aggregate(how, values));
			}),
		);
		// Added one by one to the large number, each 1 would be lost.
		for (const values of [
			[1e16, 1, 1],
			[1, 1e16, 1],
			[1, 1, 1e16],
		])
			expect(aggregate('sum', values)).toBe(10_000_000_000_000_002);
	});

	it('is null without a value', () => {
		fc.assert(
			fc.property(fc.array(nothing), (values) => {
				for (const how of ['sum', 'mean', 'min', 'max'] as const) expect(aggregate(how, values)).toBeNull();
			}),
		);
	});

	it('keeps a single value with all its decimals', () => {
		for (const value of [12.516666666666667, 1e-7, 1e21, 1.5e300, 0]) expect(aggregate('sum', [value])).toBe(value);
		expect(aggregate('sum', [0.1, 0.2])).toBe(0.3);
		expect(aggregate('mean', ['-0.04'])).toBe(0);
		expect(aggregate('sum', ['-0'])).toBe(0);
	});

	it('takes more values than the call stack holds', () => {
		const values = Array.from({ length: 200_000 }, (_, i) => i);
		expect(aggregate('max', values)).toBe(199_999);
		expect(aggregate('min', values)).toBe(0);
		expect(aggregate('mean', values)).toBe(99_999.5);
		expect(aggregate('sum', values)).toBe((199_999 * 200_000) / 2);
	});

	it('counts a reading without a value as a reading, and not in the measured columns', async () => {
		const rows = await rowsOf([
			[at('2026-03-01T07:00Z', { diastolic: null }), at('2026-03-01T08:00Z', { systolic: '131', diastolic: null })],
		]);
		expect(rows).toMatchObject([
			{ readings: 2, systolic_mean: 125.5, systolic_max: 131, diastolic_mean: null, diastolic_min: null },
		]);
	});
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
		expect(rows[0].id).toBe(usual.id);
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
		expect(new Set(rows.map(({ id }) => id)).size).toBe(4);
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
				expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
			}),
		);
	});

	it('has an id that is another for another user, metric, day and source, and does not depend on what was measured', async () => {
		const idOf = async (point: IDataObject, user = owner, metric = bloodPressure) =>
			(await rowsOf([[point]], ALWAYS, metric, user))[0].id;
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
