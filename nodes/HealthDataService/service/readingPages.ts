/**
 * When the pages of a grouped timeseries query end: a loop over `get` that knows the service, not n8n.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get, RequestOptions, Query } from '../http/client';
import { Problem } from '../shared/problem';

/** No person has so many readings: a service that goes on giving pages, empty ones even, never ends. */
const MAX_PAGES = 10_000;

const tooManyPages = () =>
	new Problem(
		`There are more than ${MAX_PAGES.toLocaleString('en')} pages of readings for one user`,
		'Nothing was returned, because it would be incomplete. Choose a shorter date range; if it stays, ask the people who run the service',
	);

/**
 * Pages of one user's readings (contract 4.1, 4.2), in order. Only a missing cursor ends it: pages may be empty (quirk 2).
 * Every page repeats the whole query. A cursor that comes back a second time is an error, not an endless loop (quirk 3).
 * `onMissing` is asked when the service does not know the user: if it does not throw, there is no further page.
 */
export async function* readingPages(
	get: Get,
	path: string,
	query: Query,
	onMissing: () => Promise<void>,
	once?: RequestOptions,
): AsyncGenerator<IDataObject> {
	const seen = new Set<string>();
	let cursor: string | undefined;

	for (;;) {
		if (seen.size >= MAX_PAGES) throw tooManyPages();
		const page = await get(path, { ...query, next_cursor: cursor }, onMissing, once);
		if (!page) return;
		yield page;

		cursor = nextCursor(page);
		if (cursor === undefined) return;
		if (seen.has(cursor)) {
			throw new Problem(
				'The service sent the same page mark twice, so the rest of the data cannot be read',
				'Nothing was returned, because it would be incomplete. Try again, or choose a shorter date range',
			);
		}
		seen.add(cursor);
	}
}

/** The contract's `next_cursor`, or its deprecated twin `next` where that is null, absent or empty (quirk 1). */
function nextCursor({ next_cursor, next }: IDataObject): string | undefined {
	const cursor = [next_cursor, next].find((mark) => mark !== undefined && mark !== null && mark !== '');
	if (cursor === undefined || typeof cursor === 'string') return cursor;
	throw new Problem(
		'The mark of the next page is not text, so the rest of the data cannot be read',
		'Nothing was returned, because it would be incomplete. Ask the people who run the service',
	);
}
