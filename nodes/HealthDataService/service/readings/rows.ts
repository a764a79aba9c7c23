/**
 * Readings of one user: from pages of grouped readings (contract 2.1) to flat rows, with or without `id`, or to one merged `groups`
 * map.
 */
import type { IDataObject } from 'n8n-workflow';
import { missingFieldError } from '../../http/errors';
import { isObject, stableJson } from '../../shared/values';
import { type Identity, identityOf, instantOf, keysOf, toId } from './identity';
import type { Metric } from './metrics';
import type { UserRef } from '../users/users';
import type { RowLimit } from './rowLimit';

/**
 * Each element of the lists inside `groups`, with the provider slug it was listed under. `source` is an object by the contract; any
 * other value is kept as it is. `extras` are the other fields, of which the contract shows none.
 *
 * @throws Problem for a page without valid `groups`: that is never "no data" (quirk 21)
 */
function groupsOf({ groups }: IDataObject) {
	if (!isObject(groups)) throw missingFieldError('groups');

	return Object.entries(groups).flatMap(([slug, list]) => {
		if (!Array.isArray(list) || !list.every(isObject)) throw missingFieldError('groups');
		return list.map(({ data, source, ...extras }) => {
			if (!Array.isArray(data) || !data.every(isObject)) throw missingFieldError('data');
			return { slug, data: data as IDataObject[], source: source ?? {}, extras };
		});
	});
}

/**
 * The readings of a page, in order, as flat rows that begin with the same columns:
 * `client_user_id, ...columns, provider, source_type, user_id, id`, then every other field that the service sent. `id` is null.
 * Values do not change: times stay strings, null stays null (quirks 7, 9). A missing column is null.
 */
export function readingRows(
	page: IDataObject,
	columns: readonly string[],
	user: UserRef,
): IDataObject[] {
	return groupsOf(page).flatMap(({ slug, data, source: given, extras }) => {
		const source = isObject(given) ? given : {};
		// Copying it for each row is many times faster than adding the columns one by one.
		const start: IDataObject = { client_user_id: user.client_user_id };
		for (const column of columns) start[column] = null;
		start.provider = source.provider ?? slug;
		start.source_type = source.type ?? null;
		start.user_id = user.user_id;
		start.id = null;
		return data.map((point) => {
			const row = { ...start };
			for (const column of columns) row[column] = point[column] ?? null;
			if (source.provider && source.provider !== slug) addServiceField(row, 'provider', slug);
			for (const name of Object.keys(point)) {
				if (!columns.includes(name)) addServiceField(row, name, point[name]);
			}
			for (const name of Object.keys(source)) {
				if (name !== 'provider' && name !== 'type')
					addServiceField(row, `source_${name}`, source[name]);
			}
			if (source !== given) addServiceField(row, 'source', given);
			for (const name of Object.keys(extras)) addServiceField(row, `group_${name}`, extras[name]);
			return row;
		});
	});
}

/** n8n treats an item with this field as failed. */
const RESERVED = 'error';

/** Adds a field that the service sent; if its name is taken or `error`, as `<name>_raw` (quirk 5). */
function addServiceField(row: IDataObject, name: string, value: unknown) {
	let free = name;
	while (Object.hasOwn(row, free) || free === RESERVED) free += '_raw';
	// Not assigned, because the name may be `__proto__`.
	Object.defineProperty(row, free, { value, enumerable: true, writable: true, configurable: true });
}

/** Our columns, then all fields that the service sent. Without a common name, copying all at once is many times faster. */
export function withServiceFields(ours: IDataObject, theirs: IDataObject): IDataObject {
	if (![...Object.keys(ours), RESERVED].some((name) => Object.hasOwn(theirs, name)))
		return { ...ours, ...theirs };
	const row = { ...ours };
	for (const name of Object.keys(theirs)) addServiceField(row, name, theirs[name]);
	return row;
}

/** The record itself where no name is reserved: a copy of 20,000 takes a tenth of their time. */
export const userRow = (user: IDataObject) =>
	Object.hasOwn(user, RESERVED) ? withServiceFields({}, user) : user;

export type Collect = (pages: AsyncIterable<IDataObject>, user: UserRef) => Promise<IDataObject[]>;

/** `collect` for readings of these source types only (lower case; none: all). An invalid page stays invalid. */
export function ofSourceTypes(types: readonly string[] = [], collect: Collect): Collect {
	const isWanted = ({ source }: IDataObject) =>
		types.includes(String((isObject(source) && source.type) || '').toLowerCase());
	const wanted = (list: unknown) =>
		Array.isArray(list) ? list.filter((group) => !isObject(group) || isWanted(group)) : list;
	async function* only(pages: AsyncIterable<IDataObject>) {
		for await (const page of pages) {
			const groups = Object.entries(page.groups ?? {}).map(([slug, list]) => [slug, wanted(list)]);
			yield isObject(page.groups) ? { ...page, groups: Object.fromEntries(groups) } : page;
		}
	}
	return types.length === 0 ? collect : async (pages, user) => await collect(only(pages), user);
}

/**
 * Rows within the limit, with `id`, or with null for readers that do not show it. The `id` of same-time readings depends on all of
 * them, so pages are read beyond the limit for it while they may contain more readings of the same time.
 */
export function collectRows(metric: Metric, limit: RowLimit, hasId: boolean): Collect {
	const identity = identityOf(metric);
	return async (pages, user) => {
		const rows: IDataObject[] = [];
		for await (const page of pages) {
			const more = readingRows(page, metric.columns, user);
			for (const row of more) rows.push(row);
			if (!limit.isReached(rows.length)) continue;
			if (!hasId || !mayContinueOnNextPage(identity, limit.keep(rows), more)) break;
		}
		if (hasId)
			keysOf(identity, rows).keys.forEach((key, index) => (rows[index].id = toId(identity, key)));
		return limit.keep(rows);
	};
}

/**
 * Whether the next page may hold same-time readings of `wanted`: of the time at which a source ends on this page, or any source if
 * the page has none of that source. With pages of one row, another source's reading may be between two of them.
 */
function mayContinueOnNextPage(
	{ key, time }: Identity,
	wanted: IDataObject[],
	page: IDataObject[],
): boolean {
	const sourceOf = (row: IDataObject) => JSON.stringify(key.map((column) => row[column] || null));
	const ends = new Map(page.map((row) => [sourceOf(row), instantOf(row[time]).key]));
	const anyEnd = new Set(ends.values());
	const mayFollow = (row: IDataObject) => {
		const end = ends.get(sourceOf(row));
		const instant = instantOf(row[time]).key;
		return end === undefined ? anyEnd.has(instant) : end === instant;
	};
	return page.length === 0 || wanted.some(mayFollow);
}

/**
 * One item with the contract's `groups` map, merged from all pages. Groups of one provider are merged if everything beside `data` is
 * the same, not only the slug (quirk 4).
 */
export const collectGrouped: Collect = async (pages, user) => {
	const merged = new Map<string, Map<string, IDataObject & { data: IDataObject[] }>>();
	for await (const page of pages) {
		for (const { slug, data, source, extras } of groupsOf(page)) {
			const ofProvider = merged.get(slug) ?? new Map();
			merged.set(slug, ofProvider);
			const key = stableJson({ ...extras, source });
			const group = ofProvider.get(key) ?? { ...extras, data: [], source };
			ofProvider.set(key, group);
			for (const point of data) group.data.push(point);
		}
	}
	const groups = [...merged].map(([slug, ofProvider]) => [slug, [...ofProvider.values()]]);
	return [{ ...user, groups: Object.fromEntries(groups) }];
};
