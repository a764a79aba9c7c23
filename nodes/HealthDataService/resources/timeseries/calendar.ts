/**
 * Calendar: converts the values of date fields to `start_date` and `end_date` of the contract. Both always have an offset, because
 * the contract does not name the time zone of a time without one.
 */
import { DateTime } from 'luxon';
import type { ReadRange } from '../../service/readings/range';
import { calendarDay, isoText, type CalendarDay } from '../../shared/calendarDay';
import { Problem } from '../../shared/problem';
import { emptyField, isBlank, unusable } from '../../shared/values';

/** The start and the end of a range. */
export type Edge = keyof CalendarDay;

const LABELS: Record<Edge, string> = { first: 'Start Date', last: 'End Date' };

/**
 * First and last instant of days (YYYY-MM-DD). Without a last day, the end is open.
 *
 * @throws Problem for a range that is only a day that the zone skipped
 */
export function wholeDays(zone: string, first: string, last?: string) {
	const start = edgeOf(first, zone, 'first');
	const end = last === undefined ? undefined : edgeOf(last, zone, 'last');
	if (end && end < start)
		throw new Problem(
			"'Start Date' is a day that this time zone left out",
			'Choose the day before or after it',
		);
	return { start, end };
}

/** First or last instant of a day; if the zone skipped it, of the next day or the one before. */
export function edgeOf(day: string, zone: string, edge: Edge): DateTime {
	const next = addDays(day, edge === 'first' ? 1 : -1);
	const instants = calendarDay(day, zone) ?? calendarDay(next, zone)!;
	return DateTime.fromMillis(instants[edge], { zone });
}

/** The day of an instant in its zone. */
export const dayOf = (here: DateTime) => here.toISODate()!;

/** The day before the one of an instant. A day that the zone skipped is passed over. */
export const dayBefore = (here: DateTime) =>
	dayOf(edgeOf(dayOf(here), here.zoneName!, 'first').minus(1));

/** Calendar days, whatever the clocks do. */
export const addDays = (day: string, days: number) =>
	dayOf(calendarDate(day).plus({ days }));

export const daysBetween = (first: string, last: string) =>
	calendarDate(last).diff(calendarDate(first), 'days').days;

const calendarDate = (day: string) => DateTime.fromISO(day, { zone: 'UTC' });

/** The query parameters of a range (contract section 4). Start and end may be the same instant. */
export const between = (start: DateTime, end?: DateTime): ReadRange['query'] => ({
	start_date: start.toISO()!,
	...(end && { end_date: lastMicrosecond(end) }),
});

/** Extends the end to the last microsecond of its millisecond: the service has microseconds, Luxon has not. */
const lastMicrosecond = (end: DateTime) =>
	end.toISO()!.replace(/(\.\d{3})(?=Z|[+-])/, '$1999');

/**
 * The calendar day of a value, as YYYY-MM-DD. A bare date, a time without an offset and a midnight mean the day as written: the
 * pickers of older editors and `$today` give these. Any other instant, such as a reading's `timestamp` or `$now`, means its day in
 * `zone`. A Date or DateTime means the same as its ISO text, which n8n passes between nodes: `new Date('2026-01-31')` is that day.
 */
export function toDay(value: unknown, zone: string, edge: Edge): string {
	const { date, hasOffset, isEndOfDay } = parse(value, zone, edge, 'UTC');
	const isMidnight = +date === +date.startOf('day');
	const day = hasOffset && !isMidnight ? date.setZone(zone) : date;
	return day.minus({ days: edge === 'last' && isEndOfDay ? 1 : 0 }).toISODate()!;
}

/** An instant. A date without a time is the first instant of the day, or the last for the end of the range (contract 4.2). */
export function toTime(value: unknown, zone: string, edge: Edge): DateTime {
	const { date, hasOffset, isDateOnly } = parse(value, zone, edge, zone);
	if (!isDateOnly) return (hasOffset ? date : atEdge(date, edge)).setZone(zone);
	return edgeOf(toDay(value, zone, edge), zone, edge);
}

/** Where clocks go back, a local time comes twice: the range has both. Luxon would pick one by today's offset. */
function atEdge(local: DateTime, edge: Edge): DateTime {
	const instants = local.getPossibleOffsets();
	return edge === 'first' ? DateTime.min(...instants)! : DateTime.max(...instants)!;
}

const OFFSET = /^[\d-]+T.*(Z|[+-]\d{2}(:?\d{2})?|\])$/i;

/** @param where zone of text without an offset */
function parse(value: unknown, zone: string, edge: Edge, where: string) {
	const field = LABELS[edge];
	if (edge === 'first' && isBlank(value))
		throw emptyField(field, value, 'Pick a date, or choose another Date Range');
	const text = toIsoText(value);
	const date = DateTime.fromISO(text, { zone: where, setZone: true });
	if (!date.isValid) throw unusable(field, 'a date', value, dateAdvice(zone));
	return {
		date,
		hasOffset: OFFSET.test(text),
		isDateOnly: !text.includes('T'),
		isEndOfDay: text.includes('T24'),
	};
}

/** Names today's date, which an AI agent needs to correct "yesterday". */
function dateAdvice(zone: string) {
	const today = DateTime.now().setZone(zone).toISODate();
	return `Enter a date such as ${today} (today), a date and time such as ${today}T14:30, or an expression that gives one, e.g. {{ $now.minus({ days: 3 }) }}`;
}

/** Accepts text, a JS Date and a Luxon DateTime, which is recognized by its method: n8n may use another copy of Luxon. */
function toIsoText(value: unknown): string {
	// `toJSON` of an invalid date is null.
	if (value instanceof Date) return value.toJSON() ?? '';
	const { toISO } = (value ?? {}) as { toISO?: () => string | null };
	const iso = typeof toISO === 'function' ? toISO.call(value) : value;
	return typeof iso === 'string' ? isoText(iso) : '';
}
