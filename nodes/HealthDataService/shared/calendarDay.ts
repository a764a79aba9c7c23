/**
 * When a calendar day begins and ends in a time zone, whatever the clocks do on it, and which day an instant has there.
 * (Luxon's `startOf` and `endOf` count hours from a midnight; some days have two of them, some none.)
 */
import { IANAZone } from 'luxon';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** No zone was ever further from UTC. */
const FURTHEST_MS = 16 * HOUR_MS;

/** No clocks were ever changed there and back in a shorter time. */
const STEP_MS = 8 * HOUR_MS;

/** Of the part of an ISO text that follows the day. */
const TIME_LENGTH = 'T00:00:00.000Z'.length;

/** In ms since 1970. */
export interface CalendarDay {
	first: number;
	last: number;
}

/**
 * `day` as YYYY-MM-DD, `zone` by its IANA name. Where clocks go back over midnight an hour of the one day lies within the
 * other, and both have it. Undefined for a day that the zone left out, as Samoa did 30 December 2011.
 */
export function calendarDay(day: string, zone: string): CalendarDay | undefined {
	const midnight = Date.parse(`${day}T00:00Z`);
	const parts = stretches(zone, midnight - FURTHEST_MS, midnight + DAY_MS + FURTHEST_MS)
		.map(({ from, to, offset }) => ({
			first: Math.max(from, midnight - offset),
			last: Math.min(to, midnight + DAY_MS - offset) - 1,
		}))
		.filter(({ first, last }) => first <= last);
	return parts.length > 0 ? { first: parts[0].first, last: parts[parts.length - 1].last } : undefined;
}

/**
 * The day of an instant (ms) as YYYY-MM-DD; undefined for one beyond what JavaScript counts. Offsets are kept, so that a
 * hundred thousand instants take no more than the steps in which they lie.
 */
export function dayIn(zone: string): (time: number) => string | undefined {
	const offsetAt = offsetIn(zone);
	const steps = new Map<number, number | undefined>();
	const ofStep = (step: number) => {
		const [begin, end] = [offsetAt(step * STEP_MS), offsetAt((step + 1) * STEP_MS)];
		return begin === end ? begin : undefined;
	};
	return (time) => {
		const step = Math.floor(time / STEP_MS);
		if (!steps.has(step)) steps.set(step, ofStep(step));
		const here = new Date(time + (steps.get(step) ?? offsetAt(time)));
		return Number.isNaN(+here) ? undefined : here.toISOString().slice(0, -TIME_LENGTH);
	};
}

/** How far ahead of UTC the clocks are at an instant, in ms. */
function offsetIn(zone: string) {
	const here = IANAZone.create(zone);
	return (time: number) => Math.round(here.offset(time) * MINUTE_MS);
}

/** A time in which the clocks run without a change, so far ahead of UTC. */
interface Stretch {
	from: number;
	to: number;
	offset: number;
}

function stretches(zone: string, from: number, to: number): Stretch[] {
	const offsetAt = offsetIn(zone);
	const found: Stretch[] = [{ from, to, offset: offsetAt(from) }];
	for (let time = from; time < to; time += STEP_MS) {
		const current = found[found.length - 1];
		const offset = offsetAt(time + STEP_MS);
		if (offset === current.offset) continue;
		const change = firstWith((at) => offsetAt(at) === offset, time, time + STEP_MS);
		current.to = change;
		found.push({ from: change, to, offset });
	}
	return found;
}

/** The first time that `is` so, which it is not at `before` but is at `after`. */
function firstWith(is: (time: number) => boolean, before: number, after: number): number {
	while (after - before > 1) {
		const between = Math.floor((before + after) / 2);
		if (is(between)) after = between;
		else before = between;
	}
	return after;
}
