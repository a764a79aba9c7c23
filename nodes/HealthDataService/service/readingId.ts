/**
 * What makes a reading the same one: `id`, for trigger and node alike. A reading is its user, metric, provider, source type
 * and time; different ones that share all of that (twins, quirk 27) are told apart by their rank.
 */
import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { instantKey, toMillis } from './instants';
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
export const keyOf = (prefix: string, text: string) => prefix + sha(text).slice(USER_LENGTH, KEY_LENGTH);

/**
 * The rows, each with what makes it the same in every run and in any order of pages. Identical rows have the same key. `rows`
 * must hold all readings of a user at an instant, or none.
 */
export function identify({ time, key, values }: Identity, rows: IDataObject[]): IdentifiedRow[] {
	const prefixes = new Map<unknown, string>();
	const identified = rows.map((row) => {
		const millis = toMillis(row[time]);
		const text = JSON.stringify(values.map((column) => instantKey(row[column])));
		const parts = [...key.map((column) => row[column] || null), instantKey(row[time], millis)];
		// Without a time, only the values tell them apart.
		if (millis === undefined) parts.push(text);
		return { base: JSON.stringify(parts), values: text, time: millis, row };
	});
	const ranks = rankTwins(identified);
	return identified.map(({ base, values: text, time: millis, row }) => {
		const user = row.user_id;
		const prefix = prefixes.get(user) ?? userPrefix(user);
		prefixes.set(user, prefix);
		const rank = ranks.get(base)?.get(text) ?? 0;
		return { key: keyOf(prefix, rank ? `${base} ${rank}` : base), values: text, time: millis, row };
	});
}

/** Base → values → rank, where several values share a base. In the order of the service's own ids, if all have one. */
function rankTwins(rows: Array<{ base: string; values: string; row: IDataObject }>) {
	const first = new Map<string, (typeof rows)[number]>();
	const groups = new Map<string, Map<string, string | undefined>>();
	for (const one of rows) {
		const { base, values, row } = one;
		const other = first.get(base);
		if (!other) {
			first.set(base, one);
			continue;
		}
		const group = groups.get(base) ?? new Map([[other.values, ownId(other.row)]]);
		groups.set(base, group);
		const id = ownId(row);
		// The same values more than once have one rank, whichever of them comes first.
		group.set(values, group.has(values) ? lesser(group.get(values), id) : id);
	}
	const ranks = new Map<string, Map<string, number>>();
	for (const [base, group] of groups) {
		if (group.size < 2) continue;
		const hasIds = [...group.values()].every((id) => id !== undefined);
		const order = [...group].map(([values, id]) => ({ values, by: hasIds ? `${id} ${values}` : values }));
		order.sort((a, b) => (a.by < b.by ? -1 : 1));
		ranks.set(base, new Map(order.map(({ values }, rank) => [values, rank])));
	}
	return ranks;
}

/** The service's own `id`, which is called `id_raw` where ours has its place. */
function ownId(row: IDataObject): string | undefined {
	const id = row.id_raw ?? row.id;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** The first of two, or none where one has none. */
const lesser = (a?: string, b?: string) => (a === undefined || b === undefined ? undefined : a < b ? a : b);
