/** What is sent for the date fields of an item, and ranges for tests of rows. */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { RANGES, rangeOfUsers, type RangeOptions } from '../../nodes/HealthDataService/resources/timeseries/dateRange';

type RowOptions = Pick<RangeOptions, 'isWholeDays' | 'compareWith'>;

interface DateFields {
	dateRange: string;
	startDate?: unknown;
	endDate?: unknown;
}

/** The ranges of an item with these fields, in the time zone of its workflow or, with `userTimeZone`, of each user. */
export function readRanges(
	fields: DateFields & { userTimeZone?: boolean },
	zone: string,
	now: DateTime,
	options: RowOptions = {},
) {
	const { userTimeZone: hasTimeZone = false, dateRange, ...dates } = fields;
	const range = RANGES.find(({ value }) => value === dateRange)!;
	const rangeOf = rangeOfUsers({ ...options, range, dates, timeZone: zone, hasTimeZone }, now);
	return (record?: IDataObject) => rangeOf({ user: { user_id: 'u', client_user_id: null }, place: 1, record });
}

export const readRange = (fields: DateFields, zone: string, now: DateTime = DateTime.now(), options: RowOptions = {}) =>
	readRanges(fields, zone, now, options)();

export const toDateRange = (...given: Parameters<typeof readRange>) => readRange(...given).query!;
