/**
 * Date Range, Start Date and End Date: the fields, the ranges that they choose, and the query
 * parameters and periods of each range, in the time zone of the node or of each user.
 */
import type { INodeProperties } from 'n8n-workflow';
import { DateTime, IANAZone } from 'luxon';
import { shownIf } from '../../fields/field';
import { localTimeIn } from '../../service/readings/identity';
import type { RangeOf, ReadRange } from '../../service/readings/range';
import { timeZoneOf } from '../../service/users/users';
import { dayOfClock } from '../../shared/calendarDay';
import { Problem } from '../../shared/problem';
import { isBlank } from '../../shared/values';
import {
	addDays,
	between,
	dayBefore,
	dayOf,
	daysBetween,
	edgeOf,
	toDay,
	toTime,
	wholeDays,
	type Edge,
} from './calendar';

/** Values of the fields: text, a JS Date or a Luxon DateTime. */
export interface TypedDates {
	startDate?: unknown;
	/** An empty text leaves the end open. */
	endDate?: unknown;
}

/** From and to. `untilNow`: to now, not to the end of the last day. */
interface Span<T> {
	first: T;
	last?: T;
	untilNow?: boolean;
}

/** Calendar days, or exact times. */
type DaySpan = Span<string>;
type TimeSpan = Span<DateTime>;

export interface Range {
	name: string;
	/** Saved in workflows: never changes. */
	value: string;
	description?: string;
	/** Settings of Start Date and End Date; without them, these are hidden. */
	dates?: { word: string; dateOnly?: boolean };
	/** `here` is now, in the zone of the days. */
	toSpan: (here: DateTime, dates: TypedDates) => DaySpan | TimeSpan;
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

/**
 * Start Date and End Date. A text that is empty leaves the end open; null or undefined of an
 * expression is an error instead.
 */
const typed =
	<T extends string | DateTime>(
		toEdge: (value: unknown, zone: string, edge: Edge) => T,
	) =>
	(here: DateTime, { startDate, endDate }: TypedDates): Span<T> => {
		const zone = here.zoneName!;
		const first = toEdge(startDate, zone, 'first');
		const isOpen = typeof endDate === 'string' && isBlank(endDate);
		if (isOpen) return { first };
		const last = toEdge(endDate, zone, 'last');
		if (last < first)
			throw new Problem(
				"'End Date' is before 'Start Date'",
				'Swap the two dates, or change one of them',
			);
		return { first, last };
	};

const oneDay = (day: string): DaySpan => ({ first: day, last: day });

const DEFAULT_RANGE = 'last7Days';

export const RANGES: Range[] = [
	{
		name: 'Last 24 Hours',
		value: 'last24Hours',
		toSpan: (here) => ({ first: here.minus({ hours: 24 }), last: here, untilNow: true }),
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
		toSpan: typed(toDay),
	},
	{
		name: 'Between Times',
		value: 'times',
		description: 'From one exact time to another',
		dates: { word: 'time' },
		toSpan: typed(toTime),
	},
];

export const dateRangeField: INodeProperties = {
	displayName: 'Date Range',
	name: 'dateRange',
	type: 'options',
	default: DEFAULT_RANGE,
	description:
		"When the readings were taken. Days are those of the workflow's time zone, and today is one of the last 7 days. One Item per Day takes whole days. Where nothing was measured, only Summary per User has an item.",
	options: RANGES.map(({ name, value, description }) => ({ name, value, description })),
};

/** Not `required`: if "Date Range" is an expression, n8n shows both fields and refuses to start while one is empty. */
function dateFields({ value, dates }: Range): INodeProperties[] {
	if (!dates) return [];
	const { word, ...typeOptions } = dates;
	const common = { type: 'dateTime' as const, typeOptions, default: '' };
	return shownIf({ dateRange: [value] }, [
		{
			displayName: 'Start Date',
			name: 'startDate',
			description: `The first ${word} to include`,
			...common,
		},
		{
			displayName: 'End Date',
			name: 'endDate',
			description: `The last ${word} to include. Leave empty for everything up to now.`,
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
	/** Whether days are those of each user's time zone, where it is known. */
	hasTimeZone?: boolean;
	/** Whether rows are of days: the range begins and ends with whole days, so that no row is of a part of a day. */
	isWholeDays?: boolean;
	/** *Compare With Previous Period*: the range before it is read too. */
	comparesPrevious?: boolean;
}

/**
 * The range in the time zone of the node, or in each user's own. An empty end stays open.
 *
 * @throws Problem for an invalid date, an end before the start, an open range in the future, and an unknown zone of the node
 */
export function rangeOfUsers(options: RangeOptions, now: DateTime): RangeOf {
	const { range, dates = {}, timeZone, hasTimeZone } = options;
	const rangeIn = (zone: string) => {
		const here = now.setZone(zone);
		return toReadRange(range.toSpan(here, dates), here, options);
	};
	if (!IANAZone.isValidZone(timeZone))
		throw new Problem(
			"'Time Zone' is not a known time zone",
			'Enter a name from the IANA list, e.g. Europe/Berlin or America/New_York',
		);
	const ofNode = rangeIn(timeZone);
	if (!ofNode.hasBegun)
		throw new Problem(
			"'Start Date' is in the future",
			"Nothing is measured there yet. Choose an earlier 'Start Date'",
		);
	if (!hasTimeZone) return () => ofNode;
	const ranges = new Map<string | undefined, ReadRange>();
	return ({ record }) => {
		const zone = record && timeZoneOf(record);
		const known =
			ranges.get(zone) ?? (IANAZone.isValidZone(zone!) ? rangeIn(zone!) : ofNode);
		ranges.set(zone, known);
		return known;
	};
}

function toReadRange(
	span: DaySpan | TimeSpan,
	here: DateTime,
	{ isWholeDays = false, comparesPrevious = false }: RangeOptions,
): ReadRange {
	if (isOfDays(span)) return rangeOfDays(span, here, comparesPrevious);
	return isWholeDays
		? rangeOfDays(daysOf(span), here, comparesPrevious)
		: rangeOfTimes(span, here, comparesPrevious);
}

const isOfDays = (span: DaySpan | TimeSpan): span is DaySpan =>
	typeof span.first === 'string';

const daysOf = ({ first, last, untilNow }: TimeSpan): DaySpan => ({
	first: dayOf(first),
	last: last && dayOf(last),
	untilNow,
});

/** The period before has as many calendar days. An open end is today. */
function rangeOfDays(
	{ first, last, untilNow }: DaySpan,
	here: DateTime,
	comparesPrevious: boolean,
): ReadRange {
	const zone = here.zoneName!;
	const { start, end } = wholeDays(zone, first, last);
	const today = dayOf(here);
	const to = last ?? (today > first ? today : first);
	const earliest = comparesPrevious ? addDays(first, -1 - daysBetween(first, to)) : first;
	return {
		zone,
		localTimeOf: localTimeIn(zone),
		from: first,
		to,
		query: between(edgeOf(earliest, zone, 'first'), untilNow ? here : end),
		hasBegun: end !== undefined || start <= here,
		periodOf({ local }) {
			if (local === null) return 'current';
			const day = dayOfClock(local);
			// Where clocks go back over midnight, an hour of one day lies within another.
			if (day < earliest || day > (last ?? day)) return undefined;
			return day < first ? 'before' : 'current';
		},
	};
}

/** The period before is as long. An open end is now. */
function rangeOfTimes(
	{ first: start, last: end }: TimeSpan,
	here: DateTime,
	comparesPrevious: boolean,
): ReadRange {
	const zone = here.zoneName!;
	const lengthMs = comparesPrevious ? +(end ?? here) - +start : 0;
	return {
		zone,
		localTimeOf: localTimeIn(zone),
		from: localText(start),
		to: localText(end ?? DateTime.max(start, here)),
		query: between(start.minus(lengthMs), end),
		hasBegun: end !== undefined || start <= here,
		periodOf({ time = Infinity }) {
			return comparesPrevious && time < +start ? 'before' : 'current';
		},
	};
}

const localText = (time: DateTime) => time.toFormat('yyyy-MM-dd HH:mm:ss');
