/** Page of a grouped timeseries query, with a cursor that only fits the query it was made for. */
import { createHash } from 'node:crypto';
import { DateTime } from 'luxon';
import type { GroupedPage } from './schemas';
import type { Switches } from './switches';
import type { MetricName, Reading, World } from './world';

export interface TimeseriesQuery {
	start_date: string;
	end_date?: string;
	provider?: string;
	next_cursor?: string;
	cursor?: string;
}

/** An answer other than 200, with FastAPI's `detail`. */
export class RequestFailure extends Error {
	constructor(
		readonly status: number,
		readonly detail: unknown,
	) {
		super('refused');
	}
}

export function readPage(
	world: World,
	userId: string,
	metric: MetricName,
	query: TimeseriesQuery,
	{ pageSize, now, emptyPages, repeatCursor, overlap }: Switches,
): GroupedPage {
	const clock = now();
	const from = instant(query.start_date, 'start_date');
	const to = query.end_date ? instant(query.end_date, 'end_date') : clock;
	if (to < from) throw refuse('end_date', 'end_date must not be before start_date', query.end_date);

	const fingerprint = createHash('sha256')
		.update([userId, metric, query.start_date, query.end_date, query.provider].join('|'))
		.digest('base64')
		.slice(0, 16);
	// The cursor keeps the end of an open range. Otherwise a reading that arrives between two pages would shift the pages after it.
	const place = readCursor(query.next_cursor ?? query.cursor, fingerprint) ?? { page: 0, clock };
	const readings = world
		.readings(userId, metric, from, Math.min(to, query.end_date ? to : place.clock))
		.filter(({ arrived, source }) => arrived <= place.clock && (!query.provider || source.provider === query.provider));

	const isEmpty = emptyPages && place.page % 2 === 1;
	const step = emptyPages ? Math.ceil(place.page / 2) : place.page;
	const start = step * pageSize;
	const shown = isEmpty ? [] : readings.slice(overlap ? Math.max(0, start - 1) : start, start + pageSize);
	const end = isEmpty ? start : start + pageSize;

	const next = repeatCursor && place.page === 1 ? 1 : place.page + 1;
	const hasMore = end < readings.length;
	return { groups: group(shown), next_cursor: hasMore ? writeCursor({ ...place, page: next }, fingerprint) : null };
}

/** The contract's map: provider slug → one group per source. */
export function group(readings: Reading[]): GroupedPage['groups'] {
	const groups: GroupedPage['groups'] = {};
	for (const { source, point } of readings) {
		const list = (groups[source.provider] ??= []);
		let found = list.find((one) => one.source.type === source.type);
		if (!found) list.push((found = { data: [], source }));
		found.data.push(point);
	}
	return groups;
}

/** Date or date-time, without a zone taken as UTC; dates alone begin at 00:00:00 and end at 23:59:59 (contract 4.1). */
function instant(text: string, parameter: 'start_date' | 'end_date'): number {
	// A "+" that was not percent-encoded arrives as a space.
	const time = DateTime.fromISO(text, { zone: 'utc' });
	if (!time.isValid) throw refuse(parameter, 'Input should be a valid date or datetime', text);
	const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
	return isDay && parameter === 'end_date'
		? time.set({ hour: 23, minute: 59, second: 59 }).toMillis()
		: time.toMillis();
}

const refuse = (parameter: string, msg: string, input: unknown) =>
	new RequestFailure(422, [{ type: 'value_error', loc: ['query', parameter], msg, input }]);

/** Standard base64 on purpose: its `+`, `/` and `=` must survive the client's query string. */
const writeCursor = (place: { page: number; clock: number }, fingerprint: string) =>
	Buffer.from(JSON.stringify({ ...place, fingerprint, '>>>': '???' })).toString('base64');

function readCursor(cursor: string | undefined, fingerprint: string) {
	if (!cursor) return undefined;
	try {
		const place = JSON.parse(Buffer.from(cursor, 'base64').toString()) as {
			page: number;
			clock: number;
			fingerprint: string;
		};
		if (place.fingerprint === fingerprint) return { page: place.page, clock: place.clock };
	} catch {
		// Falls through: an unreadable cursor does not fit either.
	}
	throw refuse('next_cursor', 'Cursor does not belong to this query', undefined);
}
