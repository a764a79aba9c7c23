/**
 * Readings of one user: from pages of grouped readings (contract 2.1) to flat rows, or to one merged `groups` map.
 */
import type { IDataObject } from 'n8n-workflow';
import { missingFieldError } from '../../http/errors';
import {
	groupBy,
	inColumns,
	isBlank,
	isObject,
	namesIf,
	toNumber,
} from '../../shared/values';
import type { LocalTimeOf } from '../../shared/dateTime';
import { identify, identityOf, toItem } from './identity';
import type { Reading } from './measurements';
import { columnsOf, measuredColumns, type Metric } from './metrics';
import type { SelectedUser } from '../users/selection';
import type { UserRef } from '../users/users';

/** An element of a list inside `groups`, with the provider slug it was listed under. */
export interface Group {
	slug: string;
	data: IDataObject[];
	source: IDataObject;
	/** The other fields, of which the contract shows none. */
	extras: IDataObject;
}

/** When a reading was taken. */
export type Timed = Pick<Reading, 'local' | 'time'>;

/** The range that is read for a user: what is sent, and which readings are of which period. */
export interface ReadRange {
	/** IANA name. */
	zone: string;
	localTimeOf: LocalTimeOf;
	/** First and last day as YYYY-MM-DD, or local times. */
	from: string;
	to: string;
	/** Parameters of the contract, 4.1. Undefined for a range that begins in the future. */
	query?: { start_date: string; end_date: string };
	/** Whether a reading that was read is of the period asked for, as all are without `before`, and those without a time. */
	isAsked: (reading: Timed) => boolean;
	/** *Compare With*: a period that begins earlier, which is read too. */
	before?: {
		from: string;
		to: string;
		has: (reading: Timed) => boolean;
	};
}

export type RangeOf = (selected: SelectedUser) => ReadRange;

/**
 * The groups of a page.
 *
 * @throws Problem for a page without valid `groups`: that is never "no data" (quirk 21)
 */
export function groupsOf({ groups }: IDataObject): Group[] {
	if (!isObject(groups)) throw missingFieldError('groups');

	return Object.entries(groups).flatMap(([slug, list]) => {
		if (!Array.isArray(list) || !list.every(isObject))
			throw missingFieldError('groups');
		return list.map(({ data, source = {}, ...extras }) => {
			if (!Array.isArray(data) || !data.every(isObject))
				throw missingFieldError('data');
			// An object by the contract; any other value is all that is known of it.
			return {
				slug,
				data,
				source: isObject(source) ? source : { type: source },
				extras,
			};
		});
	});
}

/** What the rows of readings are made of, beside the readings. */
interface ReadingOptions {
	metric: Metric;
	/** Whether rows have `time_zone`. */
	hasTimeZone?: boolean;
	/** Whether rows have `change`. */
	hasChange?: boolean;
}

export interface RowOptions extends ReadingOptions {
	rangeOf: RangeOf;
}

/** The columns of a reading in their order. */
export const readingColumns = ({
	metric,
	hasTimeZone,
	hasChange,
}: ReadingOptions) => [
	'client_user_id',
	'local_time',
	...measuredColumns(metric),
	'unit',
	'provider',
	'source_type',
	...metric.times,
	...namesIf(hasTimeZone, 'time_zone'),
	'user_id',
	'row_id',
	...namesIf(hasChange, 'change'),
];

/**
 * The readings of groups, in order, as flat rows: our columns, then every other field that the service sent. `local_time`, `row_id`
 * and `time_zone` are null. Measured numbers that came as text are numbers; all else stays as it came (quirks 7, 9).
 */
export function readingRows(
	options: ReadingOptions,
	groups: Group[],
	user: UserRef,
): IDataObject[] {
	const { metric } = options;
	const fields = columnsOf(metric);
	const measured = measuredColumns(metric);
	const ofUser = inColumns(readingColumns(options), { ...user });
	return groups.flatMap((group) => {
		// Copying it for each row is many times faster than adding the columns one by one.
		const start = rowOfGroup(group, ofUser);
		return group.data.map((point) => {
			const row = { ...start };
			for (const field of fields) row[field] = point[field] ?? null;
			for (const column of measured)
				row[column] = toNumber(row[column]) ?? row[column];
			return withServiceFields(row, point, '', fields);
		});
	});
}

/** What all rows of a group have in common. @param ofUser the columns in their order */
function rowOfGroup({ slug, source, extras }: Group, ofUser: IDataObject) {
	const { provider, type, ...more } = source;
	const row = { ...ofUser };
	row.provider = isBlank(provider) ? slug : provider;
	row.source_type = type ?? null;
	if (row.provider !== slug) withServiceFields(row, { provider: slug });
	withServiceFields(row, more, 'source_');
	return withServiceFields(row, extras, 'group_');
}

/** n8n treats an item with this field as failed. */
const RESERVED = 'error';

/**
 * Adds fields that the service sent to a row, as `<name>_raw` if the name is taken, JavaScript's own or `error` (quirk 5).
 *
 * @param prefix of their names @param except names that are left out
 */
export function withServiceFields(
	row: IDataObject,
	theirs: IDataObject,
	prefix = '',
	except: readonly string[] = [],
): IDataObject {
	for (const name of Object.keys(theirs)) {
		if (except.includes(name)) continue;
		let free = prefix + name;
		while (free in row || free === RESERVED) free += '_raw';
		row[free] = theirs[name];
	}
	return row;
}

/** `readingRows` with `local_time`, `row_id` and `time_zone`. */
export function identifiedRows(
	options: RowOptions,
	groups: Group[],
	selected: SelectedUser,
): IDataObject[] {
	const rows = readingRows(options, groups, selected.user);
	const { localTimeOf, zone } = options.rangeOf(selected);
	const identity = identityOf(options.metric);
	return identify(identity, rows).map((one) => {
		const row = toItem(identity, one, localTimeOf);
		if (options.hasTimeZone) row.time_zone = zone;
		return row;
	});
}

/**
 * One item with the contract's `groups` map, merged from all pages. Groups of one provider are merged if everything beside `data` is
 * the same, not only the slug (quirk 4).
 */
export function groupedRow(groups: Group[], user: UserRef): IDataObject {
	const bySlug = [...groupBy(groups, ({ slug }) => slug)];
	const merged = bySlug.map(([slug, ofSlug]) => [slug, mergedOf(ofSlug)]);
	return { ...user, groups: Object.fromEntries(merged) };
}

function mergedOf(groups: Group[]) {
	const equal = groupBy(groups, ({ extras, source }) =>
		JSON.stringify([extras, source]),
	);
	return [...equal.values()].map((parts) => {
		const [{ extras, source }] = parts;
		const data = parts.flatMap((part) => part.data);
		return { ...extras, data, source };
	});
}
