/**
 * What a day is, and which instants are sent for it as the contract's `start_date` and `end_date`. They always carry an
 * offset, so that the service never has to guess a time zone.
 */
import { DateTime, IANAZone } from 'luxon';
import { Problem } from '../../shared/problem';
import { isBlank } from '../../shared/values';

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

export const wholeDays = (first: DateTime, last?: DateTime) => between(first.startOf('day'), last?.endOf('day'));

/** @throws Problem for an end before the start */
export function between(start: DateTime, end?: DateTime): DateRange {
	if (end && end < start) {
		throw new Problem("'End Date' is before 'Start Date'", 'Swap the two dates, or change one of them');
	}
	return { start_date: start.toISO()!, ...(end && { end_date: lastMicrosecond(end) }) };
}

/** The service's times have microseconds, Luxon's end with milliseconds: reach to the end of that millisecond. */
const lastMicrosecond = (end: DateTime) => end.toISO()!.replace(/(\.\d{3})(?=Z|[+-])/, '$1999');

/**
 * Only the calendar day of what was given counts: older editors have no date-only picker and hand over a midnight.
 * Text and Luxon dates name their own day; a JS Date is an instant, whose day is that of `zone`.
 */
export function toDay(value: unknown, zone: string, field: string): DateTime {
	const day = parse(value, zone, field, { setZone: true }).toISODate()!;
	return DateTime.fromISO(day, { zone });
}

/** A date without a time ends with its last instant when it is the end of the range (contract 4.2). */
export function toTime(value: unknown, zone: string, field: string): DateTime {
	const time = parse(value, zone, field).setZone(zone);
	const isDateOnly = typeof value === 'string' && /^\d{4}-?\d{2}-?\d{2}$/.test(value.trim());
	return isDateOnly && field === 'End Date' ? time.endOf('day') : time;
}

/** Text without an offset is read in `zone`; with `setZone`, text keeps the offset it names. */
function parse(value: unknown, zone: string, field: string, options = {}): DateTime {
	if (isBlank(value)) {
		throw new Problem(`'${field}' is empty`, 'Pick a date, or choose another Date Range');
	}
	const date =
		value instanceof Date
			? DateTime.fromJSDate(value, { zone })
			: DateTime.fromISO(toText(value), { zone, ...options });
	if (!date.isValid) {
		// An agent that said "yesterday" needs today's date to do better.
		const today = DateTime.now().setZone(zone).toISODate();
		throw new Problem(
			`'${field}' is not a date`,
			`Enter a date such as ${today} (today), a date and time such as ${today}T14:30, or an expression that gives one, e.g. {{ $now.minus({ days: 3 }) }}`,
		);
	}
	return date;
}

/** ISO text of a Luxon DateTime (n8n's may be another copy of Luxon, so it is known by its method) or of typed text. */
function toText(value: unknown): string {
	const { toISO } = value as { toISO?: () => string | null };
	if (typeof toISO === 'function') return toISO.call(value) ?? '';
	// Luxon also reads "2026", "14:30" or "2026-W05" as dates: too easily something else that was mapped by mistake.
	const text = typeof value === 'string' ? value.trim().replace(/^(\d{4}-\d{2}-\d{2}) +/, '$1T') : '';
	return /^\d{4}-?\d{2}-?\d{2}(T|$)/.test(text) ? text : '';
}
