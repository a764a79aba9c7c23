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
	for (;;) {
		const page = await get(path, { ...query, next_cursor: cursor }, onMissing);
		if (!page) return;
		yield page;

		// The deprecated `next` counts if `next_cursor` is null, absent or empty (quirk 1).
		const next = page.next_cursor || page.next;
		if (!next) return;
		const isTooMany = seen.size === MAX_PAGES_OF_USER;
		if (typeof next !== 'string' || seen.has(next) || isTooMany)
			throw noNextPage();
		seen.add(next);
		cursor = next;
		await beforeNext();
	}
}

const noNextPage = () =>
	new Problem(
		'The service sent the same cursor twice, or one that is not valid, so the rest of the data cannot be read',
		'Nothing was returned, because it would be incomplete. Try again, or choose a shorter date range; if it stays, ask the people who run the service',
	);
