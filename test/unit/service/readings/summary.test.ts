/** Summary per user: which readings count, once and for which day, what is averaged, and what a row says without readings. */
import type { IDataObject } from 'n8n-workflow';
import {
	collectSummary,
	Summary,
	type SummaryRange,
} from '../../../../nodes/HealthDataService/service/readings/summary';
import type { Metric } from '../../../../nodes/HealthDataService/service/readings/metrics';
import { bloodPressure, mindfulness } from '../../../helpers/metrics';
import { fc } from '../../../helpers/properties';
import { anyDays, anyMeasurements, expectSummary, toPoints, type Point } from '../../../helpers/summaries';

const owner = { user_id: 'u', client_user_id: 'c' };
const MARCH: SummaryRange = { zone: 'UTC', first: '2026-03-01', last: '2026-03-31', provider: '' };

async function* pagesOf(lists: Point[][]) {
	for (const list of lists) {
		const groups = { any: list.map(({ point, source }) => ({ data: [point], source })) };
		yield { groups } as unknown as IDataObject;
	}
}
async function summarize(lists: Point[][], range = MARCH, metric: Metric = bloodPressure, user = owner) {
	const rows = await collectSummary(metric, range)(pagesOf(lists), user);
	expect(rows).toHaveLength(1);
	return rows[0];
}
const at = (timestamp: unknown, more: IDataObject = {}, provider = 'omron', type: string | null = 'cuff'): Point => ({
	point: { timestamp: timestamp as string, systolic: 120, diastolic: 80, unit: 'mmHg', ...more },
	source: { provider, type },
	time: 0,
});

it('a date without a time is that day, in any zone', async () => {
	const day = { ...MARCH, first: '2026-03-02', last: '2026-03-02', zone: 'America/New_York' };
	expect(await summarize([[at('2026-03-02')]], day)).toMatchObject({ days: 1, readings: 1, first: '2026-03-02' });
});

it('has its columns in order', async () => {
	const readings = [
		at('2026-03-01T07:00:00Z'),
		at('2026-03-03T07:00:00.000001+00:00', { systolic: 131 }, 'withings', 'manual'),
		at('2026-03-03T09:00:00Z', { systolic: 127, diastolic: 81 }, 'omron', null),
	];
	expect(Object.entries(await summarize([readings]))).toEqual([
		['client_user_id', 'c'],
		['systolic_mean', 126],
		['diastolic_mean', 80.3],
		['unit', 'mmHg'],
		['readings', 3],
		['days', 2],
		['systolic_min', 120],
		['systolic_max', 131],
		['diastolic_min', 80],
		['diastolic_max', 81],
		['first', '2026-03-01T07:00:00Z'],
		['last', '2026-03-03T09:00:00Z'],
		['from', '2026-03-01'],
		['to', '2026-03-31'],
		['providers', 'omron, withings'],
		['source_types', 'cuff, manual'],
		['user_id', 'u'],
		['row_id', expect.stringMatching(/^bloodPressure-summary-[0-9a-f]{32}$/)],
	]);
	const session = { start: '2026-03-31T23:50:00Z', end: '2026-04-01T00:10:00Z', value: 20, unit: 'min' };
	const minutes = await summarize([[{ ...at(''), point: session }]], MARCH, mindfulness);
	expect(Object.entries(minutes).slice(1, 7)).toEqual([
		['value_sum', 20],
		['unit', 'min'],
		['readings', 1],
		['days', 1],
		['first', session.start],
		['last', session.start],
	]);
});

it('is a row of zero readings where there are none', async () => {
	for (const lists of [[], [[]], [[at('2026-02-28T23:59:59.999999Z')], [at('2026-04-01T00:00:00Z')]]])
		expect(await summarize(lists)).toEqual({
			...owner,
			...{ from: '2026-03-01', to: '2026-03-31', days: 0, readings: 0, first: null, last: null },
			...{ systolic_mean: null, systolic_min: null, systolic_max: null },
			...{ diastolic_mean: null, diastolic_min: null, diastolic_max: null },
			...{ unit: null, providers: '', source_types: '', row_id: expect.any(String) },
		});
});

describe.each([
	['blood pressure', bloodPressure, 2],
	['sessions', mindfulness, 1],
] as const)('of any %s, over any pages', (_, metric, valueCount) => {
	const isSessions = metric === mindfulness;
	const anyCase = anyDays.chain((days) =>
		fc.record({ days: fc.constant(days), all: anyMeasurements(days, valueCount) }),
	);

	it('is what the measurements say', async () => {
		await fc.assert(
			fc.asyncProperty(anyCase, fc.nat(60), async ({ days, all }, cut) => {
				const points = toPoints(all, isSessions);
				const range = { zone: days.zone, first: days.from, last: days.to, provider: '' };
				const row = await summarize([points.slice(0, cut), [], points.slice(cut)], range, metric);
				expectSummary(row, all, days, isSessions);
				// Pages that overlap, in another order.
				const reversed = [...points].reverse();
				expect(await summarize([reversed, points.slice(0, cut)], range, metric)).toEqual(row);
			}),
		);
	});
});

describe('a measurement that came through several sources', () => {
	const copy = at('2026-03-01T07:00:00Z');

	it('counts once, with copies in any notation', async () => {
		const row = await summarize([
			[copy, at('2026-03-01 08:00:00.9+01', { systolic: '120.0' }, 'apple_health_kit', 'phone')],
			[at('2026-03-01T07:00:00.123456', { diastolic: ' 80 ' }, 'withings', null)],
		]);
		expect(row).toMatchObject({ readings: 1, systolic_mean: 120, providers: 'apple_health_kit, omron, withings' });
		expect([row.first, row.last]).toEqual(['2026-03-01T07:00:00Z', '2026-03-01 08:00:00.9+01']);
	});

	it.each([
		['in another spelling', ['mmHg', 'mmhg'], 'mmHg', 1],
		['with a blank', ['mmHg', 'mm Hg', 'MMHG'], 'mmHg', 1],
		['in one unusual spelling', ['MMHG', 'MMHG'], 'MMHG', 1],
		['in two spellings of an unknown unit', ['Torr', 'torr'], 'torr', 1],
	])('has one unit %s', async (_, units, unit, readings) => {
		const rows = units.map((one) => at('2026-03-01T07:00:00Z', { unit: one }));
		for (const list of [rows, [...rows].reverse()])
			expect(await summarize([list])).toMatchObject({ readings, unit, systolic_mean: 120 });
	});

	it('a reading without a unit has that of the others, and two units have no mean', async () => {
		const without = at('2026-03-01T08:00:00Z', { unit: null, systolic: 130 });
		expect(await summarize([[copy, without]])).toMatchObject({ readings: 2, unit: 'mmHg', systolic_mean: 125 });
		const kPa = at('2026-03-01T09:00:00Z', { unit: 'kPa' });
		expect(await summarize([[copy, without, kPa]])).toMatchObject({ readings: 3, unit: null, systolic_mean: null });
	});

	it('is another session with another end', async () => {
		const session = (end: string) => ({
			...at(''),
			point: { start: '2026-03-01T07:00:00Z', end: `2026-03-01T${end}Z`, value: 5, unit: 'min' },
		});
		const both = [session('07:05:00'), session('07:05:00.7')];
		expect(await summarize([both], MARCH, mindfulness)).toMatchObject({ readings: 1, value_sum: 5 });
		expect(await summarize([[...both, session('07:06:00')]], MARCH, mindfulness)).toMatchObject({ readings: 2 });
	});

	it.each<[unknown, unknown]>([
		// JavaScript reads both as the same date.
		['level 1', 'level 01'],
		[1, 2],
	])('is another one with the unit %p than with %p', async (one, other) => {
		const readings = [one, other].map((unit) => at('2026-03-01T07:00:00Z', { unit } as IDataObject));
		expect(await summarize([readings])).toMatchObject({ readings: 2 });
	});

	it('long values stay short in memory and still differ', async () => {
		const long = (end: string) => at('2026-03-01T07:00:00Z', { systolic: 'x'.repeat(1000) + end });
		expect(await summarize([[long('a'), long('b'), long('a')]])).toMatchObject({ readings: 2, systolic_mean: null });
	});
});

it('readings without a time count, for no day, and only those of one source are the same', async () => {
	const lists = [
		[at(null), at('', {}), at('soon', { systolic: 130 }), at(null, {}, 'withings'), at(null, {}, 'withings', null)],
		// Beyond the dates of JavaScript in this zone.
		[
			at('+275760-09-13T00:00:00.000Z', { systolic: 140 }),
			at('+275760-09-13T00:00:00.000Z', { systolic: 140 }, 'other'),
		],
	];
	const row = await summarize(lists, { ...MARCH, zone: 'Asia/Kolkata' });
	expect(row).toMatchObject({ days: 0, readings: 6, first: null, last: null, systolic_max: 140 });
});

it('has an id of user, metric, days and provider, and of nothing else', async () => {
	const idOf = async (range: Partial<SummaryRange> = {}, metric = bloodPressure, user = owner, points: Point[] = []) =>
		(await summarize([points], { ...MARCH, ...range }, metric, user)).row_id;
	const id = await idOf();
	// Fixed for ever: it is the key of tables that people keep.
	expect(id).toBe('bloodPressure-summary-0bfe939a3d4451d2d13952bffe641019');
	const same = { ...owner, client_user_id: 'other' };
	expect(await idOf({ zone: 'Asia/Kolkata' }, bloodPressure, same, [at('2026-03-02T07:00Z')])).toBe(id);
	const others = [
		await idOf({ first: '2026-03-02' }),
		await idOf({ last: '2026-03-30' }),
		await idOf({ provider: 'omron' }),
		await idOf({}, { ...bloodPressure, value: 'other' }),
		await idOf({}, bloodPressure, { ...owner, user_id: 'v' }),
	];
	expect(new Set([id, ...others].map((one) => String(one).slice(-26))).size).toBe(6);
});

it.each([null, ''])('a source that is %j is not named', (none) => {
	const summary = new Summary(bloodPressure, MARCH);
	for (const provider of [none, 'omron'])
		summary.add({ ...at('2026-03-01T07:00Z').point, provider, source_type: provider });
	expect(summary.toRow(owner)).toMatchObject({ readings: 1, providers: 'omron', source_types: 'omron' });
});
