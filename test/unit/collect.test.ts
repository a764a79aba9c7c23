/**
 * From pages to the rows of one user, in each form of Output: no page is asked for once nobody wants it, or Limit is reached.
 */
import type { IDataObject } from 'n8n-workflow';
import { collectAs, DAILY, READINGS } from '../../nodes/HealthDataService/resources/timeseries/output';
import { flatRows, plainRows } from '../../nodes/HealthDataService/service/flatRows';
import { metrics } from '../../nodes/HealthDataService/service/metrics';
import type { Collect } from '../../nodes/HealthDataService/service/sweep';

const GROUPED = 'grouped';
const [metric] = metrics;
const owner = { user_id: 'u', client_user_id: null };
const days = { zone: 'UTC', first: '2026-03-01' };
const point = (day: number): IDataObject => ({ timestamp: `2026-03-0${day}T08:00:00Z`, systolic: 100 + day });

/** Pages of these readings, and how many of them were asked for. */
async function read(collect: Collect, pages: IDataObject[][], isOver: (page: number) => boolean = () => false) {
	let asked = 0;
	async function* source() {
		for (const data of pages) {
			asked++;
			yield { groups: { omron: [{ data, source: { provider: 'omron', type: 'cuff' } }] } } as unknown as IDataObject;
		}
	}
	const rows = await collect(source(), owner, () => isOver(asked));
	return { rows, asked };
}
const as = (output: Parameters<typeof collectAs>[0], limit = Infinity, isSimple = false) =>
	collectAs(output, metric, { limit, isSimple, days, advice: 'Read less' });
const PAGES = [[point(1)], [point(2)], [point(3)]];

describe.each<[string, Collect]>([
	['readings', as(READINGS)],
	['readings without an id', as(READINGS, Infinity, true)],
	['days', as(DAILY)],
	['one item per user', as(GROUPED)],
])('%s', (_, collect) => {
	it('reads all pages, and none any more once it is over', async () => {
		expect((await read(collect, PAGES)).asked).toBe(3);
		expect((await read(collect, PAGES, (page) => page >= 2)).asked).toBe(2);
	});
});

describe('Limit', () => {
	const systolic = (rows: IDataObject[]) => rows.map((row) => row.systolic);

	it.each<[string, (limit: number) => Collect]>([
		['with an id', (limit) => flatRows(metric, limit, () => {})],
		['without', (limit) => plainRows(metric, limit, () => {})],
	])('asks for no page more than it needs: %s', async (_, collect) => {
		for (const limit of [1, 2, 3, 4]) {
			// Two on the first page: so that a Limit of one cuts it.
			const { rows, asked } = await read(collect(limit), [[point(1), point(2)], [point(3)], [point(4)]]);
			expect(systolic(rows)).toEqual([101, 102, 103, 104].slice(0, limit));
			expect(asked).toBeLessThanOrEqual(limit === 1 ? 1 : limit);
		}
	});

	it('without an id, not one page more', async () => {
		const { asked } = await read(
			plainRows(metric, 2, () => {}),
			[[point(1), point(2)], [point(3)]],
		);
		expect(asked).toBe(1);
	});

	it('with one, as long as the last one’s instant may go on: over empty pages, too', async () => {
		const twin = { ...point(1), systolic: 100 };
		const { rows, asked } = await read(
			flatRows(metric, 1, () => {}),
			[[point(1)], [], [twin], [point(2)], [point(3)]],
		);
		const [alone] = (
			await read(
				flatRows(metric, 1, () => {}),
				[[twin]],
			)
		).rows;
		expect([systolic(rows), asked]).toEqual([[101], 4]);
		// The twin with the lesser values has the first rank: found on a page behind Limit.
		expect(rows[0].id).not.toBe(alone.id);
	});

	it('days and items are whole whatever it says', async () => {
		for (const output of [DAILY, GROUPED]) expect((await read(as(output, 1), PAGES)).asked).toBe(3);
	});

	it.each<[string, (check: (count: number) => void) => Collect]>([
		['with an id', (check) => flatRows(metric, 2, check)],
		['without', (check) => plainRows(metric, 2, check)],
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
