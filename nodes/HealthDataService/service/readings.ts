/**
 * From a page of grouped readings (contract 2.1) to what leaves the node: flat rows, or one merged `groups` map.
 */
import type { IDataObject } from 'n8n-workflow';
import { missingFieldError } from '../http/errors';
import { isObject, stableJson } from '../shared/json';

/** Whose readings these are. `client_user_id` is null when the user was named by User ID. */
export interface UserRef {
	user_id: string;
	client_user_id: string | null;
}

/** One element of a list inside `groups`, with the provider slug it was listed under. */
interface Group {
	slug: string;
	data: IDataObject[];
	/** An object by the contract; whatever it is, it is not lost. */
	source: unknown;
	/** Fields of the group beside `data` and `source`. The contract shows none. */
	extras: IDataObject;
}

/** The groups of a page. A page without `groups`, or with something else in its place, is an error, never "no data" (quirk 21). */
function groupsOf({ groups }: IDataObject): Group[] {
	if (!isObject(groups)) throw missingFieldError('groups');

	return Object.entries(groups).flatMap(([slug, list]) => {
		if (!Array.isArray(list) || !list.every(isObject)) throw missingFieldError('groups');
		return list.map(({ data, source, ...extras }): Group => {
			if (!Array.isArray(data) || !data.every(isObject)) throw missingFieldError('data');
			return { slug, data, source: source ?? {}, extras };
		});
	});
}

/**
 * The readings of a page, in order, as flat rows with a fixed start of columns:
 * `id, user_id, client_user_id, ...columns, provider, source_type`, then every other field the service sent. `id` is yet to be found.
 * Values are never changed: times stay strings, null stays null (quirks 7, 9). A missing column is null.
 */
export function readingRows(page: IDataObject, columns: readonly string[], user: UserRef): IDataObject[] {
	return groupsOf(page).flatMap(({ slug, data, source: given, extras }) => {
		const source = isObject(given) ? given : {};
		// Copied for each row: that takes a fraction of adding one column after the other.
		const start: IDataObject = { id: null, ...user };
		for (const column of columns) start[column] = null;
		start.provider = source.provider ?? slug;
		start.source_type = source.type ?? null;
		return data.map((point) => {
			const row = { ...start };
			for (const column of columns) row[column] = point[column] ?? null;
			if (source.provider && source.provider !== slug) addServiceField(row, 'provider', slug);
			for (const name of Object.keys(point)) {
				if (!columns.includes(name)) addServiceField(row, name, point[name]);
			}
			for (const name of Object.keys(source)) {
				if (name !== 'provider' && name !== 'type') addServiceField(row, `source_${name}`, source[name]);
			}
			if (source !== given) addServiceField(row, 'source', given);
			for (const name of Object.keys(extras)) addServiceField(row, `group_${name}`, extras[name]);
			return row;
		});
	});
}

/** What n8n takes for a failed item. */
const RESERVED = 'error';

/** Adds a field of theirs; one that is called like a column, or `error`, becomes `<name>_raw` (quirk 5). */
function addServiceField(row: IDataObject, name: string, value: unknown) {
	let free = name;
	while (Object.hasOwn(row, free) || free === RESERVED) free += '_raw';
	// Not assigned: what is called `__proto__` is a field like any other.
	Object.defineProperty(row, free, { value, enumerable: true, writable: true, configurable: true });
}

/** Our columns, then all of their fields. Where no name is ours, copying at once takes a fraction of the time. */
export function withServiceFields(ours: IDataObject, theirs: IDataObject): IDataObject {
	if (![...Object.keys(ours), RESERVED].some((name) => Object.hasOwn(theirs, name))) return { ...ours, ...theirs };
	const row = { ...ours };
	for (const name of Object.keys(theirs)) addServiceField(row, name, theirs[name]);
	return row;
}

/**
 * Collects pages into the contract's `groups` map. Groups of one provider are joined when their whole source
 * (and everything else beside `data`) is the same, never merely because the slug is (quirk 4).
 */
export class GroupedReadings {
	private readonly merged = new Map<string, Map<string, IDataObject & { data: IDataObject[] }>>();

	add(page: IDataObject) {
		for (const { slug, data, source, extras } of groupsOf(page)) {
			const ofProvider = this.merged.get(slug) ?? new Map();
			this.merged.set(slug, ofProvider);
			const key = stableJson({ ...extras, source });
			const group = ofProvider.get(key) ?? { ...extras, data: [], source };
			ofProvider.set(key, group);
			for (const point of data) group.data.push(point);
		}
	}

	/** One item per user. */
	toItem(user: UserRef): IDataObject {
		const groups = [...this.merged].map(([slug, ofProvider]) => [slug, [...ofProvider.values()]]);
		return { ...user, groups: Object.fromEntries(groups) };
	}
}
