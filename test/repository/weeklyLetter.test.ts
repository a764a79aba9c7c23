/**
 * Weekly letter, without n8n: which user stands in which group with which reading, and what a chart survives. A real n8n sends it
 * in test/e2e/examples/careTeam.test.ts.
 */
import type { IDataObject } from 'n8n-workflow';
import { PNG } from 'pngjs';
import { runCodeNode } from '../helpers/codeNode';

const LIMITS = {
	...{ from: '2026-11-16', to: '2026-11-22', systolic: 135, diastolic: 85, min_readings: 12, min_days: 3, charts: 20 },
	...{ high_systolic: 180, high_diastolic: 110, low_systolic: 90, low_diastolic: 50 },
};

/** Row of Summary per User: enough readings, all at 120/80. */
const summary = (name: string, other: IDataObject = {}): IDataObject => ({
	...{ client_user_id: name, user_id: name, unit: 'mmHg', readings: 12, days: 3, last: '2026-11-22T07:00:00Z' },
	...{ systolic_mean: 120, systolic_min: 120, systolic_max: 120 },
	...{ diastolic_mean: 80, diastolic_min: 80, diastolic_max: 80 },
	...other,
});
const failed = (name: string) => ({ client_user_id: name, user_id: name, error: 'Refused' });
const reading = (name: string, time: string, systolic: unknown, diastolic: unknown, other: IDataObject = {}) =>
	({
		...{ user_id: name, timestamp: `2026-11-${time}:00Z`, unit: 'mmHg', provider: 'omron' },
		...{ systolic, diastolic, ...other },
	}) as IDataObject;

interface Letter {
	json: { subject: string; text: string; html: string; pictures: string };
	binary: Record<string, { data: string }>;
}
function letter(rows: IDataObject[], readings?: IDataObject[]): Letter {
	const output = { 'Week and Limits': [LIMITS], 'Blood Pressure Summary': rows };
	const given = readings ? { ...output, 'Readings of These Users': readings } : output;
	return runCodeNode('weekly-letter.json', 'Letter', given, 'Etc/UTC')[0];
}

/** Title → lines of each group of the text. */
function groupsOf({ json }: Letter): Record<string, string[]> {
	const [, ...groups] = json.text.split('\n\n');
	return Object.fromEntries(
		groups.map((group) => {
			const [title, ...lines] = group.split('\n');
			return [title.split('. ')[0], lines];
		}),
	);
}
const URGENT = 'Readings that should not wait';
const ABOVE = 'At or above 135/85';

describe('readings that should not wait', () => {
	const extremes = { systolic_max: 300, diastolic_max: 200, systolic_min: 30, diastolic_min: 30 };
	const urgent = (...readings: IDataObject[]) => groupsOf(letter([summary('a', extremes)], readings))[URGENT];

	it.each([
		[180, 80, true],
		[179, 80, false],
		[120, 110, true],
		[120, 109, false],
		[90, 60, true],
		[91, 60, false],
		[100, 50, true],
		[100, 51, false],
		['180', '80', true],
		[null, 80, false],
		['', '', false],
		[181, null, true],
		[-1e300, 80, false],
		[1e307, 80, false],
		[0, 0, false],
	])('%s/%s: %s', (systolic, diastolic, isUrgent) => {
		expect(Boolean(urgent(reading('a', '17T07:00', systolic, diastolic)))).toBe(isUrgent);
	});

	const FIRST = reading('a', '17T07:00', 200, 90);
	const copy = reading('a', '17T07:00', '200', 90, { unit: 'mm[Hg]', provider: 'apple_health_kit' });
	it.each<[string, IDataObject[], string]>([
		['no later one', [], 'No later reading'],
		['a later one without a value', [reading('a', '18T07:00', 120, null)], 'No later reading'],
		['a copy of another source', [copy], 'No later reading'],
		[
			'a later one',
			[reading('a', '18T07:00', 150, 90)],
			'Later: 1 reading, all below 180/110, the last 150/90 on Wed 18 Nov, 07:00',
		],
		[
			'two later ones, of which each has one high value',
			[reading('a', '18T07:00', 150, 109), reading('a', '19T07:00', 120, 80)],
			'Later: 2 readings, all below 180/110, the last 120/80 on Thu 19 Nov, 07:00',
		],
	])('one reading as a pair, and %s', (_, later, said) => {
		expect(urgent(FIRST, ...later)).toEqual([`- a: 200/90 mmHg on Tue 17 Nov, 07:00. ${said}`]);
	});

	it('names the furthest of several, and the last', () => {
		expect(urgent(reading('a', '19T07:00', 180, 90), FIRST, reading('a', '18T07:00', 181, 90))).toEqual([
			'- a: 200/90 mmHg on Tue 17 Nov, 07:00, and 2 more at or above 180/110, the last 180/90 on Thu 19 Nov, 07:00. No later reading',
		]);
	});

	it('has one line for high and one for low readings', () => {
		expect(urgent(FIRST, reading('a', '18T07:00', 85, 40), reading('a', '19T07:00', 88, 55))).toEqual([
			'- a: 85/40 mmHg on Wed 18 Nov, 07:00, and 1 more at or below 90/50, the last 88/55 on Thu 19 Nov, 07:00. No later reading',
			'- a: 200/90 mmHg on Tue 17 Nov, 07:00. Later: 2 readings, all below 180/110, the last 88/55 on Thu 19 Nov, 07:00',
		]);
	});

	it('starts with the users without a later reading, then with the furthest', () => {
		const rows = ['calmed', 'high', 'higher'].map((name) => summary(name, extremes));
		const readings = [
			...[reading('calmed', '17T07:00', 250, 90), reading('calmed', '18T07:00', 120, 80)],
			...[reading('high', '17T07:00', 181, 90), reading('higher', '17T07:00', 150, 130)],
		];
		const lines = groupsOf(letter(rows, readings))[URGENT];
		expect(lines.map((line) => line.split(':')[0])).toEqual(['- higher', '- high', '- calmed']);
	});

	it('has a reading without a time', () => {
		const timeless = urgent({ ...FIRST, timestamp: null });
		expect(timeless).toEqual(['- a: 200/90 mmHg at an unknown time. No later reading']);
	});

	it('takes no reading in another unit for a low one', () => {
		expect(urgent(reading('a', '17T07:00', 24, 15, { unit: 'kPa' }), FIRST)).toHaveLength(1);
	});

	it('has a user whose readings cannot be read again, if the summary has such a reading', () => {
		const rows = [summary('a', { systolic_max: 200 }), summary('b', { systolic_mean: 140, systolic_max: 150 })];
		expect(groupsOf(letter(rows, [failed('a'), failed('b')]))).toEqual({
			[URGENT]: ['- a: readings at or above 180/110, not read again (Refused)'],
			[ABOVE]: ['- b: mean 140.0/80.0 mmHg of 12 readings on 3 days, not read again (Refused)'],
		});
	});
});

describe('means', () => {
	it.each([
		[{ systolic_mean: 135 }, ABOVE],
		[{ systolic_mean: 134.9 }, undefined],
		[{ diastolic_mean: 85 }, ABOVE],
		[{ diastolic_mean: 84.9 }, undefined],
		[{ systolic_mean: 140, diastolic_mean: null, diastolic_min: null, diastolic_max: null }, ABOVE],
		[{ systolic_mean: null, systolic_min: null, systolic_max: null, diastolic_mean: 90 }, ABOVE],
		[{ systolic_mean: 150, readings: 11 }, 'Too few readings'],
		[{ systolic_mean: 150, days: 2 }, 'Too few readings'],
		[{ readings: 11 }, 'Too few readings'],
		[{ readings: 0, days: 0, systolic_mean: null, diastolic_mean: null, unit: null }, 'No reading'],
		[{ unit: 'kPa', systolic_mean: 18, systolic_min: 18, systolic_max: 18 }, 'Without comparable values'],
		[{ unit: null, systolic_mean: null, diastolic_mean: null }, 'Without comparable values'],
		[{ systolic_mean: 1e306, systolic_max: 1e307 }, 'Without comparable values'],
		[{ systolic_mean: -1e299, systolic_min: -1e300 }, 'Without comparable values'],
		[{ unit: 'MMHG', systolic_mean: 150 }, ABOVE],
	])('%j: %s', (row, title) => {
		expect(Object.keys(groupsOf(letter([summary('a', row)], [reading('a', '17T07:00', 150, 80)])))).toEqual(
			title ? [title] : [],
		);
	});

	it('has the highest reading as one pair, in the text, the HTML and the picture', () => {
		const rows = [summary('a', { systolic_mean: 150, systolic_max: 170, diastolic_max: 105 })];
		const { json } = letter(rows, [reading('a', '17T07:00', 170, 90), reading('a', '18T07:00', 150, 105)]);
		const said = 'a: mean 150.0/80.0 mmHg of 12 readings on 3 days, highest reading 170/90';
		expect(json.text).toContain(`- ${said}`);
		expect(json.html).toContain(`alt="${said}"`);
		expect(json.text + json.html).not.toContain('170/105');
	});

	it('takes the highest systolic value for the highest reading, or the diastolic one without it', () => {
		const rows = [summary('a', { systolic_mean: 138 }), summary('b', { diastolic_mean: 90 })];
		const readings = [reading('a', '17T07:00', 126, 98), reading('a', '18T07:00', 151, 86)];
		expect(
			groupsOf(letter(rows, [...readings, reading('b', '17T07:00', null, 91)]))[ABOVE].map(
				(line) => line.split(', ')[1],
			),
		).toEqual(['highest reading –/91', 'highest reading 151/86']);
	});

	it('starts with the user furthest above the limits', () => {
		const means = { a: { systolic_mean: 140 }, b: { diastolic_mean: 100 }, c: { systolic_mean: 150 } };
		const rows = Object.entries(means).map(([name, mean]) => summary(name, mean));
		expect(groupsOf(letter(rows, []))[ABOVE].map((line) => line.slice(2, 3))).toEqual(['b', 'c', 'a']);
	});
});

it('puts a user of several units first if their readings cannot be read again', () => {
	const several = { unit: null, systolic_mean: null, systolic_max: null, diastolic_mean: null, diastolic_max: null };
	expect(groupsOf(letter([summary('a', several)], [failed('a')]))[URGENT]).toEqual([
		'- a: perhaps readings at or above 180/110, not read again (Refused)',
		'- a: perhaps readings at or below 90/50, not read again (Refused)',
	]);
});

it('says in its first lines how many users are in each group', () => {
	const rows = [summary('a', { systolic_max: 200 }), summary('b', { readings: 3, days: 1 }), failed('c'), summary('d')];
	const { json } = letter(rows, [reading('a', '17T07:00', 200, 90), reading('a', '18T07:00', 88, 60)]);
	expect(json.text.split('\n').slice(0, 2)).toEqual([
		'Blood pressure, 16 to 22 November',
		'4 users: 1 with a reading that should not wait, 0 at or above 135/85, 1 with too few readings, 1 could not be read.',
	]);
	expect(json.html).toContain(json.text.split('\n')[1]);
});

it('keeps a name in one line of the text, and as text in the HTML', () => {
	const { json } = letter([summary('a\n- b\r\u2028<b>\u202e&', { readings: 1, days: 1 }), failed('c\nd')]);
	expect(groupsOf({ json, binary: {} })).toEqual({
		'Too few readings': ['- a - b <b> &: 1 reading on 1 day'],
		'Could not be read': ['- c d: Refused'],
	});
	expect(json.html).not.toContain('<b>\u202e');
});

describe('charts', () => {
	const high = (name: string) => summary(name, { systolic_mean: 150 });
	const sizeOf = ({ data }: { data: string }) => {
		const { width, height } = PNG.sync.read(Buffer.from(data, 'base64'));
		return [width, height];
	};

	it.each([
		['-1e300', reading('a', '18T07:00', -1e300, 1e307)],
		['1e307', reading('a', '18T07:00', 1e307, 0)],
		['the year 9999', reading('a', '18T07:00', 150, 80, { timestamp: '9999-12-31T23:59:59Z' })],
		['the year 1', reading('a', '18T07:00', 150, 80, { timestamp: '0001-01-01T00:00:00Z' })],
		['no time', reading('a', '18T07:00', 150, 80, { timestamp: 'soon' })],
		['the moment after the week', reading('a', '23T00:00', 150, 80)],
	])('leave out %s', (_, odd) => {
		const plain = letter([high('a')], [reading('a', '17T07:00', 150, 90)]);
		const { binary } = letter([high('a')], [reading('a', '17T07:00', 150, 90), odd]);
		expect(sizeOf(binary.chart1)).toEqual([720, 340]);
		expect(binary.chart1.data === plain.binary.chart1.data).toBe(true);
	});

	it('are made for the first 20 users above the limits', () => {
		const names = Array.from({ length: 60 }, (_, i) => `user-${i}`);
		const readings = names.map((name) => reading(name, '17T07:00', 150, 90));
		const { json, binary } = letter(names.map(high), readings);
		expect(Object.keys(binary)).toHaveLength(20);
		expect(json.pictures.split(',')).toEqual(Object.keys(binary));
		expect(groupsOf({ json, binary })[ABOVE]).toHaveLength(60);
	});
});

it('fails if the service is not to be read', () => {
	const error = { error: 'The key is refused', details: 'Check it' };
	expect(() => letter([error])).toThrow('The key is refused. Check it');
	expect(() => letter([summary('a', { systolic_max: 200 })], [error])).toThrow('The key is refused. Check it');
});
