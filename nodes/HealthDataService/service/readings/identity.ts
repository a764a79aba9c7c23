/**
 * Identity of a reading: its `row_id`, the same in node and trigger. It is a hash of user, metric, provider, source type and time, with a
 * tiebreaker for different same-time readings of one source (quirk 27).
 */
import { hash } from 'node:crypto';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { clockIn, isoText } from '../../shared/calendarDay';
import { toNumber, withoutTrailing } from '../../shared/values';
import { measuredColumns, type Metric } from './metrics';

/** The columns that identify a row, and those with its values. */
export interface Identity {
	/** Prefix of each `row_id`, and value of the event in saved workflows: never changes. */
	value: string;
	/** Column with the time of the reading or event. */
	time: string;
	key: readonly string[];
	values: readonly string[];
	/** Of readings. */
	unit?: Metric['unit'];
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
		time: times[index],
		row,
	}));
}

/**
 * Keys of the rows, the same in each run and for any order of pages, and their times (ms). Identical rows have the same key. `rows`
 * must contain all readings of a user at a time, or none. The service's own ID of a reading is its `id`.
 */
export function keysOf(identity: Identity, rows: IDataObject[]) {
	const { bases, times } = basesOf(identity, rows);
	// Cheap test first: usually all times differ, and no tiebreaker is needed.
	const tiebreakers =
		new Set(times).size < rows.length ? tiebreakersOf(identity, rows, bases) : undefined;
	const prefixes = new Map<unknown, string>();
	const keys = rows.map((row, index) => {
		const prefix = prefixes.get(row.user_id) ?? userPrefix(row.user_id);
		prefixes.set(row.user_id, prefix);
		const tiebreaker = tiebreakers?.get(bases[index])?.get(valuesOf(identity, row));
		return rowKey(prefix, tiebreaker ? `${bases[index]} ${tiebreaker}` : bases[index]);
	});
	return { keys, times };
}

/** For each row the text that same-time readings of one source have in common, and the time (ms). */
function basesOf(identity: Identity, rows: IDataObject[]) {
	const { time, key } = identity;
	let last: IDataObject = {};
	let source = '';
	const times: Array<number | undefined> = [];
	const bases = rows.map((row) => {
		// Most rows have the same source as the row before.
		if (key.some((column) => row[column] !== last[column])) {
			source = JSON.stringify(key.map((column) => row[column] || null)).slice(0, -1);
		}
		last = row;
		const { millis, key: instant } = instantOf(row[time]);
		times.push(millis);
		const base = `${source},${JSON.stringify(instant)}`;
		// Without a time, only the values distinguish them.
		return millis === undefined
			? `${base},${JSON.stringify(valuesOf(identity, row))}]`
			: `${base}]`;
	});
	return { bases, times };
}

const valuesOf = ({ values, unit }: Identity, row: IDataObject) =>
	JSON.stringify(
		values.map((column) =>
			column === 'unit' && unit ? sameUnit(unit, row.unit) : valueKey(row[column]),
		),
	);

/** The same text for the metric's unit in any spelling, also where it is missing: neither is a correction. */
function sameUnit({ name, from }: Metric['unit'], given: unknown): string {
	const key = String(unitKey(given) ?? name);
	const spelling = key.toLowerCase();
	const isMetrics = Object.hasOwn(from, spelling) && from[spelling] === from[name.toLowerCase()];
	return isMetrics ? name : key;
}

/** Units with upper case in their usual spelling, which is part of saved IDs and hashes. */
const UNITS = new Map(['mmHg', 'kPa'].map((unit) => [unit.toLowerCase(), unit]));

/** The same text for the same value: numbers as text and units are spelled in several ways (quirk 7). */
export function valueKey(value: unknown): string {
	if (typeof value !== 'string' || value.length > MAX_TIME_LENGTH) return instantOf(value).key;
	const number = toNumber(value);
	if (number !== undefined) return String(number);
	const { millis, key } = instantOf(value);
	if (millis !== undefined) return key;
	return String(unitKey(value) ?? '');
}

/** The same text for a unit in any spelling; empty text is null. */
export function unitKey(unit: unknown): unknown {
	if (typeof unit !== 'string' || unit.length > MAX_TIME_LENGTH) return unit ?? null;
	const word = unit.replace(/\s/g, '').toLowerCase();
	return UNITS.get(word) ?? (word || null);
}

/**
 * Base → values → tiebreaker, for same-time readings. Counts from 0, which is left out of the key, in the order of the service's own
 * ids if all have one, else of the values.
 */
function tiebreakersOf(identity: Identity, rows: IDataObject[], bases: string[]) {
	const groups = new Map<string, IDataObject[]>();
	bases.forEach((base, index) => {
		const group = groups.get(base);
		if (group) group.push(rows[index]);
		else groups.set(base, [rows[index]]);
	});
	const tiebreakers = new Map<string, Map<string, number>>();
	for (const [base, readings] of groups) {
		if (readings.length === 1) continue;
		const haveIds = readings.every(({ id }) => typeof id === 'string' || typeof id === 'number');
		// Rows with equal values are one reading; its lowest id counts.
		const sortKeys = readings.map((row) => {
			const values = valuesOf(identity, row);
			return { values, by: haveIds ? `${String(row.id)} ${values}` : values };
		});
		sortKeys.sort((a, b) => (a.by < b.by ? -1 : 1));
		const order = new Set(sortKeys.map(({ values }) => values));
		tiebreakers.set(base, new Map([...order].map((values, tiebreaker) => [values, tiebreaker])));
	}
	return tiebreakers;
}

/** The `row_id` of a row. A corrected reading keeps it. */
export const toRowId = ({ value }: Identity, key: string) => `${value}-${key}`;

/** Times of the service: with an offset, `Z` or no zone, and up to microseconds (quirk 9). */
const DATE_TIME =
	/^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.(\d+))?)?)\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** Longer text is no time: a fraction of thousands of digits would hold up n8n. */
const MAX_TIME_LENGTH = 64;

/** `key` is the same text for the same instant in any notation; other values as text. `millis`: no zone means UTC. */
export function instantOf(value: unknown): { millis?: number; key: string } {
	if (typeof value !== 'string' || value.length > MAX_TIME_LENGTH)
		return { key: String(value ?? '') };
	const [, day, time, fraction = '', zone = 'Z'] = DATE_TIME.exec(value) ?? [];
	if (!day) return rareInstantOf(value);
	// Date.parse, because Luxon takes seconds for 100,000 readings. It needs minutes in an offset.
	const millis = Date.parse(
		`${day}T${time}${zone.length === 3 ? `${zone}:00` : zone.toUpperCase()}`,
	);
	return Number.isNaN(millis) ? { key: value } : { millis, key: instantKey(millis, fraction) };
}

const instantKey = (millis: number, fraction = '') =>
	`${millis}.${withoutTrailing(fraction.slice(3), '0')}`;

/** The other forms of ISO 8601 that Luxon reads, and a date without a time. */
function rareInstantOf(value: string): { millis?: number; key: string } {
	const iso = isoText(value);
	const millis = iso ? DateTime.fromISO(iso, { zone: 'UTC' }).toMillis() : Date.parse(value);
	if (Number.isNaN(millis)) return { key: value };
	return {
		millis,
		key: iso.includes('T') ? instantKey(millis, /[.,](\d+)/.exec(iso)?.[1]) : value,
	};
}

const DATE = /^\s*\d{4}-?\d{2}-?\d{2}\s*$/;

/** The local time of a reading. @param time as the service wrote it @param millis its instant */
export type LocalTimeOf = (time: unknown, millis: number | undefined) => string | null;

/** YYYY-MM-DD HH:MM:SS in the zone; a date without a time is that date in every zone, and no time is null. */
export function localTimeIn(zone: string): LocalTimeOf {
	const clockOf = clockIn(zone);
	return (time, millis) => {
		if (millis === undefined) return null;
		const isDate = typeof time === 'string' && DATE.test(time);
		return (isDate ? new Date(millis).toISOString().slice(0, 10) : clockOf(millis)) ?? null;
	};
}
