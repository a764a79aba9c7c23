/**
 * What makes a reading the same one: `id`, for trigger and node alike. A reading is its user, metric, provider, source type
 * and time; different ones that share all of that (twins, quirk 27) are told apart by their rank.
 */
import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { instantKey, instantOf } from './instants';
import type { Metric } from './metrics';

/** Which columns make a row the same, and which are its values. */
export interface Identity {
	/** Begins every `id`. */
	value: string;
	time: string;
	key: readonly string[];
	values: readonly string[];
}

export const identityOf = ({ value, columns: [time, ...values] }: Metric): Identity => ({
	value,
	time,
	key: ['user_id', 'provider', 'source_type'],
	values,
});

export interface IdentifiedRow {
	/** 32 characters: the first 6 of the user, the others of the reading. */
	key: string;
	/** The same text for the same values. */
	values: string;
	/** ms */
	time?: number;
	row: IDataObject;
}

const USER_LENGTH = 6;
const KEY_LENGTH = 32;

const sha = (text: string) => hash('sha256', text);

/** The beginning of the key of everything that is one user's. */
export const userPrefix = (userId: unknown) => sha(String(userId)).slice(0, USER_LENGTH);

/** The key of something that is one user's, by what tells it from all else of theirs. */
export const rowKey = (prefix: string, text: string) => prefix + sha(text).slice(USER_LENGTH, KEY_LENGTH);

/** The rows, each with its key (`keysOf`), values and time. */
export function identify(identity: Identity, rows: IDataObject[]): IdentifiedRow[] {
	const times: Array<number | undefined> = [];
	const keys = keysOf(identity, rows, times);
	return rows.map((row, index) => ({ key: keys[index], values: valuesOf(identity, row), time: times[index], row }));
}

/**
 * What makes each row the same in every run and in any order of pages. Identical rows have the same key. `rows` must hold all
 * readings of a user at an instant, or none; where the service gave them an `id` of its own, it is `id_raw`.
 * @param times filled with the time of each in ms, so that it is parsed once
 */
export function keysOf(identity: Identity, rows: IDataObject[], times: Array<number | undefined> = []): string[] {
	const bases = basesOf(identity, rows, times);
	// As a rule no two rows are of the same time, and then none are twins: finding that out takes the least.
	const ranks = new Set(times).size < rows.length ? tiebreakersOf(identity, rows, bases) : undefined;
	const prefixes = new Map<unknown, string>();
	return rows.map((row, index) => {
		const prefix = prefixes.get(row.user_id) ?? userPrefix(row.user_id);
		prefixes.set(row.user_id, prefix);
		const rank = ranks?.get(bases[index])?.get(valuesOf(identity, row));
		return rowKey(prefix, rank ? `${bases[index]} ${rank}` : bases[index]);
	});
}

/** What different readings of one source and instant share. */
function basesOf(identity: Identity, rows: IDataObject[], times: Array<number | undefined>): string[] {
	const { time, key } = identity;
	let last: IDataObject = {};
	let source = '';
	return rows.map((row, index) => {
		// Most rows are of the same source as the one before: it is not written anew.
		if (key.some((column) => row[column] !== last[column])) {
			source = JSON.stringify(key.map((column) => row[column] || null)).slice(0, -1);
		}
		last = row;
		const { millis, key: instant } = instantOf(row[time]);
		times[index] = millis;
		const base = `${source},${JSON.stringify(instant)}`;
		// Without a time, only the values tell them apart.
		return millis === undefined ? `${base},${JSON.stringify(valuesOf(identity, row))}]` : `${base}]`;
	});
}

const valuesOf = ({ values }: Identity, row: IDataObject) =>
	JSON.stringify(values.map((column) => instantKey(row[column])));

/** Base → values → rank, where several values share a base. In the order of the service's own ids, if all have one. */
function tiebreakersOf(identity: Identity, rows: IDataObject[], bases: string[]) {
	const ranks = new Map<string, Map<string, number>>();
	for (const [base, twins] of sameTimeReadings(rows, bases)) {
		const haveIds = twins.every(({ id_raw: id }) => typeof id === 'string' || typeof id === 'number');
		// Rows of the same values are one reading: its first id counts, in whatever order they came.
		const marks = twins.map((row) => {
			const values = valuesOf(identity, row);
			return { values, by: haveIds ? `${String(row.id_raw)} ${values}` : values };
		});
		marks.sort((a, b) => (a.by < b.by ? -1 : 1));
		const order = new Set(marks.map(({ values }) => values));
		ranks.set(base, new Map([...order].map((values, rank) => [values, rank])));
	}
	return ranks;
}

/** Base → rows, where several rows have it: so few that it costs little. */
function sameTimeReadings(rows: IDataObject[], bases: string[]) {
	const first = new Map<string, IDataObject>();
	const shared = new Map<string, IDataObject[]>();
	bases.forEach((base, index) => {
		const before = first.get(base);
		if (!before) first.set(base, rows[index]);
		else if (shared.has(base)) shared.get(base)!.push(rows[index]);
		else shared.set(base, [before, rows[index]]);
	});
	return shared;
}

/** The same for a reading and its corrections. */
export const toId = ({ value }: Identity, key: string) => `${value}-${key}`;
