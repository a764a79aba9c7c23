/** Date Range, Start Date and End Date: fields, ranges, and what is sent and shown for them. */
import type { IDisplayOptions, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { DateTime, IANAZone } from 'luxon';
import { localTimeIn } from '../../service/readings/identity';
import type { ReadRange } from '../../service/readings/range';
import { dayOfClock } from '../../shared/calendarDay';
import { Problem } from '../../shared/problem';
import { toChoice } from '../../shared/values';
import {
	addDays,
	between,
	dayBefore,
	dayOf,
	daysBetween,
	isOpen,
	startInFuture,
	toDay,
	toTime,
	wholeDays,
} from './calendar';

type Show = IDisplayOptions['show'];

export interface DateRangeFields {
	dateRange: string;
	/** Text, a JS Date or a Luxon DateTime; only read for `days` and `times`. */
	startDate?: unknown;
	/** The same; an empty text leaves the end open. */
	endDate?: unknown;
}

/** Calendar days. `untilNow`: the end is now, not the end of the last day. */
interface DaySpan {
	first: string;
	last?: string;
	untilNow?: boolean;
}

/** Exact times. */
interface TimeSpan {
	start: DateTime;
	end?: DateTime;
	untilNow?: boolean;
}

interface Range {
	name: string;
	/** Saved in workflows: never changes. */
	value: string;
	description?: string;
	/** Settings of Start Date and End Date; without them, these are hidden. */
	dates?: { word: string; dateOnly?: boolean };
	/** `here` is now, in the zone of the days. */
	toSpan: (here: DateTime, fields: DateRangeFields) => DaySpan | TimeSpan;
}

/** Calendar days: today and those before it. */
const lastDays =
	(days: number): Range['toSpan'] =>
	(here) => {
		const today = dayOf(here);
		return { first: addDays(today, 1 - days), last: today, untilNow: true };
	};

/** The week or month before the present one. Weeks begin on Monday. */
const previous =
	(unit: 'week' | 'month'): Range['toSpan'] =>
	(here) => {
		const last = here.startOf(unit).minus({ days: 1 });
		return { first: dayOf(last.startOf(unit)), last: dayOf(last) };
	};

const oneDay = (day: string): DaySpan => ({ first: day, last: day });

const DEFAULT_RANGE = 'last7Days';

const RANGES: Range[] = [
	{
		name: 'Last 24 Hours',
		value: 'last24Hours',
		toSpan: (here) => ({ start: here.minus({ hours: 24 }), end: here, untilNow: true }),
	},
	{ name: 'Last 7 Days', value: DEFAULT_RANGE, toSpan: lastDays(7) },
	{ name: 'Last 30 Days', value: 'last30Days', toSpan: lastDays(30) },
	{ name: 'Last 90 Days', value: 'last90Days', toSpan: lastDays(90) },
	{ name: 'Today', value: 'today', toSpan: (here) => oneDay(dayOf(here)) },
	{ name: 'Yesterday', value: 'yesterday', toSpan: (here) => oneDay(dayBefore(here)) },
	{
		name: 'Last Week',
		value: 'lastWeek',
		description: 'From Monday to Sunday',
		toSpan: previous('week'),
	},
	{ name: 'Last Month', value: 'lastMonth', toSpan: previous('month') },
	{
		name: 'Between Days',
		value: 'days',
		description: 'Whole days, the last one included',
		dates: { word: 'day', dateOnly: true },
		toSpan: (here, { startDate, endDate }) => {
			const zone = zoneOf(here);
			const first = toDay(startDate, zone, 'start');
			return isOpen(endDate) ? { first } : { first, last: toDay(endDate, zone, 'end') };
		},
	},
	{
		name: 'Between Times',
		value: 'times',
		description: 'From one exact time to another',
		dates: { word: 'time' },
		toSpan: (here, { startDate, endDate }) => {
			const zone = zoneOf(here);
			const start = toTime(startDate, zone, 'start');
			return isOpen(endDate) ? { start } : { start, end: toTime(endDate, zone, 'end') };
		},
	},
];

const zoneOf = (here: DateTime) => here.zoneName!;

export const dateRangeFields = (show: Show): INodeProperties[] => [
	{
		displayName: 'Date Range',
		name: 'dateRange',
		type: 'options',
		default: DEFAULT_RANGE,
		description:
			"When the readings were taken. Days are those of the workflow's time zone, and today is one of the last 7 days. One Item per Day takes whole days. Where nothing was measured, only Summary per User has an item.",
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

export interface RangeOptions {
	/** Whether rows are of days: the range begins and ends with whole days, so that no row is of a part of a day. */
	isWholeDays?: boolean;
	/** *Compare With Previous Period*: the range before it is read too. */
	comparesPrevious?: boolean;
}

/**
 * The range in `zone` (an IANA name). An empty end stays open.
 *
 * @throws Problem for an invalid date, an end before the start and an unknown zone
 */
export function toReadRange(
	fields: DateRangeFields,
	zone: string,
	now: DateTime,
	{ isWholeDays = false, comparesPrevious = false }: RangeOptions = {},
): ReadRange {
	if (!IANAZone.isValidZone(zone)) {
		const advice = 'Enter a name from the IANA list, e.g. Europe/Berlin or America/New_York';
		throw new Problem("'Time Zone' is not a known time zone", advice);
	}
	const here = now.setZone(zone);
	const span = rangeNamed(fields.dateRange).toSpan(here, fields);
	if (!('start' in span)) return rangeOfDays(span, here, comparesPrevious);
	// Rejects an end before the start, also within one day.
	const range = rangeOfTimes(span, here, comparesPrevious);
	return isWholeDays ? rangeOfDays(daysOf(span), here, comparesPrevious) : range;
}

const daysOf = ({ start, end, untilNow }: TimeSpan): DaySpan => ({
	first: dayOf(start),
	last: end && dayOf(end),
	untilNow,
});

/** The period before has as many calendar days. An open end is today. */
function rangeOfDays(
	{ first, last, untilNow }: DaySpan,
	here: DateTime,
	comparesPrevious: boolean,
) {
	const zone = zoneOf(here);
	const today = dayOf(here);
	const to = last ?? (today > first ? today : first);
	const earliest = comparesPrevious ? addDays(first, -1 - daysBetween(first, to)) : first;
	const own = wholeDays(zone, first, last);
	const { start_date } = wholeDays(zone, earliest, undefined);
	const end_date = untilNow ? between(here, here).end_date : own.end_date;
	const periodOf: ReadRange['periodOf'] = ({ local }) => {
		if (local === null) return 'current';
		const day = dayOfClock(local);
		// Where clocks go back over midnight, an hour of one day lies within another.
		if (day < earliest || day > (last ?? day)) return undefined;
		return day < first ? 'before' : 'current';
	};
	const hasBegun = end_date !== undefined || DateTime.fromISO(own.start_date) <= here;
	const query = { start_date, ...(end_date && { end_date }) };
	return { zone, localTimeOf: localTimeIn(zone), from: first, to, query, hasBegun, periodOf };
}

/** The period before is as long. An open end is now. */
function rangeOfTimes({ start, end }: TimeSpan, here: DateTime, comparesPrevious: boolean) {
	const zone = zoneOf(here);
	const lengthMs = comparesPrevious ? +(end ?? here) - +start : 0;
	between(start, end);
	const periodOf: ReadRange['periodOf'] = ({ time = Infinity }) =>
		comparesPrevious && time < +start ? 'before' : 'current';
	return {
		zone,
		localTimeOf: localTimeIn(zone),
		from: localText(start),
		to: localText(end ?? DateTime.max(start, here)),
		query: between(start.minus(lengthMs), end),
		hasBegun: end !== undefined || start <= here,
		periodOf,
	};
}

const localText = (time: DateTime) => time.toFormat('yyyy-MM-dd HH:mm:ss');

const rangeNamed = (dateRange: unknown): Range => toChoice(dateRange, 'Date Range', RANGES);

/** Reads the fields once. @returns a function that makes the range in a time zone */
export function readDateRange(
	context: IExecuteSingleFunctions,
	now: DateTime,
	options: RangeOptions = {},
): (zone: string) => ReadRange {
	const { value: dateRange, dates } = rangeNamed(context.getNodeParameter('dateRange'));
	const fields = dates && {
		startDate: context.getNodeParameter('startDate', ''),
		endDate: context.getNodeParameter('endDate', ''),
	};
	return (zone) => toReadRange({ dateRange, ...fields }, zone, now, options);
}

/** @throws Problem for a range that begins in the future and has no end */
export function checkHasBegun(range: ReadRange): ReadRange {
	if (!range.hasBegun) throw startInFuture();
	return range;
}
