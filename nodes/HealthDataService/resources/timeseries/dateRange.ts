/**
 * Date Range, Start Date and End Date: how they look, which ranges there are, and how they are read.
 */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { Problem } from '../../shared/problem';
import { isBlank } from '../../shared/values';
import { between, checkZone, toDay, toTime, wholeDays, type DateRange } from './calendar';
import { readTimeZone } from './options';

type Show = IDisplayOptions['show'];

export interface DateRangeFields {
	dateRange: string;
	/** Text, a JS Date or a Luxon DateTime; only read for `days` and `times`. */
	startDate?: unknown;
	endDate?: unknown;
}

interface Range {
	name: string;
	/** In saved workflows: never changes. */
	value: string;
	description?: string;
	/** How Start Date and End Date are picked; without it they are not shown. */
	dates?: { word: string; dateOnly?: boolean };
	/** `here` is now in the zone whose days count. */
	toRange: (here: DateTime, fields: DateRangeFields) => DateRange;
}

const last = (length: { hours: number } | { days: number }) => (here: DateTime) => between(here.minus(length), here);

const DEFAULT_RANGE = 'last7Days';

/** In the order of time. */
const RANGES: Range[] = [
	{ name: 'Last 24 Hours', value: 'last24Hours', toRange: last({ hours: 24 }) },
	{ name: 'Last 7 Days', value: DEFAULT_RANGE, toRange: last({ days: 7 }) },
	{ name: 'Last 30 Days', value: 'last30Days', toRange: last({ days: 30 }) },
	{ name: 'Last 90 Days', value: 'last90Days', toRange: last({ days: 90 }) },
	{ name: 'Today', value: 'today', toRange: (here) => wholeDays(here, here) },
	{
		name: 'Yesterday',
		value: 'yesterday',
		toRange: (here) => wholeDays(here.minus({ days: 1 }), here.minus({ days: 1 })),
	},
	{
		name: 'Between Days',
		value: 'days',
		description: 'Whole days, the last one included',
		dates: { word: 'day', dateOnly: true },
		toRange: ({ zoneName: zone }, { startDate, endDate }) =>
			wholeDays(
				toDay(startDate, zone!, 'Start Date'),
				isBlank(endDate) ? undefined : toDay(endDate, zone!, 'End Date'),
			),
	},
	{
		name: 'Between Times',
		value: 'times',
		description: 'From one exact time to another',
		dates: { word: 'time' },
		toRange: ({ zoneName: zone }, { startDate, endDate }) =>
			between(
				toTime(startDate, zone!, 'Start Date'),
				isBlank(endDate) ? undefined : toTime(endDate, zone!, 'End Date'),
			),
	},
];

export const dateRangeFields = (show: Show): INodeProperties[] => [
	{
		displayName: 'Date Range',
		name: 'dateRange',
		type: 'options',
		default: DEFAULT_RANGE,
		description: "When the readings were taken. Days are those of the workflow's time zone.",
		displayOptions: { show },
		options: RANGES.map(({ name, value, description }) => ({ name, value, ...(description && { description }) })),
	},
	...RANGES.flatMap((range) => dateFields(range, show)),
];

function dateFields({ value, dates }: Range, show: Show): INodeProperties[] {
	if (!dates) return [];
	const { word, ...typeOptions } = dates;
	const displayOptions = { show: { ...show, dateRange: [value] } };
	return [
		{
			displayName: 'Start Date',
			name: 'startDate',
			type: 'dateTime',
			typeOptions,
			required: true,
			default: '',
			description: `The first ${word} to include`,
			displayOptions,
		},
		{
			displayName: 'End Date',
			name: 'endDate',
			type: 'dateTime',
			typeOptions,
			default: '',
			description: `The last ${word} to include. Leave empty for everything up to now.`,
			displayOptions,
		},
	];
}

/**
 * The range as instants in `zone` (an IANA name). An end that was left empty stays open.
 *
 * @throws Problem, before anything is sent, for what is not a date, an end before the start and an unknown zone
 */
export function toDateRange(fields: DateRangeFields, zone: string, now: DateTime = DateTime.now()): DateRange {
	checkZone(zone);
	const range = RANGES.find(({ value }) => value === fields.dateRange);
	if (!range) {
		throw new Problem("'Date Range' is not one of its options", 'Pick an option of the list');
	}
	return range.toRange(now.setZone(zone), fields);
}

export function readDateRange(context: IExecuteSingleFunctions, now: DateTime): DateRange {
	const dateRange = context.getNodeParameter('dateRange') as string;
	const hasDates = RANGES.some(({ value, dates }) => value === dateRange && dates);
	const dates = hasDates && {
		startDate: context.getNodeParameter('startDate', ''),
		endDate: context.getNodeParameter('endDate', ''),
	};
	return toDateRange({ dateRange, ...dates }, readTimeZone(context), now);
}
