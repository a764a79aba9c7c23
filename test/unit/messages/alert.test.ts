/** A poll in words: lines, sections and items, against a count of its own over random polls. */
import type { IDataObject } from 'n8n-workflow';
import {
	ALERT_COLUMNS,
	pollMessages,
	pollRows,
	userColumns,
	type FoundRow,
	type PollOptions,
} from '../../../nodes/HealthDataService/messages/alert';
import { identify, identityOf } from '../../../nodes/HealthDataService/service/readings/identity';
import { localTimeIn } from '../../../nodes/HealthDataService/shared/dateTime';
import { bloodPressure, mindfulness } from '../../helpers/metrics';
import { fc } from '../../helpers/properties';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 30, 12);
const LIMITS = { high: [180, 110], low: [90, 50] };
const OPTIONS: PollOptions = {
	...{ metric: bloodPressure, limits: LIMITS, latestNow: NOW, zone: 'UTC', isTest: false },
	localTimeOf: localTimeIn('UTC'),
};

/** Values of a blood pressure, minutes from now, and whether it was corrected. */
interface Point {
	values: [unknown, unknown];
	minutes: number;
	isUpdated?: boolean;
	more?: IDataObject;
}
const point = (systolic: unknown, diastolic: unknown, minutes = -1, more: IDataObject = {}): Point => ({
	...{ values: [systolic, diastolic], minutes, isUpdated: more.change === 'updated', more },
});

function foundOf(name: string, out: Point[], others: Point[] = []): FoundRow[] {
	const user = { user_id: `id of ${name}`, client_user_id: name };
	const rowsOf = (points: Point[]) =>
		points.map(({ values: [systolic, diastolic], minutes, isUpdated, more }) => ({
			...{ ...user, systolic, diastolic, unit: 'mmHg', provider: 'omron', source_type: 'cuff' },
			timestamp: new Date(NOW + minutes * MINUTE).toISOString(),
			...({ change: isUpdated ? 'updated' : 'created', ...more } as IDataObject),
		})) as IDataObject[];
	const emitted = rowsOf(out);
	const result = { user, rows: [...emitted, ...rowsOf(others)] };
	return identify(identityOf(bloodPressure), emitted).map((row) => ({ row, result }));
}

const linesOf = ({ text }: IDataObject) =>
	String(text)
		.split('\n')
		.filter((line) => line.startsWith('• '));
const lineOf = (out: Point[], others: Point[] = [], options = OPTIONS) =>
	linesOf(pollMessages(foundOf('anna', out, others), options)[0])[0].replace('• anna: ', '');

describe('a line', () => {
	it.each<[string, Point[], Point[], string]>([
		[
			'a newer reading that does not go out',
			[point(190, 90)],
			[point(120, 80, 0)],
			'190/90 Mon 30 Nov 11:59 high; latest 120/80 Mon 30 Nov 12:00; by cuff',
		],
		['an older one', [point(190, 90)], [point(120, 80, -2)], '190/90 Mon 30 Nov 11:59 high; by cuff'],
		['a newer one that does not count', [point(190, 90)], [point(0, 0, 0)], '190/90 Mon 30 Nov 11:59 high; by cuff'],
		['a newer one dated ahead', [point(190, 90)], [point(120, 80, 60)], '190/90 Mon 30 Nov 11:59 high; by cuff'],
		[
			'one dated ahead that goes out',
			[point(190, 90, 24 * 60)],
			[point(120, 80, 0)],
			'190/90 Tue 1 Dec 12:00 high and dated ahead; latest 120/80 Mon 30 Nov 12:00; by cuff',
		],
		[
			'no time',
			[point(190, 90, -1, { timestamp: 'soon' })],
			[point(120, 80, 0)],
			'190/90 (no time) high; latest 120/80 Mon 30 Nov 12:00; by cuff',
		],
		['no source type', [point(190, 90, -1, { source_type: null })], [], '190/90 Mon 30 Nov 11:59 high; by omron'],
		['no source', [point(190, 90, -1, { source_type: null, provider: null })], [], '190/90 Mon 30 Nov 11:59 high'],
	])('with %s', (_, out, others, line) => {
		expect(lineOf(out, others)).toBe(line);
	});

	it('a copy is the same reading, one of another time zone is shown', () => {
		const copy = point(190, 90, -0.5, { source_type: 'phone' });
		expect(lineOf([point(190, 90), copy])).toBe('190/90 Mon 30 Nov 11:59 high; by cuff, phone');
		expect(lineOf([point(190, 90), { ...copy, isUpdated: true }])).toMatch(
			/^190\/90 .* high and corrected; by cuff, phone$/,
		);
		const seconds = [0.3, 60.3, 61.3, 121.3].map((minutes) => point(190, 90, -minutes));
		expect(lineOf(seconds).match(/190\/90/g)).toHaveLength(4);
	});

	it.each([
		[10, 10],
		[11, 4],
	])('of %i readings within the limits has %i', (count, shown) => {
		const out = Array.from({ length: count }, (_, at) => point(100 + at, 70, -3 * at));
		expect(lineOf(out, [], { ...OPTIONS, limits: {} }).match(/\d+\/70/g)).toHaveLength(shown);
	});

	it('names five sources at most', () => {
		const out = Array.from({ length: 8 }, (_, at) => point(190, 90, -10 * at, { source_type: `type ${at}` }));
		expect(lineOf(out)).toMatch(/; by type 0, type 1, type 2, type 3, type 4 … and 3 more$/);
	});
});

it('a message says the limits, the zone and the unit, and the worst first', () => {
	const found = [
		...foundOf('a little', [point(180, 80)]),
		...foundOf('low', [point(60, 40)]),
		...foundOf('high', [point(200, 100)]),
	];
	const [item] = pollMessages(found, {
		...OPTIONS,
		zone: 'Europe/Berlin',
		limits: { high: [180, undefined], low: [90, 50] },
	});
	expect(String(item.text).split('\n')).toEqual([
		'Blood pressure: 1 person low, 2 people high',
		'Limits: at or above 180/–, or at or below 90/50.',
		'Times in Europe/Berlin, values in mmHg.',
		'',
		'Low: 1',
		expect.stringContaining('• low: 60/40'),
		'',
		'High: 2',
		...['• high: 200/100', '• a little: 180/80'].map((line) => expect.stringContaining(line)),
	]);
	expect(Object.keys(item)).toEqual(ALERT_COLUMNS);
});

it('what cannot be right is never the worst', () => {
	const zero = point(0, 0, -2, { change: 'updated' });
	const found = [
		...foundOf('wrong', [zero]),
		...foundOf('anna', [point(180, 80), zero]),
		...foundOf('ben', [point(190, 80)]),
	];
	expect(linesOf(pollMessages(found, OPTIONS)[0]).map((line) => line.slice(2, 5))).toEqual(['ben', 'ann', 'wro']);
});

it('without limits, who has a new reading beside a corrected one is with the new ones', () => {
	const found = foundOf('anna', [point(120, 80), point(121, 80, -9, { change: 'updated' })]);
	const { text } = pollMessages(found, { ...OPTIONS, limits: {} })[0];
	expect(text).toContain('\nWith new readings: 1\n');
	expect(text).not.toContain('\nCorrected');
});

it('of sessions', () => {
	const user = { user_id: 'u', client_user_id: 'anna' };
	const row = {
		...user,
		value: 12.53,
		unit: 'min',
		provider: 'oura',
		source_type: 'ring',
		start: '2026-11-30T07:00:00Z',
		end: '2026-11-30T07:12:32Z',
		change: 'created',
	} as IDataObject;
	const found = identify(identityOf(mindfulness), [row]).map((one) => ({ row: one, result: { user, rows: [row] } }));
	const options = { ...OPTIONS, metric: mindfulness, limits: { high: [10] } };
	const [item] = pollMessages(found, options);
	expect(item.text).toContain('Limits: at or above 10.\n');
	expect(linesOf(item)).toEqual(['• anna: 12.5 Mon 30 Nov 07:00 high; by ring']);
	expect(pollRows(found, options)).toMatchObject([{ value_min: 12.5, value_max: 12.5, latest: '12.5' }]);
});

describe('one item per user', () => {
	it('has its columns in their order, and the line', () => {
		const [row] = pollRows(foundOf('anna', [point(200, null, -2), point(182, 95)], [point(120, 80, 0)]), OPTIONS);
		expect(row).toEqual({
			...{ client_user_id: 'anna', user_id: 'id of anna', reached: 'high', readings: 2, corrected: 0 },
			text: 'anna: 182/95 Mon 30 Nov 11:59 high, 200/– 11:58 high; latest 120/80 Mon 30 Nov 12:00; by cuff',
			...{ systolic_min: 182, systolic_max: 200, diastolic_min: 95, diastolic_max: 95 },
			...{ latest: '120/80', latest_time: '2026-11-30 12:00:00' },
			row_id: expect.stringMatching(/^bloodPressure-poll-[0-9a-f]{32}$/),
		});
		expect(Object.keys(row)).toEqual(userColumns(bloodPressure, LIMITS));
		expect(pollRows(foundOf('anna', [point(120, 80)]), { ...OPTIONS, limits: {} })[0]).not.toHaveProperty('reached');
	});

	it('what cannot be right is in no minimum and maximum, and nobody has a latest reading of it', () => {
		const [row] = pollRows(foundOf('anna', [point(0, 0, -1, { change: 'updated' })]), OPTIONS);
		expect(row).toMatchObject({
			reached: '',
			readings: 1,
			corrected: 1,
			systolic_max: null,
			latest: null,
			latest_time: null,
		});
	});

	it('a reading without a time is never the latest', () => {
		const [row] = pollRows(foundOf('anna', [point(190, 90, -1, { timestamp: 'soon' })]), OPTIONS);
		expect(row).toMatchObject({ systolic_max: 190, latest: null, latest_time: null });
	});

	it('a latest reading dated ahead is one that goes out', () => {
		const latestOf = (...out: Point[]) => pollRows(foundOf('anna', out, [point(120, 80, 90)]), OPTIONS)[0].latest;
		expect(latestOf(point(190, 80))).toBe('190/80');
		expect(latestOf(point(190, 80), point(200, 80, 60))).toBe('200/80');
	});
});

it.each([
	['a message', (found: FoundRow[]) => pollMessages(found, OPTIONS)],
	['a user', (found: FoundRow[]) => pollRows(found, OPTIONS)],
])('the row_id of %s is of the readings and their values, in any order', (_, make) => {
	const idOf = (...out: Point[]) => make(foundOf('anna', out))[0].row_id;
	const [first, second] = [point(190, 90), point(200, 90, -5)];
	expect(idOf(second, first)).toBe(idOf(first, second));
	expect(new Set([idOf(first), idOf(second), idOf(first, second), idOf(point(191, 90))]).size).toBe(4);
	const [anna, ben] = [foundOf('anna', [first]), foundOf('ben', [first])];
	const ids = (found: FoundRow[]) => new Set(make(found).map(({ row_id }) => row_id));
	expect(ids([...anna, ...ben])).toEqual(ids([...ben, ...anna]));
});

const anyValue = fc.oneof(fc.integer({ min: 40, max: 260 }), fc.constantFrom(null, 'x', 0));
const anyPoint = fc.record({ values: fc.tuple(anyValue, anyValue), isUpdated: fc.boolean() });
const some = <T>(arbitrary: fc.Arbitrary<T>, maxLength: number) =>
	fc.array(arbitrary, { minLength: 1, maxLength, size: 'max' });
const anyPoll = some(some(anyPoint, 16), 45);

/** What a pair reaches, without the code of the node. */
function judged([systolic, diastolic]: Point['values']): string[] {
	const isNumber = (value: unknown): value is number => typeof value === 'number';
	const outside = (value: unknown, least: number, most: number) => isNumber(value) && (value < least || value > most);
	const isWrong = isNumber(systolic) && isNumber(diastolic) && systolic <= diastolic;
	if (outside(systolic, 20, 350) || outside(diastolic, 10, 250) || isWrong) return [];
	const words = new Set<string>();
	for (const [value, high, low] of [
		[systolic, 180, 90],
		[diastolic, 110, 50],
	] as const) {
		if (value === 'x') words.add('not comparable');
		if (isNumber(value) && value >= high) words.add('high');
		if (isNumber(value) && value <= low) words.add('low');
	}
	return [...words];
}

it('of any poll: each person once, every reading, nothing cut', () => {
	fc.assert(
		fc.property(anyPoll, fc.boolean(), (poll, hasLimits) => {
			const limits = hasLimits ? LIMITS : {};
			const people = poll.map((points, at) => {
				// Minutes apart, so that none is a copy.
				const out = points.map((one, i) => ({ ...one, minutes: -3 * i - 1 }));
				return { name: `user-${at}`, out, reached: out.flatMap(({ values }) => judged(values)) };
			});
			const found = people.flatMap(({ name, out }) => foundOf(name, out));
			const items = pollMessages(found, { ...OPTIONS, limits });
			const lines = items.flatMap(linesOf);
			expect(lines).toHaveLength(people.length);
			const sum = (column: string) => items.reduce((all, item) => all + Number(item[column]), 0);
			expect(sum('people')).toBe(people.length);
			expect(sum('readings')).toBe(people.flatMap(({ out }) => out).length);
			expect(sum('corrected')).toBe(people.flatMap(({ out }) => out.filter((one) => one.isUpdated)).length);
			if (hasLimits) expect(sum('reached')).toBe(people.filter(({ reached }) => reached.length > 0).length);
			for (const { text, subject, people: some } of items) {
				expect(String(text).length).toBeLessThanOrEqual(3800);
				expect(some).toBeLessThanOrEqual(30);
				expect(subject).toMatch(/^[ -~]{1,140}$/);
			}
			for (const { name, out } of people) {
				const line = lines.find((one) => one.startsWith(`• ${name}: `))!;
				const shown = line
					.split(': ')[1]
					.split('; ')[0]
					.split(/, | … /);
				const [, more = '0'] = /and (\d+) more/.exec(line) ?? [];
				const words = shown.filter((one) => !one.startsWith('and '));
				expect(words.length + Number(more)).toBe(out.length);
				if (out.length <= 10) expect(more).toBe('0');
				out
					.slice(0, 3)
					.forEach(({ values: [a, b] }, at) =>
						expect(words[at].startsWith(`${a === null ? '–' : String(a)}/${b === null ? '–' : String(b)} `)).toBe(true),
					);
				const beyond = out.filter(({ values }) => hasLimits && judged(values).length > 0);
				const marked = words.filter((one) => / (high|low)/.test(one));
				const isTold = ({ values }: { values: Point['values'] }) =>
					judged(values).some((one) => one !== 'not comparable');
				expect(marked.length).toBeGreaterThanOrEqual(Math.min(beyond.slice(0, 10).filter(isTold).length, 10));
			}
		}),
		{ numRuns: 40 },
	);
});
