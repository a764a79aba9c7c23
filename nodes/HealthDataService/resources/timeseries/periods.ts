/** Periods: the first and the last instant of a span of days or times in a zone, and of the period that it is compared with. */
import { DateTime } from 'luxon';
import type { CompareWith } from '../../service/readings/summary';
import { dateOf, edgeOf } from './calendar';

/** An open end, up to today: now, or the end of today or tomorrow. */
type OpenEnd = 'now' | 'today' | 'tomorrow';

/** Instants or, for whole days, times that show the first and the last day. */
export interface Span {
	start: DateTime;
	end: DateTime | OpenEnd;
}

/** The first and the last instant, and what a row shows of them. */
export interface Period {
	start: DateTime;
	end: DateTime;
	from: string;
	to: string;
}

export interface Periods {
	asked: Period;
	/** Ends at the same time of day where the one asked for is not over. */
	earlier: (by: CompareWith) => Period;
}

type EndOf = (last: DateTime, here: DateTime) => DateTime;

const endOfDay =
	(after: number): EndOf =>
	(last, here) =>
		edgeOf(last.plus({ days: after }), here.zoneName!, 'last');

const OPEN_ENDS: Record<OpenEnd, EndOf> = {
	now: (_, here) => here,
	today: endOfDay(0),
	// With the readings of clocks that are hours ahead, without those of a clock that is a year ahead.
	tomorrow: endOfDay(1),
};

/** Calendar days in the zone of `here`, which is now. @param today the date in the zone of the node */
export function daysIn(
	{ start, end }: Span,
	here: DateTime,
	today: DateTime,
): Periods {
	const zone = here.zoneName!;
	const first = dateOf(start);
	const isOpen = typeof end === 'string';
	// The reading of this morning in Tokyo counts in a run of last evening in Los Angeles.
	const last = isOpen ? DateTime.max(dateOf(here), today) : dateOf(end);
	const endOf = OPEN_ENDS[isOpen ? end : 'today'];
	const asked = {
		start: edgeOf(first, zone, 'first'),
		end: endOf(last, here),
		from: first.toISODate()!,
		to: last.toISODate()!,
	};
	const isOver = asked.end < here;
	const reached = isOver ? last : DateTime.max(first, dateOf(here));
	return {
		asked,
		earlier(by) {
			const days = by === 'day' ? 1 : last.diff(first, 'days').days + 1;
			const [from, to] = [first, reached].map((day) => day.minus({ days }));
			const end = isOver ? edgeOf(to, zone, 'last') : here.minus({ days });
			return {
				start: edgeOf(from, zone, 'first'),
				end,
				from: from.toISODate()!,
				to: to.toISODate()!,
			};
		},
	};
}

const shown = (time: DateTime) => time.toFormat('yyyy-MM-dd HH:mm:ss');

/** Exact times. `here` is now. */
export function timesIn({ start, end }: Span, here: DateTime): Periods {
	const isOpen = typeof end === 'string';
	const to = isOpen ? DateTime.max(start, here) : end;
	const asked = {
		start,
		end: isOpen ? OPEN_ENDS[end](dateOf(here), here) : end,
		from: shown(start),
		to: shown(to),
	};
	const reached = DateTime.max(start, DateTime.min(to, here));
	return {
		asked,
		earlier(by) {
			const isDay = by === 'day';
			// The last millisecond of a day counts as its end.
			const seconds = Math.ceil(reached.diff(start).as('seconds'));
			const from = start.minus(isDay ? { days: 1 } : { seconds });
			const until = isDay ? reached.minus({ days: 1 }) : start;
			return {
				start: from,
				// The instant between two periods is of the later one.
				end: isDay ? until : until.minus(1),
				from: shown(from),
				to: shown(until),
			};
		},
	};
}
