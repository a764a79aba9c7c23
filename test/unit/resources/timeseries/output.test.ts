/** Rows of one user from pages, in each form of Output: no page is requested after Limit. */
import type { IDataObject } from 'n8n-workflow';

import { collectAs, DAILY, READINGS, SUMMARY } from '../../../../nodes/HealthDataService/resources/timeseries/output';
import { collectRows } from '../../../../nodes/HealthDataService/service/readings/rows';
import type { Collect } from '../../../../nodes/HealthDataService/service/readings/rows';
import { RowLimit } from '../../../../nodes/HealthDataService/service/readings/rowLimit';
import { itemLimit } from '../../../../nodes/HealthDataService/resources/operation';
import { bloodPressure as metric } from '../../../helpers/metrics';
import { fc } from '../../../helpers/properties';

const GROUPED = 'grouped';
const owner = { user_id: 'u', client_user_id: null };
const days = { zone: 'UTC', first: '2026-03-01' };
const point = (day: number): IDataObject => ({ timestamp: `2026-03-0${day}T08:00:00Z`, systolic: 100 + day });

/** Pages of these readings, and how many of them were asked for. */
async function read(collect: Collect, pages: IDataObject[][]) {
	let asked = 0;
	async function* source() {
		for (const data of pages) {
			asked++;
			yield { groups: { omron: [{ data, source: { provider: 'omron', type: 'cuff' } }] } } as unknown as IDataObject;
		}
	}
	const rows = await collect(source(), owner);
	return { rows, asked };
}
const as = (output: Parameters<typeof collectAs>[0], limit = Infinity, isSimple = false) =>
	collectAs(output, metric, {
		limit: itemLimit(limit, 'Read less'),
		isSimple,
		...days,
		today: '2026-03-31',
		provider: '',
	});
const PAGES = [[point(1)], [point(2)], [point(3)]];

describe.each<[string, Collect]>([
	['readings', as(READINGS)],
	['readings without an id', as(READINGS, Infinity, true)],
	['days', as(DAILY)],
	['summaries', as(SUMMARY)],
	['one item per user', as(GROUPED)],
])('%s', (_, collect) => {
	it('reads all pages', async () => {
		expect((await read(collect, PAGES)).asked).toBe(3);
	});
});

describe('Limit', () => {
	it('may end a read early, unless it is for all rows', () => {
		expect([new RowLimit(5).mayEndEarly, new RowLimit().mayEndEarly]).toEqual([true, false]);
	});

	it('100,000 rows are the most of an input item', () => {
		const limit = itemLimit(Infinity, 'Read less');
		expect(limit.isReached(99_999, 1)).toBe(false);
		expect(() => limit.isReached(100_000, 1)).toThrow(
			expect.objectContaining({
				message: 'More than 100,000 rows for one input item are more than n8n can hand on',
				description: expect.stringContaining('Read less'),
				concernsAll: true,
			}),
		);
	});

	it('rows of errors do not count towards it, but may be too many', () => {
		const counts: number[] = [];
		const limit = new RowLimit(2, (count) => counts.push(count));
		expect([limit.isReached(1, 9), limit.isReached(2, 9), limit.isReached(3, 9)]).toEqual([false, true, true]);
		expect(counts).toEqual([10, 11, 11]);
	});

	const systolic = (rows: IDataObject[]) => rows.map((row) => row.systolic);

	it.each<[string, (limit: number) => Collect]>([
		['with an id', (limit) => collectRows(metric, new RowLimit(limit), true)],
		['without', (limit) => collectRows(metric, new RowLimit(limit), false)],
	])('requests no page more than it needs: %s', async (_, collect) => {
		for (const limit of [1, 2, 3, 4]) {
			// Two on the first page: so that a Limit of one cuts it.
			const { rows, asked } = await read(collect(limit), [[point(1), point(2)], [point(3)], [point(4)]]);
			expect(systolic(rows)).toEqual([101, 102, 103, 104].slice(0, limit));
			expect(asked).toBeLessThanOrEqual(limit === 1 ? 1 : limit);
		}
	});

	it('without an id, not one page more', async () => {
		const { asked } = await read(collectRows(metric, new RowLimit(2), false), [[point(1), point(2)], [point(3)]]);
		expect(asked).toBe(1);
	});

	it('with one, while readings of the last instant may follow: over empty pages, too', async () => {
		const sameTime = { ...point(1), systolic: 100 };
		const { rows, asked } = await read(collectRows(metric, new RowLimit(1), true), [
			[point(1)],
			[],
			[sameTime],
			[point(2)],
			[point(3)],
		]);
		const [alone] = (await read(collectRows(metric, new RowLimit(1), true), [[sameTime]])).rows;
		expect([systolic(rows), asked]).toEqual([[101], 4]);
		// Of same-time readings, the one with the lesser values comes first: here on a page after Limit.
		expect(rows[0].id).not.toBe(alone.id);
	});

	describe('of several sources: the next page is requested only if readings of a wanted source may follow there', () => {
		const day = (number: number, systolic = 100 + number): IDataObject => ({ ...point(number), systolic });
		const from = (provider: string, ...data: IDataObject[]) => ({ [provider]: [{ data, source: { provider } }] });
		/** One page as groups: each provider once. */
		const grouped = (list: Array<[string, number, number]>) =>
			[...new Set(list.map(([provider]) => provider))].map((provider) =>
				from(provider, ...list.filter(([its]) => its === provider).map(([, time, more]) => day(time, 100 + more))),
			);
		const taken = async (limit: number, ...pages: object[]) => {
			let asked = 0;
			async function* source() {
				for (const groups of pages) {
					asked++;
					yield { groups } as IDataObject;
				}
			}
			const rows = await collectRows(metric, new RowLimit(limit), true)(source(), owner);
			return { asked, ids: rows.map(({ id }) => id) };
		};

		it.each<[string, number, number, object[]]>([
			['another source ends with that instant', 1, 1, [{ ...from('a', day(1), day(2)), ...from('b', day(1)) }]],
			['its own source continues later', 1, 1, [{ ...from('a', day(1), day(2)) }]],
			['it is the last of its source, though others are later', 1, 2, [{ ...from('a', day(1)), ...from('b', day(2)) }]],
			['only the last of several is', 2, 2, [from('a', day(1), day(2))]],
		])('%s', async (_, limit, pages, first) => {
			const sameTime = from('a', day(limit, 90), day(5));
			expect((await taken(limit, ...first, sameTime, from('a', day(6)))).asked).toBe(pages);
		});

		it.each<[string, number, object[]]>([
			['a page of another source at the same time is between', 4, [from('b', day(1)), from('a', day(1, 90))]],
			['two such pages are between', 5, [from('b', day(1)), from('c', day(1)), from('a', day(1, 90))]],
			['a page of another source at another time comes first', 2, [from('b', day(2)), from('a', day(1, 90))]],
			['another source continues later', 2, [from('b', day(1), day(2)), from('a', day(1, 90))]],
		])('%s', async (_, pages, next) => {
			expect((await taken(1, from('a', day(1)), ...next, from('a', day(3)), from('a', day(4)))).asked).toBe(pages);
		});

		it('pages of one or two rows in the order of time: any Limit gives the ids of Return All', async () => {
			const readings = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 4 }), fc.nat(3)), {
				minLength: 1,
				maxLength: 9,
			});
			await fc.assert(
				fc.asyncProperty(readings, fc.integer({ min: 1, max: 2 }), fc.nat(8), async (list, size, limit) => {
					const sorted = list.sort(([, one], [, other]) => one - other);
					const pages = Array.from({ length: Math.ceil(sorted.length / size) }, (_, page) =>
						Object.assign({}, ...grouped(sorted.slice(page * size, (page + 1) * size))),
					);
					const { ids } = await taken(99, ...pages);
					expect((await taken(limit + 1, ...pages)).ids).toEqual(ids.slice(0, limit + 1));
				}),
			);
		});

		it('and its readings count for the ids', async () => {
			const first = { ...from('a', day(1)), ...from('b', day(2)) };
			const [whole] = (await taken(9, { ...from('a', day(1), day(1, 100)), ...from('b', day(2)) })).ids;
			expect((await taken(1, first, from('a', day(1, 100)), from('a', day(3)))).ids).toEqual([whole]);
			expect((await taken(1, first)).ids).not.toEqual([whole]);
		});
	});

	it('days and items are complete with any Limit', async () => {
		for (const output of [DAILY, SUMMARY, GROUPED]) expect((await read(as(output, 1), PAGES)).asked).toBe(3);
	});

	it.each<[string, (check: (count: number) => void) => Collect]>([
		['with an id', (check) => collectRows(metric, new RowLimit(2, check), true)],
		['without', (check) => collectRows(metric, new RowLimit(2, check), false)],
	])('what counts the rows may end it: %s', async (_, collect) => {
		const counts: number[] = [];
		await read(
			collect((count) => counts.push(count)),
			[[point(1)], [point(2), point(3)]],
		);
		expect(counts).toEqual([1, 2]);
		const stops = collect(() => {
			throw new Error('too many');
		});
		await expect(read(stops, PAGES)).rejects.toThrow('too many');
	});
});
