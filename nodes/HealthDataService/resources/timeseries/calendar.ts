/**
 * What a date field means, and which instants are sent for it as the contract's `start_date` and `end_date`. They always
 * carry an offset, so that the service never has to guess a time zone.
 */
import { DateTime, IANAZone } from 'luxon';
import { Problem } from '../../shared/problem';
import { isBlank, unusable, whatCame } from '../../shared/values';
import { calendarDay, type CalendarDay } from '../../shared/calendarDay';

const DAY_LENGTH = 'YYYY-MM-DD'.length;

export interface DateRange {
	start_date: string;
	end_date?: string;
}

/** @throws Problem for what the IANA list does not name */
export function checkZone(zone: string) {
	if (IANAZone.isValidZone(zone)) return;
	throw new Problem(
		"'Time Zone' is not a known time zone",
		'Enter a name from the IANA list, e.g. Europe/Berlin or America/New_York',
	);
}

/** Whether an end was left empty. An expression that gives nothing is no such choice. */
export const isOpen = (end: unknown) => typeof end === 'string' && isBlank(end);

/**
 * Days as YYYY-MM-DD; without a last one the end stays open. A day that the zone left out is no part of the range, and no
 * range by itself.
 */
export function wholeDays(zone: string, firstDay: string, lastDay: string | undefined): DateRange {
	if (lastDay !== undefined && lastDay < firstDay) throw endBeforeStart();
	const { first } = nearestDay(firstDay, zone, 1);
	const last = lastDay === undefined ? undefined : nearestDay(lastDay, zone, -1).last;
	if (last !== undefined && last < first) {
		throw new Problem("'Start Date' is a day that this time zone left out", 'Choose the day before or after it');
	}
	return toRange(inZone(first, zone), last === undefined ? undefined : inZone(last, zone));
}

/** The day itself, or the next one that exists, forwards or backwards. */
function nearestDay(day: string, zone: string, step: 1 | -1): CalendarDay {
	return (
		calendarDay(day, zone) ??
		nearestDay(DateTime.fromISO(day, { zone: 'UTC' }).plus({ days: step }).toISODate()!, zone, step)
	);
}

/** The first and the last day of a range, which is written in the zone whose days count. */
export const daysOf = ({ start_date, end_date }: DateRange) => ({
	first: start_date.slice(0, DAY_LENGTH),
	last: end_date?.slice(0, DAY_LENGTH),
});

/** When the day of an instant began. */
export const firstInstant = (here: DateTime) =>
	inZone(nearestDay(here.toISODate()!, here.zoneName!, 1).first, here.zoneName!);

/** The calendar day that ended when this one began. */
export function dayBefore(here: DateTime): string {
	const { first } = nearestDay(here.toISODate()!, here.zoneName!, 1);
	return inZone(first - 1, here.zoneName!).toISODate()!;
}

/** @throws Problem for an end before the start; one at the same instant is a range */
export function between(start: DateTime, end?: DateTime): DateRange {
	if (end && end < start) throw endBeforeStart();
	return toRange(start, end);
}

const endBeforeStart = () =>
	new Problem("'End Date' is before 'Start Date'", 'Swap the two dates, or change one of them');

const toRange = (start: DateTime, end?: DateTime): DateRange => ({
	start_date: start.toISO()!,
	...(end && { end_date: lastMicrosecond(end) }),
});

/** The service's times have microseconds, Luxon's end with milliseconds: reach to the end of that millisecond. */
const lastMicrosecond = (end: DateTime) => end.toISO()!.replace(/(\.\d{3})(?=Z|[+-])/, '$1999');

const inZone = (millis: number, zone: string) => DateTime.fromMillis(millis, { zone });

/**
 * The calendar day that is meant, as YYYY-MM-DD. A bare date, a time without an offset and a midnight mean the day that is
 * written there: so do pickers of older editors, and `$today` whatever the zone. Any other instant, such as a reading's own
 * `timestamp` or `$now`, means the day that it has in `zone`. A Date or DateTime means what its ISO text does, which is what
 * n8n makes of it between nodes: a Date at midnight in UTC is that day, as `new Date('2026-01-31')` is.
 */
export function toDay(value: unknown, zone: string, field: string): string {
	const { date, hasOffset } = parse(value, zone, field, 'UTC');
	const isMidnight = +date === +date.startOf('day');
	return (hasOffset && !isMidnight ? date.setZone(zone) : date).toISODate()!;
}

/** An instant. A date without a time is its first one, or its last where it ends the range (contract 4.2). */
export function toTime(value: unknown, zone: string, field: string): DateTime {
	const { date, isDateOnly } = parse(value, zone, field, zone);
	if (!isDateOnly) return date.setZone(zone);
	const day = toDay(value, zone, field);
	const instant = field === 'End Date' ? nearestDay(day, zone, -1).last : nearestDay(day, zone, 1).first;
	return inZone(instant, zone);
}

const OFFSET = /T.*(Z|[+-]\d{2}(:?\d{2})?|\])$/i;

/** Text without an offset is read in `where`; what has one keeps it. */
function parse(value: unknown, zone: string, field: string, where: string) {
	if (field === 'Start Date' && isBlank(value)) {
		throw new Problem(`'${field}' is empty`, `Pick a date, or choose another Date Range${whatCame(value)}`);
	}
	const text = toIsoText(value);
	const date = DateTime.fromISO(text, { zone: where, setZone: true });
	if (!date.isValid) throw unusable(field, 'a date', value, dateAdvice(zone));
	return { date, hasOffset: OFFSET.test(text), isDateOnly: !text.includes('T') };
}

/** An agent that said "yesterday" needs today's date to do better. */
function dateAdvice(zone: string) {
	const today = DateTime.now().setZone(zone).toISODate();
	return `Enter a date such as ${today} (today), a date and time such as ${today}T14:30, or an expression that gives one, e.g. {{ $now.minus({ days: 3 }) }}`;
}

/** Of typed text, a JS Date or a Luxon DateTime (n8n's may be another copy of Luxon, so it is known by its method). */
function toIsoText(value: unknown): string {
	// In JSON an invalid one is null.
	if (value instanceof Date) return value.toJSON() ?? '';
	const { toISO } = (value ?? {}) as { toISO?: () => string | null };
	const iso = typeof toISO === 'function' ? toISO.call(value) : value;
	const text = typeof iso === 'string' ? iso.trim().replace(/^(\d{4}-\d{2}-\d{2}) +/, '$1T') : '';
	// Luxon also reads "2026", "14:30" or "2026-W05" as dates: too easily something else that was mapped by mistake.
	return /^\d{4}-?\d{2}-?\d{2}(T|$)/.test(text) ? text : '';
}
