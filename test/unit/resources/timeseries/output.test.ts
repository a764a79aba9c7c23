/** Rows of one user from pages, in each form of Output: no page is requested after Limit. */
import type { IDataObject } from 'n8n-workflow';

import { OUTPUTS } from '../../../../nodes/HealthDataService/resources/timeseries/output';
import { collectRows } from '../../../../nodes/HealthDataService/service/readings/rows';
import type { Collect } from '../../../../nodes/HealthDataService/service/readings/rows';
import { itemLimit } from '../../../../nodes/HealthDataService/resources/operation';
import { bloodPressure as metric } from '../../../helpers/metrics';
import { openRange } from '../../../helpers/ranges';

const owner = { user_id: 'u', client_user_id: null };
const judgement = { meanLimits: [], limits: [], onlyStatus: [], comparesPrevious: false };
const range = openRange('2026-03-01');
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
	const rows = await collect(source(), { user: owner, place: 1 });
	return { rows, asked };
}
const as = (output: string, limit = Infinity) =>
	OUTPUTS.find(({ value }) => value === output)!.collect(metric, {
		...judgement,
		limit: itemLimit(limit, 'Read less'),
		rangeOf: () => range,
		provider: '',
		sourceTypes: [],
	});
const PAGES = [[point(1)], [point(2)], [point(3)]];

describe.each<[string, Collect]>([
	['readings', as('readings')],
	['days', as('daily')],
	['summaries', as('summary')],
	['one item per user', as('grouped')],
])('%s', (_, collect) => {
	it('reads all pages', async () => {
		expect((await read(collect, PAGES)).asked).toBe(3);
	});
});

describe('Limit', () => {
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

	const systolic = (rows: IDataObject[]) => rows.map((row) => row.systolic);

	it('requests no page more than it needs', async () => {
		for (const limit of [1, 2, 3, 4]) {
			const { rows, asked } = await read(as('readings', limit), [[point(1), point(2)], [point(3)], [point(4)]]);
			expect(systolic(rows).slice(0, limit)).toEqual([101, 102, 103, 104].slice(0, limit));
			expect(asked).toBe(Math.max(1, limit - 1));
		}
	});

	it('days and items are complete with any Limit', async () => {
		for (const output of ['daily', 'summary', 'grouped']) expect((await read(as(output, 1), PAGES)).asked).toBe(3);
	});

	it('counts the rows after each page', async () => {
		const limit = itemLimit(2, 'Read less');
		const isReached = jest.spyOn(limit, 'isReached');
		await read(collectRows(metric, limit), [[point(1)], [point(2), point(3)]]);
		expect(isReached.mock.calls.map(([rows]) => rows)).toEqual([1, 3]);
	});
});
