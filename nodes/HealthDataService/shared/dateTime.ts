/** Text of dates and times: the parts of ISO 8601, and the local time of an instant. */
import { IANAZone } from 'luxon';
import { memoized } from './values';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** No zone ever changed its clocks twice within this time. */
const STEP_MS = 8 * 60 * MINUTE_MS;

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

/**
 * The local time of an instant (ms) as YYYY-MM-DD HH:MM:SS. Offsets and texts are kept: for 100,000 instants, the zone is asked only
 * once a step.
 */
export function clockIn(zone: string): (time: number) => string {
	const here = IANAZone.create(zone);
	const offsetAt = (time: number) => Math.round(here.offset(time) * MINUTE_MS);
	/** NaN for a step in which the clocks change. */
	const offsetOfStep = memoized((step: number) => {
		const start = offsetAt(step * STEP_MS);
		return start === offsetAt((step + 1) * STEP_MS) ? start : NaN;
	});
	const dateOf = memoized((day: number) => isoAt(day * DAY_MS).slice(0, 10));
	const timeOf = memoized((second: number) => isoAt(second * 1000).slice(11, 19));
	return (time) => {
		const offset = offsetOfStep(Math.floor(time / STEP_MS));
		const local = time + (Number.isNaN(offset) ? offsetAt(time) : offset);
		const day = Math.floor(local / DAY_MS);
		return `${dateOf(day)} ${timeOf(Math.floor((local - day * DAY_MS) / 1000))}`;
	};
}

const isoAt = (time: number) => new Date(time).toISOString();
