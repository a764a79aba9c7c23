/**
 * Oracle of summaries: readings of a user made of measurements, and the summary worked out from the measurements: by Intl, in whole
 * numbers, without the node's code.
 */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { fc } from './properties';

/** One source's record of a measurement. */
interface Copy {
	provider: string;
	type: string | null;
	micros: number;
	notation: number;
	isText: boolean;
}

interface Measurement {
	/** Seconds since 1970; without one, what stands in place of the time. */
	when: number | null | '' | 'soon';
	/** Whole numbers: mmHg, or tenths of minutes. */
	values: Array<number | null | 'n/a'>;
	unit: string | null;
	copies: Copy[];
}

export interface Days {
	zone: string;
	from: string;
	to: string;
}

/** A point of the service, with its source and when the service has it (ms). */
export interface Point {
	point: IDataObject;
	source: { provider: string; type: string | null };
	time: number;
}

/** Ranges around a change of clocks: at night, at midnight, by half an hour, and none. */
export const anyDays = fc.constantFrom<Days>(
	{ zone: 'Europe/Berlin', from: '2026-03-28', to: '2026-03-30' },
	{ zone: 'Europe/Berlin', from: '2026-10-25', to: '2026-10-25' },
	{ zone: 'America/New_York', from: '2026-03-07', to: '2026-03-09' },
	{ zone: 'America/St_Johns', from: '2006-10-28', to: '2006-10-28' },
	{ zone: 'America/St_Johns', from: '2006-10-29', to: '2006-10-30' },
	{ zone: 'Australia/Lord_Howe', from: '2026-04-04', to: '2026-04-06' },
	{ zone: 'Asia/Kolkata', from: '2026-03-01', to: '2026-03-02' },
);

const DAY_SECONDS = 86_400;
const secondsOf = (day: string) => Date.parse(day) / 1000;

const anyCopy = fc.record<Copy>({
	provider: fc.constantFrom('omron', 'withings', 'apple_health_kit'),
	type: fc.constantFrom('cuff', 'phone', null),
	micros: fc.constantFrom(0, 1, 500_000, 999_999),
	notation: fc.nat(4),
	isText: fc.boolean(),
});

/** Few different times and values, so that many are the same; one or two units per user. */
export function anyMeasurements({ from, to }: Days, valueCount: number): fc.Arbitrary<Measurement[]> {
	const [start, end] = [secondsOf(from) - 2 * DAY_SECONDS, secondsOf(to) + 2 * DAY_SECONDS];
	const when = fc.oneof(
		{ weight: 6, arbitrary: fc.integer({ min: 0, max: (end - start) / 1800 }).map((half) => start + half * 1800) },
		{ weight: 3, arbitrary: fc.integer({ min: start, max: end }) },
		{ weight: 1, arbitrary: fc.constantFrom<Measurement['when']>(null, '', 'soon') },
	);
	const value = fc.oneof(
		{ weight: 8, arbitrary: fc.integer({ min: 118, max: 121 }) },
		{ weight: 1, arbitrary: fc.constantFrom<Measurement['values'][0]>(0, null, 'n/a') },
	);
	const values = fc.array(value, { minLength: valueCount, maxLength: valueCount });
	const copies = fc.array(anyCopy, { minLength: 1, maxLength: 3 });
	return fc
		.constantFrom<Array<string | null>>(['mmHg'], ['mmHg'], ['', null], ['mmHg', 'kPa'], ['mmHg', null])
		.chain((units) =>
			fc.array(fc.record({ when, values, unit: fc.constantFrom(...units), copies }), { maxLength: 30 }),
		);
}

const microsOf = (second: number, { micros }: Copy) => second * 1_000_000 + micros;

/** One instant in five notations. */
function write(micros: number, notation: number): string {
	const digits = String(((micros % 1_000_000) + 1_000_000) % 1_000_000).padStart(6, '0');
	const at = (zone: string) =>
		DateTime.fromMillis(Math.floor(micros / 1000), { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ss");
	const utc = at('UTC');
	return [
		`${utc}.${digits}+00:00`,
		`${utc}.${digits}Z`,
		`${utc}.${digits}`,
		`${at('UTC+3').replace('T', ' ')}.${digits}+03`,
		digits === '000000' ? `${utc}Z` : `${utc}.${digits.replace(/0+$/, '')}Z`,
	][notation];
}

/** What the service sends for a copy: text or number, whatever notation. @param isSessions else blood pressure */
function toPoint({ when, values, unit }: Measurement, copy: Copy, isSessions: boolean): IDataObject {
	const scaled = values.map((value) => (typeof value === 'number' && isSessions ? value / 10 : value));
	const written = scaled.map((value) => (copy.isText && typeof value === 'number' ? `${value}` : value));
	const time = typeof when === 'number' ? write(microsOf(when, copy), copy.notation) : when;
	if (!isSessions) return { timestamp: time, systolic: written[0], diastolic: written[1], unit };
	const length = typeof values[0] === 'number' ? values[0] * 6 : 0;
	const end = typeof when === 'number' ? write(microsOf(when + length, copy), (copy.notation + 1) % 5) : when;
	return { start: time, end, value: written[0], unit };
}

/** @param middle when the service has readings without a time (ms) */
export const toPoints = (measurements: Measurement[], isSessions: boolean, middle = 0): Point[] =>
	measurements.flatMap((measurement) =>
		measurement.copies.map((copy) => ({
			point: toPoint(measurement, copy, isSessions),
			source: { provider: copy.provider, type: copy.type },
			time: typeof measurement.when === 'number' ? Math.floor(microsOf(measurement.when, copy) / 1000) : middle,
		})),
	);

/** The columns of a summary but the user's and `row_id`; `first` and `last` as all texts that the earliest and latest have. */
export function summaryOf(measurements: Measurement[], { zone, from, to }: Days, isSessions: boolean) {
	const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
	const dayOf = (second: number) => format.format(second * 1000);
	const counted = measurements
		.map((one) => ({ ...one, unit: one.unit || null, when: one.when || null, day: undefined as string | undefined }))
		.map((one, index) => ({ ...one, text: measurements[index].when }))
		.map((one) => (typeof one.when === 'number' ? { ...one, day: dayOf(one.when) } : one))
		.filter(({ day }) => day === undefined || (day >= from && day <= to));
	const copies = counted.flatMap((one) => one.copies.map((copy) => ({ one, copy })));
	const isSame = (a: (typeof copies)[0], b: (typeof copies)[0]) =>
		JSON.stringify([a.one.when, a.one.values, a.one.unit]) === JSON.stringify([b.one.when, b.one.values, b.one.unit]) &&
		(a.one.day !== undefined || (a.copy.provider === b.copy.provider && a.copy.type === b.copy.type));
	const once = copies.filter((copy, index) => copies.findIndex((other) => isSame(other, copy)) === index);
	const units = [...new Set(copies.flatMap(({ one }) => one.unit ?? []))];

	const timed = copies.filter(({ one }) => one.day !== undefined);
	const micros = timed.map(({ one, copy }) => microsOf(one.when as number, copy));
	const textsAt = (best: number) =>
		timed
			.filter((_, index) => micros[index] === best)
			.map(({ one, copy }) => write(microsOf(one.when as number, copy), copy.notation));

	const numbersAt = (at: number) =>
		units.length <= 1 ? once.map(({ one }) => one.values[at]).filter((value) => typeof value === 'number') : [];
	const orNull = (numbers: number[], value: () => number) => (numbers.length > 0 ? value() : null);
	const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
	// Half goes up, in whole numbers.
	const mean = (numbers: number[]) => Math.floor((20 * sum(numbers) + numbers.length) / (2 * numbers.length)) / 10;
	const pressure = ['systolic', 'diastolic'].flatMap((column, at) => {
		const numbers = numbersAt(at);
		return [
			[`${column}_mean`, orNull(numbers, () => mean(numbers))],
			[`${column}_min`, orNull(numbers, () => Math.min(...numbers))],
			[`${column}_max`, orNull(numbers, () => Math.max(...numbers))],
		];
	});
	const listed = (names: Array<string | null>) => [...new Set(names)].filter(Boolean).sort().join(', ');
	return {
		row: {
			from,
			to,
			days: new Set(timed.map(({ one }) => one.day)).size,
			readings: once.length,
			...(isSessions
				? { value_sum: orNull(numbersAt(0), () => sum(numbersAt(0)) / 10) }
				: Object.fromEntries(pressure)),
			unit: units.length === 1 ? units[0] : null,
			providers: listed(copies.map(({ copy }) => copy.provider)),
			source_types: listed(copies.map(({ copy }) => copy.type)),
		} as IDataObject,
		first: micros.length > 0 ? textsAt(Math.min(...micros)) : [null],
		last: micros.length > 0 ? textsAt(Math.max(...micros)) : [null],
	};
}

/** Compares all columns but the user's and `row_id`. */
export function expectSummary(row: IDataObject, measurements: Measurement[], days: Days, isSessions: boolean) {
	const expected = summaryOf(measurements, days, isSessions);
	const { first, last } = row;
	const rest = Object.entries(row).filter(
		([name]) => !['client_user_id', 'user_id', 'row_id', 'first', 'last'].includes(name),
	);
	expect(Object.fromEntries(rest)).toEqual(expected.row);
	expect(expected.first).toContain(first);
	expect(expected.last).toContain(last);
}
