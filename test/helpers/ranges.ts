/** What is sent for the date fields of an item, and ranges for tests of rows. */
import { DateTime } from 'luxon';
import {
	checkHasBegun,
	toReadRange,
	type DateRangeFields,
	type RangeOptions,
} from '../../nodes/HealthDataService/resources/timeseries/dateRange';

export const toDateRange = (
	fields: DateRangeFields,
	zone: string,
	now: DateTime = DateTime.now(),
	options: RangeOptions = {},
) => checkHasBegun(toReadRange(fields, zone, now, options)).query;

/** From the first day on, without an end. */
export const openRange = (startDate: string, zone = 'UTC') =>
	toReadRange({ dateRange: 'days', startDate, endDate: '' }, zone, DateTime.now());
