/**
 * Oracle of measurements: random tables of readings, and an independent count of them, word by word after docs/operations.md,
 * "What counts". It uses none of the node's code.
 */
import type { IDataObject } from 'n8n-workflow';
import { fc } from './properties';

export interface Reading {
	/** Microseconds since 1970; null without a time. */
	micros: number | null;
	provider: string;
	type: string | null;
	values: unknown[];
	unit: unknown;
}

const SECOND = 1_000_000;
const anyMicros = fc
	.record({
		hour: fc.integer({ min: -30, max: 30 }),
		second: fc.constantFrom(0, 0, 1, 30, 59, 60, 61, 75, 119),
		micro: fc.constantFrom(0, 1, 500_000, 999_999),
	})
	.map(({ hour, second, micro }) => (Date.UTC(2026, 2, 28, 22) / 1000 + hour * 7200 + second) * SECOND + micro);

const PAIRS: unknown[][] = [
	[120, 80],
	[110, 90],
	[140, 112],
	['120', ' 80.0 '],
	[150, 95],
	[182, 111],
	[120, null],
	[null, null],
	['x', 80],
	[85, 140],
	[0, 0],
	[2047, 2047],
	[1e308, 80],
	[16, 10.7],
	[88, 55],
];
const LENGTHS: unknown[][] = [[10], ['10'], [600], [1], [0], [-5], [1441], [null], ['x'], [0.1], [0.2]];

const anySource = {
	provider: fc.constantFrom('omron', 'withings', 'apple_health_kit'),
	type: fc.constantFrom('cuff', 'phone', null),
};
/** Or no copy. */
const anyCopy = fc.option(fc.record({ ...anySource, later: fc.constantFrom(0, 7, 60, 61) }));

const readingAndCopy = (isSessions: boolean) =>
	fc.record({
		...anySource,
		micros: fc.oneof({ weight: 9, arbitrary: anyMicros }, { weight: 1, arbitrary: fc.constant(null) }),
		values: fc.constantFrom(...(isSessions ? LENGTHS : PAIRS)),
		unit: isSessions
			? fc.constantFrom<unknown>('min', 'Minutes', 's', 'hours', null, 'foo')
			: fc.constantFrom<unknown>('mmHg', 'mm[Hg]', 'mm Hg', 'MMHG', '', null, 'kPa', 'foo'),
		copy: anyCopy,
	});

/** Some of them come again, of any source. */
export const anyReadings = (isSessions: boolean): fc.Arbitrary<Reading[]> =>
	fc.array(readingAndCopy(isSessions), { maxLength: 12 }).map((all) =>
		all.flatMap(({ copy, ...one }) => {
			if (!copy || one.micros === null) return [one];
			const { later, ...source } = copy;
			return [one, { ...one, ...source, micros: one.micros + later * SECOND }];
		}),
	);

export function pointOf({ micros, values, unit }: Reading, isSessions: boolean): IDataObject {
	const time = micros === null ? null : textOf(micros);
	if (isSessions) return { start: time, end: 'whenever', value: values[0], unit } as IDataObject;
	return { timestamp: time, systolic: values[0], diastolic: values[1], unit } as IDataObject;
}

function textOf(micros: number): string {
	const [seconds, rest] = [Math.floor(micros / SECOND), ((micros % SECOND) + SECOND) % SECOND];
	return new Date(seconds * 1000).toISOString().replace('.000Z', `.${String(rest).padStart(6, '0')}+00:00`);
}

export interface Counted {
	micros: number | null;
	/** Undefined where it does not count. */
	values?: number[];
	names: Array<[string, string | null]>;
}

const numberOf = (value: unknown) =>
	typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN;

/** Values in mmHg or minutes, or undefined where they do not count. */
function valuesIn({ values, unit }: Reading, isSessions: boolean): number[] | undefined {
	const word = unit ? String(unit).toLowerCase() : '';
	const numbers = values.map(numberOf);
	if (isSessions) {
		const factors: Record<string, number> = { '': 1, min: 1, minutes: 1, s: 1 / 60, hours: 60 };
		const [minutes] = numbers.map((one) => (word === 's' ? one / 60 : one * factors[word]));
		return minutes > 0 && minutes <= 1440 ? [minutes] : undefined;
	}
	if (!['', 'mmhg', 'mm hg', 'mm[hg]', 'kpa'].includes(word)) return undefined;
	const [systolic, diastolic] = numbers.map((one) => (word === 'kpa' ? Math.round(one * 75.0062) / 10 : one));
	const isPossible = systolic >= 20 && systolic <= 350 && diastolic >= 10 && diastolic <= 250 && systolic > diastolic;
	return isPossible ? [systolic, diastolic] : undefined;
}

/** What is compared: each value converted, also where no person can have it, or else as it came with its unit. */
function comparedOf({ values, unit }: Reading, isSessions: boolean): string {
	const word = String(unit ?? '')
		.toLowerCase()
		.replace(' ', '');
	const known = isSessions ? ['', 'min', 'minutes', 's', 'hours'] : ['', 'mmhg', 'mm[hg]', 'kpa'];
	const convert = (number: number) => {
		if (word === 'kpa') return Math.round(number * 75.0062) / 10;
		return word === 's' ? number / 60 : number * (word === 'hours' ? 60 : 1);
	};
	const compared = values.map((one) => {
		if (one === null) return null;
		const number = numberOf(one);
		const shown = Number.isNaN(number) ? String(one) : number;
		return known.includes(word) && typeof shown === 'number' ? convert(shown) : `${shown} ${word}`;
	});
	return JSON.stringify(compared);
}

/** Each measurement once, in order of time, with all its sources. */
export function countOf(readings: Reading[], isSessions: boolean): Counted[] {
	const inOrder = [...readings].sort((a, b) => (a.micros ?? Infinity) - (b.micros ?? Infinity) || 0);
	const found: Array<Counted & { compared: string; parts: Reading[] }> = [];
	const isSource = (a: Reading, b: Reading) => a.provider === b.provider && a.type === b.type;
	const secondOf = ({ micros }: Reading) => (micros === null ? null : Math.floor(micros / SECOND));
	for (const one of inOrder) {
		const compared = comparedOf(one, isSessions);
		const equal = found.filter(
			(other) => other.compared === compared && (other.micros === null) === (one.micros === null),
		);
		const same = equal.find(({ parts }) =>
			parts.some((part) => isSource(part, one) && secondOf(part) === secondOf(one)),
		);
		const original = equal.find(
			({ micros, parts }) =>
				micros !== null &&
				Math.floor(one.micros! / 1000) - Math.floor(micros / 1000) <= 60_000 &&
				!parts.some((part) => isSource(part, one)),
		);
		const names: [string, string | null] = [one.provider, one.type];
		if (same) continue;
		if (original) {
			original.parts.push(one);
			original.names.push(names);
		} else
			found.push({ micros: one.micros, values: valuesIn(one, isSessions), names: [names], compared, parts: [one] });
	}
	return found;
}

const named = (names: Array<string | null>) => [...new Set(names)].filter(Boolean).sort().join(', ');

export const localOf = (micros: number | null, zone: string) =>
	micros === null
		? null
		: new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(
				Math.floor(micros / 1000),
			);

/** The columns of a row that describe these measurements. */
export function rowOf(all: Counted[], isSessions: boolean, zone: string): IDataObject {
	const counted = all.flatMap(({ values, micros }) => (values ? [{ values, micros }] : []));
	const pick = (better: (a: (typeof counted)[0], b: (typeof counted)[0]) => number, from = counted) => {
		const [first] = [...from].sort(better);
		return first ? [first.values.join('/'), localOf(first.micros, zone)] : [null, null];
	};
	const ms = ({ micros }: (typeof counted)[0]) => (micros === null ? -1 : Math.floor(micros / 1000));
	const byValues = (a: (typeof counted)[0], b: (typeof counted)[0]) =>
		a.values[0] - b.values[0] || (a.values[1] ?? 0) - (b.values[1] ?? 0);
	const timed = counted.filter(({ micros }) => micros !== null);
	const [latest, latest_time] = pick((a, b) => ms(b) - ms(a) || byValues(b, a), timed);
	const [highest, highest_time] = pick((a, b) => byValues(b, a) || ms(b) - ms(a));
	const [lowest, lowest_time] = pick((a, b) => byValues(a, b) || ms(b) - ms(a));
	const row: IDataObject = {
		...{ latest, latest_time, highest, highest_time, lowest, lowest_time },
		unit: counted.length === 0 ? null : isSessions ? 'min' : 'mmHg',
		readings: counted.length,
		left_out: all.length - counted.length,
		providers: named(all.flatMap(({ names }) => names.map(([provider]) => provider))),
		source_types: named(all.flatMap(({ names }) => names.map(([, type]) => type))),
	};
	const numbers = (at: number) => counted.map(({ values }) => values[at]);
	const sum = (at: number) => numbers(at).reduce((a, b) => a + b, 0);
	if (isSessions) return { ...row, value_sum: counted.length ? expect.closeTo(sum(0), 6) : null };
	['systolic', 'diastolic'].forEach((column, at) => {
		const has = counted.length > 0;
		// Of tenths, so that half of one is exact.
		const tenths = Math.round(Math.round(sum(at) * 10) / counted.length);
		row[`${column}_mean`] = has ? expect.closeTo(tenths / 10, 6) : null;
		row[`${column}_min`] = has ? Math.min(...numbers(at)) : null;
		row[`${column}_max`] = has ? Math.max(...numbers(at)) : null;
	});
	return row;
}
