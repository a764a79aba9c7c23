/**
 * Readings of one user: from pages of grouped readings (contract 2.1) to flat rows, or to one merged `groups` map.
 */
import type { IDataObject } from 'n8n-workflow';
import { missingFieldError } from '../../http/errors';
import { isBlank, isObject, stableJson, toNumber } from '../../shared/values';
import { identityOf, keysOf, toRowId } from './identity';
import { columnsOf, measuredColumns, type Metric } from './metrics';
import type { SelectedUser } from '../users/selection';
import type { UserRef } from '../users/users';
import type { RangeOf } from './range';
import type { RowLimit } from './rowLimit';

interface Group {
	slug: string;
	data: IDataObject[];
	source: unknown;
	extras: IDataObject;
}

/**
 * Each element of the lists inside `groups`, with the provider slug it was listed under. `source` is an object by the contract; any
 * other value is kept as it is. `extras` are the other fields, of which the contract shows none.
 *
 * @throws Problem for a page without valid `groups`: that is never "no data" (quirk 21)
 */
function groupsOf({ groups }: IDataObject): Group[] {
	if (!isObject(groups)) throw missingFieldError('groups');

	return Object.entries(groups).flatMap(([slug, list]) => {
		if (!Array.isArray(list) || !list.every(isObject)) throw missingFieldError('groups');
		return list.map(({ data, source, ...extras }) => {
			if (!Array.isArray(data) || !data.every(isObject)) throw missingFieldError('data');
			return { slug, data, source: source ?? {}, extras };
		});
	});
}

/**
 * The readings of a page, in order, as flat rows: our columns, then every other field that the service sent. `local_time` and
 * `row_id` are null; `time_zone` is there with a `zone`. Measured numbers that came as text are numbers; all else stays as it came (quirks 7, 9).
 */
export function readingRows(
	page: IDataObject,
	metric: Metric,
	user: UserRef,
	zone?: string,
): IDataObject[] {
	const measured = measuredColumns(metric);
	const columns = columnsOf(metric);
	return groupsOf(page).flatMap((group) => {
		// Copying it for each row is many times faster than adding the columns one by one.
		const start = rowOfGroup(group, emptyReading(metric, user, zone));
		return group.data.map((point) => {
			const row = { ...start };
			for (const column of columns) row[column] = point[column] ?? null;
			for (const column of measured) row[column] = numberOrAsCame(row[column]);
			for (const name of Object.keys(point))
				if (!columns.includes(name)) addServiceField(row, name, point[name]);
			return row;
		});
	});
}

const numberOrAsCame = (value: IDataObject[string]) =>
	typeof value === 'string' ? (toNumber(value) ?? value) : value;

/** What all rows of a group have in common. @param empty the columns in their order */
function rowOfGroup({ slug, source: given, extras }: Group, empty: IDataObject): IDataObject {
	const source = isObject(given) ? given : {};
	const { provider, type, ...more } = source;
	const row = { ...empty };
	row.provider = isBlank(provider) ? slug : provider;
	row.source_type = type ?? null;
	if (row.provider !== slug) addServiceField(row, 'provider', slug);
	for (const name of Object.keys(more)) addServiceField(row, `source_${name}`, more[name]);
	if (source !== given) addServiceField(row, 'source', given);
	for (const name of Object.keys(extras)) addServiceField(row, `group_${name}`, extras[name]);
	return row;
}

function emptyReading(metric: Metric, user: UserRef, zone?: string): IDataObject {
	const row: IDataObject = { client_user_id: user.client_user_id };
	for (const column of readingColumns(metric, zone !== undefined)) row[column] ??= null;
	if (zone !== undefined) row.time_zone = zone;
	row.user_id = user.user_id;
	return row;
}

/** The columns of a reading in their order. */
export const readingColumns = (metric: Metric, hasTimeZone = false): string[] => [
	...['client_user_id', 'local_time', ...measuredColumns(metric)],
	...['unit', 'provider', 'source_type', ...metric.times],
	...(hasTimeZone ? ['time_zone'] : []),
	...['user_id', 'row_id'],
];

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

/** Makes the rows of a user from the pages. */
export type Collect = (
	pages: AsyncIterable<IDataObject>,
	selected: SelectedUser,
) => Promise<IDataObject[]>;

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
	return types.length === 0
		? collect
		: async (pages, selected) => await collect(only(pages), selected);
}

/** All rows of the pages that the limit takes, still without `local_time` and `row_id`. @param zoneOf for `time_zone` */
export const collectRows =
	(metric: Metric, limit: RowLimit, zoneOf?: (selected: SelectedUser) => string): Collect =>
	async (pages, selected) => {
		const rows: IDataObject[] = [];
		for await (const page of pages) {
			for (const row of readingRows(page, metric, selected.user, zoneOf?.(selected)))
				rows.push(row);
			if (limit.isReached(rows.length)) break;
		}
		return rows;
	};

interface ReadingOptions {
	limit: RowLimit;
	rangeOf: RangeOf;
	/** Whether rows have `time_zone`. */
	hasTimeZone?: boolean;
}

/** `collectRows` with `local_time` and `row_id`. */
export function collectReadings(
	metric: Metric,
	{ limit, rangeOf, hasTimeZone }: ReadingOptions,
): Collect {
	const zoneOf = (selected: SelectedUser) => rangeOf(selected).zone;
	const collect = collectRows(metric, limit, hasTimeZone ? zoneOf : undefined);
	const identity = identityOf(metric);
	return async (pages, selected) => {
		const rows = await collect(pages, selected);
		const { keys, times } = keysOf(identity, rows);
		const { localTimeOf } = rangeOf(selected);
		rows.forEach((row, index) => {
			row.local_time = localTimeOf(row[identity.time], times[index]);
			row.row_id = toRowId(identity, keys[index]);
		});
		return rows;
	};
}

/**
 * One item with the contract's `groups` map, merged from all pages. Groups of one provider are merged if everything beside `data` is
 * the same, not only the slug (quirk 4).
 */
export const collectGrouped: Collect = async (pages, { user }) => {
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
