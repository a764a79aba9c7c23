/** Calendar: the instants that the values of date fields mean, and the edges of days, whatever the clocks of the zone do. */
import { DateTime } from 'luxon';
import { isoParts } from '../../shared/dateTime';
import { unusable } from '../../shared/values';

/** The start and the end of a range. */
type Edge = 'first' | 'last';

const LABELS: Record<Edge, string> = { first: 'Start Date', last: 'End Date' };

/** The calendar day that `here` shows: its midnight in UTC, where days are alike. */
export const dateOf = (here: DateTime): DateTime =>
	here.setZone('UTC', { keepLocalTime: true }).startOf('day');

/**
 * First or last instant, in `zone`, of the day that `here` shows. Where the zone left the day out, the next day begins and the day
 * before ends there.
 */
export function edgeOf(here: DateTime, zone: string, edge: Edge): DateTime {
	const next = dateOf(here).plus({ days: edge === 'first' ? 0 : 1 });
	// Without a midnight, Luxon takes the first instant after it.
	const first = atEdge(next.setZone(zone, { keepLocalTime: true }), 'first');
	return edge === 'first' ? first : first.minus(1);
}

/** Where clocks go back, a local time comes twice: the range has both. Luxon would pick one by today's offset. */
const atEdge = (local: DateTime, edge: Edge) =>
	local.getPossibleOffsets().at(edge === 'first' ? 0 : -1)!;

/**
 * First or last instant of the calendar day of a value. A bare date, a time without an offset and a midnight mean the day as written:
 * the pickers of older editors and `$today` give these. Any other instant, such as a reading's `timestamp` or `$now`, means its day in
 * `zone`. A Date or DateTime means the same as its ISO text, which n8n passes between nodes: `new Date('2026-01-31')` is that day.
 */
export function toDay(value: unknown, zone: string, edge: Edge): DateTime {
	const { written, offset } = parse(value, zone, edge);
	const isMidnight = +written === +written.startOf('day');
	const here = offset && !isMidnight ? written.setZone(zone) : written;
	return edgeOf(here, zone, edge);
}

/** An instant. A date without a time is the first instant of the day, or the last for the end of the range (contract 4.2). */
export function toTime(value: unknown, zone: string, edge: Edge): DateTime {
	const { written, clock, offset } = parse(value, zone, edge);
	if (!clock) return edgeOf(written, zone, edge);
	if (offset) return written.setZone(zone);
	return atEdge(written.setZone(zone, { keepLocalTime: true }), edge);
}

/** `written`: with the offset of the value, or as if in UTC. */
function parse(value: unknown, zone: string, edge: Edge) {
	const field = LABELS[edge];
	const { iso, clock, offset } = isoParts(toText(value));
	const written = DateTime.fromISO(iso, { zone: 'UTC', setZone: true });
	if (written.isValid) return { written, clock, offset };
	throw unusable(field, 'a date', value, dateAdvice(zone));
}

/** Names today's date, which an AI agent needs to correct "yesterday". */
function dateAdvice(zone: string) {
	const today = DateTime.now().setZone(zone).toISODate();
	return `Enter a date such as ${today} (today), a date and time such as ${today}T14:30, or an expression that gives one, e.g. {{ $now.minus({ days: 3 }) }}`;
}

/** Accepts text, a JS Date and a Luxon DateTime, which have the same method: n8n may use another copy of Luxon. */
function toText(value: unknown) {
	const { toJSON } = Object(value) as { toJSON?: () => unknown };
	const iso = typeof toJSON === 'function' ? toJSON.call(value) : value;
	return typeof iso === 'string' ? iso : '';
}
