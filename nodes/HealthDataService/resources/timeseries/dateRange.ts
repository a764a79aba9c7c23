/**
 * Date Range, Start Date and End Date: the fields, the ranges that they choose, and the query
 * parameters and periods of each range, in the time zone of the node or of each user.
 */
import type { INodeProperties } from 'n8n-workflow';
import { DateTime, IANAZone } from 'luxon';
import { shownIf } from '../../fields/field';
import type { RangeOf, ReadRange, Timed } from '../../service/readings/rows';
import type { CompareWith } from '../../service/readings/summary';
import { timeZoneOf } from '../../service/users/users';
import { DATE_LENGTH, localTimeIn } from '../../shared/dateTime';
import { Problem } from '../../shared/problem';
import { isBlank, memoized } from '../../shared/values';
import { dateOf, edgeOf, toDay, toTime } from './calendar';
import { daysIn, timesIn, type Periods, type Span } from './periods';

/** Values of the fields: text, a JS Date or a Luxon DateTime. */
interface TypedDates {
	startDate?: unknown;
	/** An empty text leaves the end open. */
	endDate?: unknown;
}

export interface Range {
	name: string;
	/** Saved in workflows: never changes. */
	value: string;
	description?: string;
	/** Settings of Start Date and End Date; without them, these are hidden. */
	dates?: { dateOnly?: boolean };
	/** Whether it is of exact times, not of the whole days of its start and end. */
	isExact?: boolean;
	/** `here` is now, in the zone of the node; for exact times, in that of the user. */
	toSpan: (here: DateTime, dates: TypedDates) => Span;
}

/** Calendar days: today and those before it. */
const lastDays =
	(days: number): Range['toSpan'] =>
	(here) => ({ start: dateOf(here).minus({ days: days - 1 }), end: 'now' });

/** The calendar day, week or month that was so many ago. Weeks begin on Monday. */
const calendar =
	(ago: number, unit: 'day' | 'week' | 'month'): Range['toSpan'] =>
	(here) => {
		const start = dateOf(here)
			.minus({ [unit]: ago })
			.startOf(unit);
		return { start, end: start.endOf(unit) };
	};

/**
 * Start Date and End Date. A text that is empty leaves the end open; null or undefined of an
 * expression is an error instead.
 */
const typed =
	(toInstant: typeof toDay): Range['toSpan'] =>
	(here, { startDate, endDate }) => {
		const zone = here.zoneName!;
		const start = toInstant(startDate, zone, 'first');
		const isOpen = typeof endDate === 'string' && isBlank(endDate);
		const end = isOpen ? 'tomorrow' : toInstant(endDate, zone, 'last');
		return { start, end };
	};

const DEFAULT_RANGE = 'last7Days';

export const RANGES: Range[] = [
	{
		name: 'Last 24 Hours',
		value: 'last24Hours',
		isExact: true,
		toSpan: (here) => ({ start: here.minus({ hours: 24 }), end: 'now' }),
	},
	{ name: 'Last 7 Days', value: DEFAULT_RANGE, toSpan: lastDays(7) },
	{ name: 'Last 30 Days', value: 'last30Days', toSpan: lastDays(30) },
	{ name: 'Last 90 Days', value: 'last90Days', toSpan: lastDays(90) },
	{
		name: 'Today',
		value: 'today',
		toSpan: (here) => ({ start: here, end: 'today' }),
	},
	{ name: 'Yesterday', value: 'yesterday', toSpan: calendar(1, 'day') },
	{
		name: 'Last Week',
		value: 'lastWeek',
		description: 'From Monday to Sunday',
		toSpan: calendar(1, 'week'),
	},
	{ name: 'Last Month', value: 'lastMonth', toSpan: calendar(1, 'month') },
	{
		name: 'Between Days',
		value: 'days',
		description: 'Whole days, the last one included',
		dates: { dateOnly: true },
		toSpan: typed(toDay),
	},
	{
		name: 'Between Times',
		value: 'times',
		description: "From one exact time to another, in the workflow's time zone",
		dates: {},
		isExact: true,
		toSpan: typed(toTime),
	},
];

export const dateRangeField: INodeProperties = {
	displayName: 'Date Range',
	name: 'dateRange',
	type: 'options',
	default: DEFAULT_RANGE,
	description:
		"When the readings were taken: days are those of the workflow's time zone, and One Item per Day takes whole days",
	options: RANGES.map(({ name, value, description }) => ({
		name,
		value,
		description,
	})),
};

/** Not `required`: if "Date Range" is an expression, n8n shows both fields and refuses to start while one is empty. */
function dateFields({ value, dates }: Range): INodeProperties[] {
	if (!dates) return [];
	const common = {
		type: 'dateTime' as const,
		typeOptions: dates,
		default: '',
	};
	return shownIf({ dateRange: [value] }, [
		{
			displayName: 'Start Date',
			name: 'startDate',
			description: 'The first day or time to include',
			...common,
		},
		{
			displayName: 'End Date',
			name: 'endDate',
			description:
				'The last day or time to include. Leave empty for everything up to now.',
			...common,
		},
	]);
}

export const dateRangeFields = [dateRangeField, ...RANGES.flatMap(dateFields)];

export interface RangeOptions {
	/** The choice of *Date Range*. */
	range: Range;
	dates?: TypedDates;
	/** IANA name, not yet validated. */
	timeZone: string;
	/** Whether days begin and end in each user's time zone, where it is known. */
	hasTimeZone?: boolean;
	/** Whether rows are of days: the range begins and ends with whole days, so that no row is of a part of a day. */
	isWholeDays?: boolean;
	compareWith?: CompareWith;
}

/**
 * The range in the time zone of the node, or in each user's own. Days are named once, in the node's zone: the user's zone says where
 * they begin and end.
 *
 * @throws Problem for an invalid date, an end before the start, a range in the future, and an unknown zone of the node
 */
export function rangeOfUsers(options: RangeOptions, now: DateTime): RangeOf {
	const { range, dates = {}, timeZone } = options;
	if (!IANAZone.isValidZone(timeZone))
		throw new Problem(
			"'Time Zone' is not a known time zone",
			'Enter a name from the IANA list, e.g. Europe/Berlin or America/New_York',
		);
	const node = now.setZone(timeZone);
	const today = dateOf(node);
	const isOfDays = options.isWholeDays || !range.isExact;
	// A typed and an exact time are in another order elsewhere: an end may not be before its start in the zone of the node.
	const inNode = range.toSpan(node, dates);
	if (typeof inNode.end !== 'string' && inNode.end < inNode.start)
		throw new Problem(
			"'End Date' is before 'Start Date'",
			'Swap the two dates, or change one of them',
		);
	const rangeIn = memoized((zone: string) => {
		const here = now.setZone(zone);
		const span = range.isExact ? range.toSpan(here, dates) : inNode;
		const periods = isOfDays ? daysIn(span, here, today) : timesIn(span, here);
		return toReadRange(periods, here, options.compareWith);
	});
	if (!rangeIn(timeZone).query)
		throw new Problem(
			"'Start Date' is in the future",
			"Nothing is measured there yet. Choose an earlier 'Start Date'",
		);
	return ({ record = {} }) => {
		const zone = options.hasTimeZone && timeZoneOf(record);
		return rangeIn(zone && IANAZone.isValidZone(zone) ? zone : timeZone);
	};
}

/** @param here now */
function toReadRange(
	{ asked, earlier }: Periods,
	here: DateTime,
	compareWith?: CompareWith,
): ReadRange {
	const zone = here.zoneName!;
	const { start, end, from, to } = asked;
	const before = compareWith && earlier(compareWith);
	const timeOf = timeIn(zone);
	const isAsked = (reading: Timed) => !before || !(timeOf(reading) < +start);
	const isBefore = (reading: Timed) => {
		const time = timeOf(reading);
		return time >= +before!.start && time <= +before!.end;
	};
	const localTimeOf = localTimeIn(zone);
	const query = queryOf(before?.start ?? start, end);
	const hasBegun = start <= DateTime.min(end, here);
	return {
		zone,
		localTimeOf,
		from,
		to,
		query: hasBegun ? query : undefined,
		isAsked,
		before: before && { ...before, has: isBefore },
	};
}

/** The time of a reading in ms, NaN without one. A date without a time begins with its day in the zone. */
const timeIn =
	(zone: string) =>
	({ local, time = NaN }: Timed) =>
		local?.length === DATE_LENGTH
			? +edgeOf(DateTime.fromISO(local, { zone: 'UTC' }), zone, 'first')
			: time;

/**
 * The query parameters of a range (contract section 4). Start and end may be the same instant. The end is the last microsecond of its
 * millisecond: the service has microseconds, Luxon has not.
 */
const queryOf = (start: DateTime, end: DateTime) => ({
	start_date: start.toISO()!,
	end_date: end.toISO()!.replace(/\.\d{3}/, '$&999'),
});
