/** Text of dates and times: the parts of ISO 8601, instants, and their local time. */
import { DateTime, IANAZone } from 'luxon';
import { memoized, text, withoutTrailing } from './values';

/** YYYY-MM-DD */
export const DATE_LENGTH = 10;
/** YYYY-MM-DDTHH:MM:SS.sssZ */
const ISO_LENGTH = 24;

const MINUTE_MS = 60_000;

/** Clocks change at a quarter of an hour, in every zone. */
const STEP_MS = 15 * MINUTE_MS;

/** Date, time and offset. The zone in brackets (RFC 9557) does not count: Luxon would read the time in that zone. */
const ISO =
	/^(\d{4}-?\d{2}-?\d{2})(?:(?:t|\s+)([\d:]+(?:[.,](\d+))?)(?:\s*(z|[+-][\d:]+)(?:\[[^\]]*\])?)?)?$/i;

/**
 * The parts of a date, or of a date and time, and both in the form of ISO 8601 that Luxon reads; all empty for other text. `t`, `z`,
 * a blank in place of `T` and one before the offset are common. Luxon also accepts "2026", "14:30" and "2026-W05", which are more
 * likely other values.
 */
export function isoParts(text: string) {
	const [, date = '', clock = '', fraction = '', offset = ''] =
		ISO.exec(text.trim()) ?? [];
	const iso = clock ? `${date}T${clock}${offset}` : date;
	return { iso, clock, fraction, offset };
}

/** The usual times of the service: with an offset, `Z` or no zone, and up to microseconds (quirk 9). */
const USUAL =
	/^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})?$/;

/** Longer text is no time: a fraction of thousands of digits would hold up n8n. */
const MAX_TIME_LENGTH = 64;

/** The time of a reading. */
export interface Instant {
	/** ms since 1970, where no zone means UTC; undefined for a value that is no time. */
	millis?: number;
	/** The same text for the same instant in any notation; other values as text. */
	key: string;
	/** A date without a time (YYYY-MM-DD). */
	date?: string;
}

/** With Date.parse where it can be, because Luxon takes seconds for 100,000 readings. */
export function instantOf(value: unknown): Instant {
	const isShort = typeof value === 'string' && value.length <= MAX_TIME_LENGTH;
	if (!isShort) return { key: text(value) };
	const usual = USUAL.exec(value);
	if (!usual) return rareInstantOf(value);
	const [, date, fraction, offset] = usual;
	const millis = Date.parse(offset ? value : `${value}Z`);
	return toInstant(value, isDay(date) ? millis : NaN, fraction);
}

/** Date.parse takes 30 February for 2 March. */
function isDay(date: string) {
	if (date.slice(8) <= '28') return true;
	const millis = Date.parse(date);
	return !Number.isNaN(millis) && isoAt(millis).startsWith(date);
}

function toInstant(value: string, millis: number, fraction = ''): Instant {
	if (Number.isNaN(millis)) return { key: value };
	const digits = withoutTrailing(fraction.slice(3), '0');
	return { millis, key: `${millis}.${digits}` };
}

/** The other forms of ISO 8601, and a date without a time. */
function rareInstantOf(value: string): Instant {
	const { iso, clock, fraction } = isoParts(value);
	const parsed = DateTime.fromISO(iso, { zone: 'UTC' });
	const instant = toInstant(value, parsed.toMillis(), fraction);
	const date = parsed.toISODate();
	return clock || date === null ? instant : { ...instant, key: value, date };
}

/** The local time of a reading. */
export type LocalTimeOf = (instant: Instant) => string | null;

/**
 * YYYY-MM-DD HH:MM:SS in the zone; a date without a time is that date in every zone. Null without a time, and outside the years 0000 to
 * 9999. Offsets are kept: for 100,000 instants, Luxon takes seconds.
 */
export function localTimeIn(zone: string): LocalTimeOf {
	const here = IANAZone.create(zone);
	const offsetOfStep = memoized((step: number) =>
		Math.round(here.offset(step * STEP_MS) * MINUTE_MS),
	);
	return ({ millis, date }) => {
		if (millis === undefined) return null;
		if (date) return date;
		const offset = offsetOfStep(Math.floor(millis / STEP_MS));
		const iso = isoAt(millis + offset);
		// Other years have a sign and six digits.
		if (iso.length !== ISO_LENGTH) return null;
		return `${iso.slice(0, DATE_LENGTH)} ${iso.slice(11, 19)}`;
	};
}

const isoAt = (time: number) => new Date(time).toISOString();
