/** Date Range, Start Date and End Date: fields, ranges, and conversion to a query. */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { DateTime, IANAZone } from 'luxon';
import { Problem } from '../../shared/problem';
import { toChoice } from '../../shared/values';
import {
	between,
	checkStart,
	dayBefore,
	edgeOfDay,
	isOpen,
	toDay,
	toTime,
	wholeDays,
	type DateRange,
} from './calendar';
import { readTimeZone } from './options';

type Show = IDisplayOptions['show'];

export interface DateRangeFields {
	dateRange: string;
	/** Text, a JS Date or a Luxon DateTime; only read for `days` and `times`. */
	startDate?: unknown;
	/** The same; an empty text leaves the end open. */
	endDate?: unknown;
	/** Whether rows are of days: then the range begins and ends with whole days, so that no row is of a part of a day. */
	isDaily?: boolean;
}

interface Range {
	name: string;
	/** Saved in workflows: never changes. */
	value: string;
	description?: string;
	/** Settings of Start Date and End Date; without them, these are hidden. */
	dates?: { word: string; dateOnly?: boolean };
	/** `here` is now, in the zone of the days. */
	toRange: (here: DateTime, fields: DateRangeFields) => DateRange;
}

/** In rows of days, N days are N calendar days: today and those before it. */
const last =
	({ hours = 0, days = 0 }): Range['toRange'] =>
	(here, { isDaily }) =>
		between(
			isDaily
				? edgeOfDay(here.minus({ hours, days: days && days - 1 }), 'start')
				: here.minus({ hours, days }),
			here,
		);

const zoneOf = (here: DateTime) => here.zoneName!;

const oneDay = (here: DateTime, day: string) => wholeDays(zoneOf(here), day, day);

const DEFAULT_RANGE = 'last7Days';

const RANGES: Range[] = [
	{ name: 'Last 24 Hours', value: 'last24Hours', toRange: last({ hours: 24 }) },
	{ name: 'Last 7 Days', value: DEFAULT_RANGE, toRange: last({ days: 7 }) },
	{ name: 'Last 30 Days', value: 'last30Days', toRange: last({ days: 30 }) },
	{ name: 'Last 90 Days', value: 'last90Days', toRange: last({ days: 90 }) },
	{ name: 'Today', value: 'today', toRange: (here) => oneDay(here, here.toISODate()!) },
	{ name: 'Yesterday', value: 'yesterday', toRange: (here) => oneDay(here, dayBefore(here)) },
	{
		name: 'Between Days',
		value: 'days',
		description: 'Whole days, the last one included',
		dates: { word: 'day', dateOnly: true },
		toRange: (here, { startDate, endDate }) => {
			const zone = zoneOf(here);
			const first = toDay(startDate, zone, 'start');
			return checkStart(
				wholeDays(zone, first, isOpen(endDate) ? undefined : toDay(endDate, zone, 'end')),
				here,
			);
		},
	},
	{
		name: 'Between Times',
		value: 'times',
		description: 'From one exact time to another',
		dates: { word: 'time' },
		toRange: (here, { startDate, endDate, isDaily }) => {
			const zone = zoneOf(here);
			const start = toTime(startDate, zone, 'start');
			const end = isOpen(endDate) ? undefined : toTime(endDate, zone, 'end');
			const range = checkStart(between(start, end), here);
			return isDaily ? between(edgeOfDay(start, 'start'), end && edgeOfDay(end, 'end')) : range;
		},
	},
];

export const dateRangeFields = (show: Show): INodeProperties[] => [
	{
		displayName: 'Date Range',
		name: 'dateRange',
		type: 'options',
		default: DEFAULT_RANGE,
		description:
			"When the readings were taken. Days are those of the workflow's time zone; in One Item per Day and Summary per User, today is one of the last 7 days. Where nothing was measured then, only Summary per User has an item.",
		displayOptions: { show },
		options: RANGES.map(({ name, value, description }) => ({
			name,
			value,
			...(description && { description }),
		})),
	},
	...RANGES.flatMap((range) => dateFields(range, show)),
];

/** Not `required`: if "Date Range" is an expression, n8n shows both fields and refuses to start while one is empty. */
function dateFields({ value, dates }: Range, show: Show): INodeProperties[] {
	if (!dates) return [];
	const { word, ...typeOptions } = dates;
	const displayOptions = { show: { ...show, dateRange: [value] } };
	const common = { type: 'dateTime' as const, typeOptions, default: '', displayOptions };
	const end = `The last ${word} to include. Leave empty for everything up to now.`;
	return [
		{
			displayName: 'Start Date',
			name: 'startDate',
			description: `The first ${word} to include`,
			...common,
		},
		{ displayName: 'End Date', name: 'endDate', description: end, ...common },
	];
}

/**
 * The range as instants in `zone` (an IANA name). An empty end stays open.
 *
 * @throws Problem for an invalid date, an end before the start and an unknown zone
 */
export function toDateRange(
	fields: DateRangeFields,
	zone: string,
	now: DateTime = DateTime.now(),
): DateRange {
	if (!IANAZone.isValidZone(zone)) {
		const advice = 'Enter a name from the IANA list, e.g. Europe/Berlin or America/New_York';
		throw new Problem("'Time Zone' is not a known time zone", advice);
	}
	return rangeNamed(fields.dateRange).toRange(now.setZone(zone), fields);
}

const rangeNamed = (dateRange: unknown): Range => toChoice(dateRange, 'Date Range', RANGES);

export function readDateRange(
	context: IExecuteSingleFunctions,
	now: DateTime,
	isDaily = false,
): DateRange {
	const { value: dateRange, dates } = rangeNamed(context.getNodeParameter('dateRange'));
	const fields = dates && {
		startDate: context.getNodeParameter('startDate', ''),
		endDate: context.getNodeParameter('endDate', ''),
	};
	return toDateRange({ dateRange, isDaily, ...fields }, readTimeZone(context), now);
}
