/**
 * Identity of a reading: its `row_id`, the same in node and trigger. It is a hash of user, metric, provider, source type and time, with a
 * tiebreaker for different same-time readings of one source (quirk 27).
 */
import { hash } from 'node:crypto';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { clockIn, isoText } from '../../shared/calendarDay';
import { groupBy, toNumber, withoutTrailing } from '../../shared/values';
import {
	conversionOf,
	measuredColumns,
	spellingOf,
	type Metric,
	type Unit,
} from './metrics';

/** The columns that identify a row, and those with its values. */
export interface Identity {
	/** Prefix of each `row_id`, and value of the event in saved workflows: never changes. */
	value: string;
	/** Column with the time of the reading or event. */
	time: string;
	key: readonly string[];
	values: readonly string[];
	/** Of readings. */
	unit?: Unit;
}

export function identityOf(metric: Metric): Identity {
	const [time, ...otherTimes] = metric.times;
	return {
		value: metric.value,
		time,
		key: ['user_id', 'provider', 'source_type'],
		values: [...otherTimes, ...measuredColumns(metric), 'unit'],
		unit: metric.unit,
	};
}

export interface IdentifiedRow {
	/** 32 characters of hashes: 6 of the user, 26 of the reading. */
	key: string;
	/** Equal text for equal values. */
	values: string;
	/** ms */
	time?: number;
	row: IDataObject;
}

/** Characters of the user's hash, at the start of each key. */
export const USER_LENGTH = 6;
const KEY_LENGTH = 32;

const sha = (text: string) => hash('sha256', text);

/** The first characters of all keys of a user. */
export const userPrefix = (userId: unknown) => sha(String(userId)).slice(0, USER_LENGTH);

/** @param prefix of the user (`userPrefix`) @param text unique among the rows of the user */
export const rowKey = (prefix: string, text: string) =>
	prefix + sha(text).slice(USER_LENGTH, KEY_LENGTH);

export function identify(identity: Identity, rows: IDataObject[]): IdentifiedRow[] {
	const { keys, times } = keysOf(identity, rows);
	return rows.map((row, index) => ({
		key: keys[index],
		values: valuesOf(identity, row),
		time: times[index].millis,
		row,
	}));
}

/**
 * Keys and times of the rows of one user. The keys are the same in each run and for any order of
 * pages; identical rows have the same key. `rows` must contain all readings at a time, or none. The
 * service's own ID of a reading is its `id`.
 */
export function keysOf(identity: Identity, rows: readonly IDataObject[]) {
	const prefix = userPrefix(rows[0]?.user_id);
	const sourceOf = sourcesIn(identity.key);
	const times = rows.map((row) => instantOf(row[identity.time]));
	const baseAt = (index: number) =>
		baseOf(identity, rows[index], sourceOf(rows[index]), times[index]);
	const keys = rows.map((_, index) => rowKey(prefix, baseAt(index)));
	// Cheap test first: usually all times differ, and no tiebreaker is needed.
	if (new Set(times.map(({ millis }) => millis)).size === rows.length)
		return { keys, times };
	for (const group of groupBy(rows.keys(), (index) => keys[index]).values()) {
		for (const [index, tiebreaker] of tiebreakersOf(identity, rows, group)) {
			if (tiebreaker > 0) keys[index] = rowKey(prefix, `${baseAt(index)} ${tiebreaker}`);
		}
	}
	return { keys, times };
}

/** The begin of the text of a row. Most rows have the same source as the row before. */
function sourcesIn(columns: readonly string[]): (row: IDataObject) => string {
	let last: IDataObject = {};
	let source = '';
	return (row) => {
		if (columns.some((column) => row[column] !== last[column])) {
			const parts = columns.map((column) => row[column] || null);
			source = JSON.stringify(parts).slice(0, -1);
		}
		last = row;
		return source;
	};
}

/** The text that same-time readings of one source have in common. */
function baseOf(
	identity: Identity,
	row: IDataObject,
	source: string,
	{ millis, key }: Instant,
) {
	if (millis !== undefined) return `${source},"${key}"]`;
	// Without a time, only the values distinguish them.
	const texts = JSON.stringify([key, valuesOf(identity, row)]);
	return `${source},${texts.slice(1)}`;
}

/**
 * Tiebreakers of same-time readings of one source. They count from 0, in the order of the service's own ids if all have one, else of
 * the values. Rows with equal values are one reading; its lowest id counts.
 */
function tiebreakersOf(
	identity: Identity,
	rows: readonly IDataObject[],
	group: number[],
) {
	if (group.length === 1) return [];
	const haveIds = group.every((index) =>
		['string', 'number'].includes(typeof rows[index].id),
	);
	const sortable = group.map((index) => {
		const values = valuesOf(identity, rows[index]);
		return {
			index,
			values,
			by: haveIds ? `${String(rows[index].id)} ${values}` : values,
		};
	});
	sortable.sort((a, b) => (a.by < b.by ? -1 : 1));
	const order = new Set(sortable.map(({ values }) => values));
	const ranks = new Map([...order].map((values, rank) => [values, rank]));
	return sortable.map(({ index, values }) => [index, ranks.get(values)!]);
}

const valuesOf = ({ values, unit }: Identity, row: IDataObject) =>
	JSON.stringify(
		values.map((column) => {
			// The metric's unit in any spelling, also where it is missing: neither is a correction.
			const isOwn = column === 'unit' && unit && isOwnUnit(unit, row.unit);
			return isOwn ? unit.name : valueKey(row[column]);
		}),
	);

const isOwnUnit = (unit: Unit, given: unknown) =>
	conversionOf(unit, given) === conversionOf(unit, unit.name);

/** Units with upper case in their usual spelling, which is part of saved IDs and hashes. */
const UNITS = new Map(['mmHg', 'kPa'].map((unit) => [unit.toLowerCase(), unit]));

/** The same text for the same value: numbers as text and units are spelled in several ways (quirk 7). */
export function valueKey(value: unknown): string {
	if (typeof value !== 'string' || value.length > MAX_TIME_LENGTH)
		return instantOf(value).key;
	const number = toNumber(value);
	if (number !== undefined) return String(number);
	const { millis, key } = instantOf(value);
	if (millis !== undefined) return key;
	return String(unitKey(value) ?? '');
}

/** The same text for a unit in any spelling; empty text is null. */
export function unitKey(unit: unknown): unknown {
	if (typeof unit !== 'string' || unit.length > MAX_TIME_LENGTH) return unit ?? null;
	const word = spellingOf(unit);
	return UNITS.get(word) ?? (word || null);
}

/** The `row_id` of a row. A corrected reading keeps it. */
export const toRowId = ({ value }: Identity, key: string) => `${value}-${key}`;

/** The usual times of the service: with an offset, `Z` or no zone, and up to microseconds (quirk 9). */
const USUAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})?$/;

/** Longer text is no time: a fraction of thousands of digits would hold up n8n. */
const MAX_TIME_LENGTH = 64;

/** The time of a reading. */
export interface Instant {
	/** ms since 1970, where no zone means UTC; undefined for a value that is no time. */
	millis?: number;
	/** The same text for the same instant in any notation; other values as text. */
	key: string;
	/** A date without a time (YYYY-MM-DD). */
	date?: string;
}

/** With Date.parse where it can be, because Luxon takes seconds for 100,000 readings. */
export function instantOf(value: unknown): Instant {
	const isShort = typeof value === 'string' && value.length <= MAX_TIME_LENGTH;
	if (!isShort) return { key: String(value ?? '') };
	const usual = USUAL.exec(value);
	if (!usual) return rareInstantOf(value);
	const [, fraction, zone] = usual;
	return toInstant(value, Date.parse(zone ? value : `${value}Z`), fraction);
}

function toInstant(value: string, millis: number, fraction = ''): Instant {
	if (Number.isNaN(millis)) return { key: value };
	const digits = withoutTrailing(fraction.slice(3), '0');
	return { millis, key: `${millis}.${digits}` };
}

/** The other forms of ISO 8601 that Luxon reads, and a date without a time. */
function rareInstantOf(value: string): Instant {
	const iso = isoText(value);
	const parsed = DateTime.fromISO(iso, { zone: 'UTC' });
	const millis = parsed.toMillis();
	const [, fraction] = /[.,](\d+)/.exec(iso) ?? [];
	if (iso.includes('T')) return toInstant(value, millis, fraction);
	if (Number.isNaN(millis)) return { key: value };
	return { millis, key: value, date: parsed.toISODate() ?? undefined };
}

/** The local time of a reading. */
export type LocalTimeOf = (instant: Instant) => string | null;

/** YYYY-MM-DD HH:MM:SS in the zone; a date without a time is that date in every zone, and no time is null. */
export function localTimeIn(zone: string): LocalTimeOf {
	const clockOf = clockIn(zone);
	return ({ millis, date }) => {
		if (millis === undefined) return null;
		return date ?? clockOf(millis) ?? null;
	};
}
