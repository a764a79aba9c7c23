/**
 * Identity of a reading: its `row_id`, the same in node and trigger. It is a hash of user, metric, provider, source type and time, with a
 * tiebreaker for different same-time readings of one source (quirk 27).
 */
import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import {
	instantOf,
	type Instant,
	type LocalTimeOf,
} from '../../shared/dateTime';
import { groupBy } from '../../shared/values';
import { measuredValues, valueKey } from './measured';
import type { Metric } from './metrics';

/** The columns that identify a row, and the metric that says what its values are. */
export interface Identity {
	/** Prefix of each `row_id`, and value of the event in saved workflows: never changes. */
	value: string;
	/** Column with the time of the reading or event. */
	time: string;
	key: readonly string[];
	/** Of readings: other rows have no values. */
	metric?: Metric;
}

export const identityOf = (metric: Metric): Identity => ({
	value: metric.value,
	time: metric.times[0],
	key: ['user_id', 'provider', 'source_type'],
	metric,
});

export interface IdentifiedRow {
	row: IDataObject;
	/** 32 characters of hashes: 6 of the user, 26 of the reading. */
	key: string;
	instant: Instant;
	/** ms */
	time?: number;
	/** Equal text for equal values. */
	values: string;
}

/** Characters of the user's hash, at the start of each key. */
export const USER_LENGTH = 6;
const KEY_LENGTH = 32;

const sha = (text: string) => hash('sha256', text);

/** The first characters of all keys of a user. */
export const userPrefix = (userId: unknown) =>
	sha(String(userId)).slice(0, USER_LENGTH);

/** @param prefix of the user (`userPrefix`) @param text unique among the rows of the user */
const rowKey = (prefix: string, text: string) =>
	prefix + sha(text).slice(USER_LENGTH, KEY_LENGTH);

/** `row_id` of a row that is no reading. @param who it is of @param parts what tells it from their other rows */
export function madeRowId(
	{ value }: Metric,
	kind: string,
	who: unknown,
	parts: readonly unknown[],
): string {
	const key = rowKey(userPrefix(who), JSON.stringify([value, who, ...parts]));
	return `${value}-${kind}-${key}`;
}

/**
 * The rows of one user with their keys, which are the same in each run and for any order of pages;
 * identical rows have the same key. `rows` must contain all readings at a time, or none.
 */
export function identify(
	identity: Identity,
	rows: readonly IDataObject[],
): IdentifiedRow[] {
	const prefix = userPrefix(rows[0]?.user_id);
	const identified = rows.map((row): IdentifiedRow => {
		const instant = instantOf(row[identity.time]);
		const values = valuesOf(identity, row);
		const key = textOf(identity, row, instant, values);
		return { row, key, instant, time: instant.millis, values };
	});
	for (const twins of groupBy(identified, ({ key }) => key).values()) {
		if (twins.length > 1) addTiebreakers(twins);
	}
	for (const one of identified) one.key = rowKey(prefix, one.key);
	return identified;
}

/** The text that same-time readings of one source have in common. Without a time, only the values distinguish them. */
function textOf(
	identity: Identity,
	row: IDataObject,
	{ millis, key }: Instant,
	values: string,
) {
	const parts = identity.key.map((column) => row[column] || null);
	parts.push(key);
	if (millis === undefined) parts.push(values);
	return JSON.stringify(parts);
}

/**
 * For same-time readings of one source. They count from 0, in the order of the service's own ids (`id`) if all have one, else of the
 * values. Rows with equal values are one reading; its lowest id counts.
 */
function addTiebreakers(twins: readonly IdentifiedRow[]) {
	const haveIds = twins.every(({ row }) =>
		['string', 'number'].includes(typeof row.id),
	);
	const orderOf = ({ row, values }: IdentifiedRow) =>
		haveIds ? `${String(row.id)} ${values}` : values;
	const sorted = [...twins].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
	const [, ...others] = groupBy(sorted, ({ values }) => values).values();
	for (const [index, same] of others.entries()) {
		for (const twin of same) twin.key += ` ${index + 1}`;
	}
}

/** The same text for readings whose other times and shown values are equal: then the reading has not changed. */
function valuesOf({ metric }: Identity, row: IDataObject) {
	if (!metric) return '';
	const [, ...otherTimes] = metric.times;
	const times = otherTimes.map((column) => valueKey(row[column]));
	const { values } = measuredValues(metric, row);
	return JSON.stringify([...times, ...values.map(String)]);
}

/** The row with its `row_id`, which a correction keeps, and the `local_time` of a reading. */
export function toItem(
	{ value, metric }: Identity,
	{ row, key, instant }: IdentifiedRow,
	localTimeOf: LocalTimeOf,
): IDataObject {
	if (metric) row.local_time = localTimeOf(instant);
	row.row_id = `${value}-${key}`;
	return row;
}
