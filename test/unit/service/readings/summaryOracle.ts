/**
 * Oracle of measurements: random tables of readings, and an independent count of them, word by word after docs/operations.md,
 * "What counts". It uses none of the node's code.
 */
import type { IDataObject } from 'n8n-workflow';
import { fc } from '../../../helpers/properties';

export interface Reading {
	/** Microseconds since 1970; null without a time. */
	micros: number | null;
	provider: string;
	type: string | null;
	values: unknown[];
	unit: unknown;
	/** Length of a session in seconds; null where its end is no time. */
	length: number | null;
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
	[120.04, 79.96],
	[120.00000000000001, 80],
	[349.96, 80],
	[350.04, 80],
	[88, 55],
];
const LENGTHS: unknown[][] = [[10], ['10'], [600], [1], [0], [-5], [1441], [null], ['x'], [0.1], [0.2], [2]];

const anySource = {
	provider: fc.constantFrom('omron', 'withings', 'apple_health_kit'),
	type: fc.constantFrom('cuff', 'phone', null),
};
/** Or no copy. */
const anyCopy = fc.option(fc.record({ ...anySource, later: fc.constantFrom(0, 7, 60, 61) }));
/** Seconds of an offset, or nearly: 15 minutes, hours, 5:30, 14:00 and 14:15. */
const OFFSETS = [900, 899, 3600, 7200, 19_800, 50_400, 51_300];
/** Or no other offset: to which readings it was applied twice, from the first one on. */
const anyShift = fc.option(
	fc.record({ later: fc.constantFrom(...OFFSETS), isApplied: fc.infiniteStream(fc.integer({ min: 0, max: 3 })) }),
);

const SESSION_UNITS = ['min', 'Minutes', 's', 'Second', 'secs', 'hours', 'HRS', 'hr', null, 'foo'];
const UNITS = ['mmHg', 'mm[Hg]', 'mm Hg', 'MMHG', 'mm/Hg', 'Torr', '', null, 'kPa', 'kilopascals', 'foo'];
const readingAndCopy = (isSessions: boolean) =>
	fc.record({
		...anySource,
		micros: fc.oneof({ weight: 9, arbitrary: anyMicros }, { weight: 1, arbitrary: fc.constant(null) }),
		values: fc.constantFrom(...(isSessions ? LENGTHS : PAIRS)),
		unit: fc.constantFrom<unknown>(...(isSessions ? SESSION_UNITS : UNITS)),
		length: fc.constantFrom(null, 0, 5, 60, 600),
		copy: anyCopy,
	});

/** Some of them come again, of any source. */
export const anyReadings = (isSessions: boolean): fc.Arbitrary<Reading[]> =>
	fc.tuple(fc.array(readingAndCopy(isSessions), { maxLength: 12 }), anyShift).map(([all, shift]) => {
		const copied = all.flatMap(({ copy, ...one }) => {
			if (!copy || one.micros === null) return [one];
			const { later, ...source } = copy;
			return [one, { ...one, ...source, micros: one.micros + later * SECOND }];
		});
		if (!shift) return copied;
		const { later, isApplied } = shift;
		return copied.flatMap((one) =>
			one.micros === null || isApplied.next().value === 0
				? [one]
				: [one, { ...one, micros: one.micros + later * SECOND }],
		);
	});

export function pointOf({ micros, values, unit, length }: Reading, isSessions: boolean): IDataObject {
	const time = micros === null ? null : textOf(micros);
	const end = micros === null || length === null ? 'whenever' : textOf(micros + length * SECOND);
	if (isSessions) return { start: time, end, value: values[0], unit } as IDataObject;
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
	/** Not rounded: in 0.00001 mmHg, or in tenths of a second. */
	exact: number[];
	names: Array<[string, string | null]>;
}

const numberOf = (value: unknown) =>
	typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN;
const wordOf = (unit: unknown) => (unit ? String(unit).toLowerCase().replace(' ', '') : '');

/** Parts of a unit: whole numbers, so that the oracle adds and rounds without error. */
const PARTS: Record<string, number> = {
	...{ '': 100_000, mmhg: 100_000, 'mm[hg]': 100_000, 'mm/hg': 100_000, torr: 100_000 },
	...{ kpa: 750_062, kilopascals: 750_062 },
};
const SESSION_PARTS: Record<string, number> = {
	...{ '': 600, min: 600, minutes: 600, s: 10, second: 10, secs: 10, hours: 36_000, hrs: 36_000, hr: 36_000 },
};
const A_UNIT = { true: 600, false: 100_000 };

/** Half goes up. */
const roundedTo = (parts: number, size: number) => Math.floor(parts / size + 0.5);

/** What is shown and compared: mmHg or minutes, to a tenth, of kPa to whole mmHg; or else the value as it came, with its unit. */
function shownOf({ values, unit }: Reading, isSessions: boolean): Array<number | string | null> {
	const word = wordOf(unit);
	const size = A_UNIT[`${isSessions}`];
	const parts = (isSessions ? SESSION_PARTS : PARTS)[word];
	return values.map((one) => {
		if (one === null) return null;
		const number = numberOf(one);
		if (Number.isNaN(number) || !parts) return `${Number.isNaN(number) ? String(one) : number} ${parts ?? word}`;
		if (number > 1e300) return number;
		const exact = Math.round(number * parts);
		return word.startsWith('k') ? roundedTo(exact, size) : roundedTo(exact, size / 10) / 10;
	});
}

const exactOf = ({ values, unit }: Reading, isSessions: boolean) =>
	values.map((one) => Math.round(numberOf(one) * (isSessions ? SESSION_PARTS : PARTS)[wordOf(unit)]));

/** Whether a person can have the values, before they are rounded. */
function isPossible(exact: number[], isSessions: boolean): boolean {
	const [first, second] = exact.map((one) => one / A_UNIT[`${isSessions}`]);
	if (isSessions) return first > 0 && first <= 1440;
	return first >= 20 && first <= 350 && second >= 10 && second <= 250 && first > second;
}

type Found = Counted & { compared: string; parts: Reading[]; end: number };

/** Each measurement once, in order of time, with all its sources. */
export function countOf(readings: Reading[], isSessions: boolean): Counted[] {
	const msOf = ({ micros }: Reading) => (micros === null ? Infinity : Math.floor(micros / 1000));
	const least = (one: Reading) => exactOf(one, isSessions);
	const byExact = (a: Reading, b: Reading) => least(a)[0] - least(b)[0] || least(a)[1] - least(b)[1] || 0;
	const inOrder = [...readings].sort((a, b) => msOf(a) - msOf(b) || byExact(a, b));
	const found: Found[] = [];
	const isSource = (a: Reading, b: Reading) => a.provider === b.provider && a.type === b.type;
	const secondOf = ({ micros }: { micros: number | null }) => (micros === null ? null : Math.floor(micros / SECOND));
	for (const one of inOrder) {
		const shown = shownOf(one, isSessions);
		const compared = JSON.stringify(shown);
		const equal = found.filter(
			(other) => other.compared === compared && (other.micros === null) === (one.micros === null),
		);
		const same = equal.find(({ parts }) =>
			parts.some((part) => isSource(part, one) && secondOf(part) === secondOf(one)),
		);
		const original = equal.find(
			({ micros, parts, end }) =>
				micros !== null &&
				one.micros! < end &&
				msOf(one) - Math.floor(micros / 1000) <= 60_000 &&
				!parts.some((part) => isSource(part, one)),
		);
		const names: [string, string | null] = [one.provider, one.type];
		if (same) continue;
		if (original) {
			original.parts.push(one);
			original.names.push(names);
			continue;
		}
		const { micros, length } = one;
		const exact = exactOf(one, isSessions);
		const values = isPossible(exact, isSessions) ? (shown as number[]) : undefined;
		const end = isSessions && length && micros !== null ? micros + length * SECOND : Infinity;
		found.push({ micros, values, exact, names: [names], compared, parts: [one], end });
	}
	return isSessions ? found : withoutOffsets(found);
}

/** Without the copies at an offset that half of the measurements have a copy at: one of those with equal values and second. */
function withoutOffsets(found: Found[]): Counted[] {
	const secondOf = ({ micros }: Found) => Math.floor((micros ?? 0) / SECOND);
	const isCopyAt = (offset: number, one: Found, other: Found) =>
		other.compared === one.compared && secondOf(one) % 60 !== 0 && secondOf(one) - secondOf(other) === offset;
	const all = Array.from({ length: 56 }, (_, index) => (index + 1) * 900);
	const applied = all.filter((offset) => {
		const originals = found.filter((other) => found.some((one) => isCopyAt(offset, one, other)));
		const copied = new Set(originals.map((other) => `${other.compared} ${secondOf(other) % 900}`)).size;
		return copied >= 2 && copied / (found.length - copied) >= 0.5;
	});
	const originalOf = (one: Found): Found => {
		const earlier = found.find((other) => applied.some((offset) => isCopyAt(offset, one, other)));
		return earlier ? originalOf(earlier) : one;
	};
	return found.filter((one) => {
		const original = originalOf(one);
		if (original !== one) original.names.push(...one.names);
		return original === one;
	});
}

const named = (names: Array<string | null>) => [...new Set(names)].filter(Boolean).sort().join(', ');

/** By time zone: to make one takes longer than to use it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
	const format =
		formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
	formats.set(timeZone, format);
	return format;
}

export const localOf = (micros: number | null, zone: string) =>
	micros === null ? null : formatIn(zone).format(Math.floor(micros / 1000));

/** The columns of a row that describe these measurements. */
export function rowOf(all: Counted[], isSessions: boolean, zone: string): IDataObject {
	const counted = all.flatMap(({ values, ...one }) => (values ? [{ values, ...one }] : []));
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
	const shown = (at: number) => counted.map(({ values }) => values[at]);
	const sum = (at: number) => counted.reduce((total, { exact }) => total + exact[at], 0);
	const has = counted.length > 0;
	if (isSessions) return { ...row, value_sum: has ? roundedTo(sum(0), 60) / 10 : null };
	['systolic', 'diastolic'].forEach((column, at) => {
		row[`${column}_mean`] = has ? roundedTo(sum(at), counted.length * 10_000) / 10 : null;
		row[`${column}_min`] = has ? Math.min(...shown(at)) : null;
		row[`${column}_max`] = has ? Math.max(...shown(at)) : null;
	});
	return row;
}
