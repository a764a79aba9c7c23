/** Cursor pagination of one user's readings, with a guard against repeated cursors and endless pages. */
import type { IDataObject } from 'n8n-workflow';
import type { Get, Query } from '../../http/client';
import { Problem } from '../../shared/problem';

/** Far more than a person's readings need: reached only if the service never ends. */
const MAX_PAGES_OF_USER = 10_000;

/**
 * Pages of one user's readings (contract 4.1, 4.2), in order. Only a missing cursor ends them, because pages may be empty (quirk 2).
 * Each request repeats the whole query; without one, there are no pages. `onMissing` is called on a 404 for the user; if it does not throw, the pages end. `beforeNext` is awaited before each further page.
 *
 * @throws Problem for a repeated cursor (quirk 3), one that is not text, and too many pages
 */
export async function* readingPages(
	get: Get,
	path: string,
	query: Query | undefined,
	onMissing: () => Promise<void>,
	beforeNext: () => Promise<void> = async () => {},
): AsyncGenerator<IDataObject> {
	if (!query) return;
	const seen = new Set<string>();
	let cursor: string | undefined;

	while (seen.size < MAX_PAGES_OF_USER) {
		const page = await get(path, { ...query, next_cursor: cursor }, onMissing);
		if (!page) return;
		yield page;

		cursor = nextCursor(page);
		if (cursor === undefined) return;
		if (seen.has(cursor))
			throw new Problem(
				'The service sent the same cursor twice, so the rest of the data cannot be read',
				'Nothing was returned, because it would be incomplete. Try again, or choose a shorter date range',
			);
		seen.add(cursor);
		await beforeNext();
	}
	throw new Problem(
		`There are more than ${MAX_PAGES_OF_USER.toLocaleString('en')} pages of readings for one user`,
		'Nothing was returned, because it would be incomplete. Choose a shorter date range; if it stays, ask the people who run the service',
	);
}

/** `next_cursor`, or the deprecated `next` if that is null, absent or empty (quirk 1). */
function nextCursor({ next_cursor, next }: IDataObject) {
	const cursor = next_cursor || next || undefined;
	if (cursor === undefined || typeof cursor === 'string') return cursor;
	throw new Problem(
		'The cursor of the next page is not text, so the rest of the data cannot be read',
		'Nothing was returned, because it would be incomplete. Ask the people who run the service',
	);
}
