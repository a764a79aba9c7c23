/** What is sent for the date fields of an item, and ranges for tests of rows. */
import { DateTime } from 'luxon';
import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { readRangeOf, type RangeOptions } from '../../nodes/HealthDataService/resources/timeseries/dateRange';

interface DateFields {
	dateRange: string;
	startDate?: unknown;
	endDate?: unknown;
}

/** The range of an item with these fields, in the time zone of its workflow. */
export function readRange(
	fields: DateFields,
	zone: string,
	now: DateTime = DateTime.now(),
	options: RangeOptions = {},
) {
	const context = {
		getNode: () => ({ parameters: {} }),
		getNodeParameter: (name: keyof DateFields) => fields[name],
		getTimezone: () => zone,
	} as unknown as IExecuteSingleFunctions;
	const user = { user_id: 'u', client_user_id: null };
	return readRangeOf(context, now, options)({ user, place: 1 });
}

export const toDateRange = (...given: Parameters<typeof readRange>) => readRange(...given).query;

/** From the first day on, without an end. */
export const openRange = (startDate: string, zone = 'UTC') =>
	readRange({ dateRange: 'days', startDate, endDate: '' }, zone);
