/** Metrics by name (tests never take them by position, which changes with each new metric), and ranges of dates for rows. */
import { metrics } from '../../nodes/HealthDataService/service/readings/metrics';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { RANGES, rangeOfUsers, type RangeOptions } from '../../nodes/HealthDataService/resources/timeseries/dateRange';

export const metricOf = (name: string) => {
	const metric = metrics.find(({ value }) => value === name);
	if (!metric) throw new Error(`There is no metric ${name}`);
	return metric;
};
export const bloodPressure = metricOf('bloodPressure');
export const mindfulness = metricOf('mindfulnessMinutes');

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
