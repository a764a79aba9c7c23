/**
 * Calendar days in a time zone: the first and last instant of a day, the day of an instant, whatever the clocks do on it, and
 * the text of dates and times.
 */
import { DateTime, IANAZone } from 'luxon';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** JavaScript's dates end here (ms from 1970). */
const MAX_DATE_MS = 100_000_000 * DAY_MS;

/** No zone ever changed its clocks twice within this time. */
const STEP_MS = 8 * HOUR_MS;

/**
 * Instants around Luxon's `startOf` and `endOf` that are tried too: on a day with two midnights or none, Luxon is off by the
 * change of the clocks.
 */
const AROUND_MS = [-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3].map((hours) => hours * HOUR_MS);

/** Characters of a time: with microseconds, an offset and the longest name of a time zone it has fewer. */
const MAX_LENGTH = 100;

/**
 * Text of a date, or of a date and time, in the form of ISO 8601 that Luxon reads; empty for other text. `t`, `z`, a blank in place of
 * `T` and one before the offset are common. Luxon also accepts "2026", "14:30" and "2026-W05", which are more likely other values.
 */
export function isoText(text: string): string {
	const trimmed = text.length > MAX_LENGTH ? '' : text.trim();
	const [day] = /^\d{4}-?\d{2}-?\d{2}(?=[Tt]|$)|^\d{4}-\d{2}-\d{2}(?= )/.exec(
		trimmed,
	) ?? [''];
	const time = trimmed.slice(day.length + 1).trimStart();
	if (!day || !time) return day;
	// The offset counts (RFC 9557), not the zone in brackets: Luxon would read the time in that zone.
	const [clock] = time.split('[');
	const [offset] = /(z|[+-][\d:]+)$/i.exec(clock) ?? [];
	return `${day}T${offset ? clock.slice(0, -offset.length).trimEnd() + offset : time}`;
}

/** In ms since 1970. */
export interface CalendarDay {
	first: number;
	last: number;
}

/**
 * `day` as YYYY-MM-DD, `zone` by its IANA name. Where clocks go back over midnight, an hour of one day lies within the other, and
 * both days include it. Undefined for a day that the zone left out, such as 30 December 2011 in Samoa.
 */
export function calendarDay(day: string, zone: string): CalendarDay | undefined {
	const here = DateTime.fromISO(day, { zone });
	const around = (time: DateTime) => AROUND_MS.map((ms) => +time + ms);
	const dayOf = dayIn(zone);
	const isWithin = (ms: number) => dayOf(ms) === day;
	const first = around(here.startOf('day')).find(isWithin);
	const last = around(here.endOf('day')).reverse().find(isWithin);
	return first === undefined || last === undefined ? undefined : { first, last };
}

/** The day of an instant (ms) as YYYY-MM-DD; undefined beyond the range of JavaScript's dates. */
export function dayIn(zone: string): (time: number) => string | undefined {
	const clockOf = clockIn(zone);
	return (time) => {
		const local = clockOf(time);
		return local && dayOfClock(local);
	};
}

/** The day of a local time that `clockIn` gave. */
export function dayOfClock(local: string): string {
	const end = local.indexOf(' ');
	return end < 0 ? local : local.slice(0, end);
}

/**
 * The local time of an instant (ms) as YYYY-MM-DD HH:MM:SS; undefined beyond the range of JavaScript's dates. Offsets and dates are
 * kept: for 100,000 instants, the zone is asked only once a step.
 */
export function clockIn(zone: string): (time: number) => string | undefined {
	const here = IANAZone.create(zone);
	const offsetAt = (time: number) => Math.round(here.offset(time) * MINUTE_MS);
	/** NaN for a step in which the clocks change. */
	const offsetOfStep = memoized((step) => {
		const start = offsetAt(step * STEP_MS);
		const end = offsetAt((step + 1) * STEP_MS);
		return start === end ? start : NaN;
	});
	const dateOfDay = memoized(dateOf);
	return (time) => {
		const offset = offsetOfStep(Math.floor(time / STEP_MS));
		const local = time + (Number.isNaN(offset) ? offsetAt(time) : offset);
		const isDate = Math.abs(local) <= MAX_DATE_MS;
		if (!isDate) return undefined;
		const day = Math.floor(local / DAY_MS);
		const second = Math.floor((local - day * DAY_MS) / 1000);
		return `${dateOfDay(day)} ${timeOfDay(second)}`;
	};
}

function memoized<T>(make: (key: number) => T): (key: number) => T {
	const known = new Map<number, T>();
	return (key) => {
		let value = known.get(key);
		if (value === undefined) {
			value = make(key);
			known.set(key, value);
		}
		return value;
	};
}

/** YYYY-MM-DD of a day, counted from 1970. */
function dateOf(day: number): string {
	const [date] = new Date(day * DAY_MS).toISOString().split('T', 1);
	return date;
}

function timeOfDay(second: number): string {
	const hours = Math.floor(second / 3600);
	const minutes = Math.floor(second / 60) % 60;
	return `${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[second % 60]}`;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) =>
	String(number).padStart(2, '0'),
);
