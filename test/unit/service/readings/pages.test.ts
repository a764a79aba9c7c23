/** End of paging, over made-up pages: repeated cursors, cursors of another type, wrong totals. */
import type { IDataObject } from 'n8n-workflow';
import { readingPages } from '../../../../nodes/HealthDataService/service/readings/pages';
import type { Get, Query } from '../../../../nodes/HealthDataService/http/client';

/** A `get` that answers with these pages, one after the other, and remembers what it was asked. */
function pages(answers: IDataObject[]) {
	const queries: Query[] = [];
	const get = (async (_path: string, query: Query = {}) => {
		queries.push(query);
		return answers[queries.length - 1];
	}) as Get;
	return { get, queries };
}

async function all<T>(generator: AsyncGenerator<T>): Promise<T[]> {
	const found: T[] = [];
	for await (const one of generator) found.push(one);
	return found;
}

it.each([
	[{ next_cursor: 'a', next: 'x' }, 'a'],
	[{ next_cursor: '', next: 'b' }, 'b'],
	[{ next: 'b' }, 'b'],
	[{ next_cursor: null, next: 'b' }, 'b'],
	[{ next_cursor: '', next: '' }, undefined],
	[{ next_cursor: null, next: null }, undefined],
	[{ next_cursor: 'a', next: 7 }, 'a'],
])('the page after %j is %p', async (page, cursor) => {
	const { get, queries } = pages([page, { groups: {} }]);
	await all(readingPages(get, '/path', {}, async () => {}));
	expect(queries.slice(1).map(({ next_cursor }) => next_cursor)).toEqual(cursor ? [cursor] : []);
});

it('requests the next page only on demand', async () => {
	const { get, queries } = pages([{ next_cursor: 'a' }, { next_cursor: 'b' }]);
	await readingPages(get, '/path', {}, async () => {}).next();
	expect(queries).toHaveLength(1);
});

it.each<[string, (asked: number) => IDataObject]>([
	['are more than any user has', (asked) => ({ next_cursor: `page ${asked}` })],
	['lead back to themselves', () => ({ next_cursor: 'a' })],
	['have a cursor that is no text', () => ({ next_cursor: 7 })],
])('are an error where they %s', async (_, page) => {
	let asked = 0;
	const get = (async () => page(++asked)) as unknown as Get;
	await expect(all(readingPages(get, '/path', {}, async () => {}))).rejects.toMatchObject({
		description: expect.stringContaining('Nothing was returned, because it would be incomplete. Try again'),
		concernsAll: false,
	});
});
