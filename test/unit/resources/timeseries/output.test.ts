/** Rows of one user from pages, in each form of Output: no page is requested after Limit. */
import type { IDataObject } from 'n8n-workflow';

import { OUTPUTS } from '../../../../nodes/HealthDataService/resources/timeseries/output';
import { collectRows } from '../../../../nodes/HealthDataService/service/readings/rows';
import type { Collect } from '../../../../nodes/HealthDataService/service/readings/rows';
import { RowLimit } from '../../../../nodes/HealthDataService/service/readings/rowLimit';
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

describe('Limit', () => {
	it('may end a read early, unless it is for all rows', () => {
		expect([new RowLimit(5).mayEndEarly, new RowLimit().mayEndEarly]).toEqual([true, false]);
	});

	it('rows of errors do not count towards it, but may be too many', () => {
		const counts: number[] = [];
		const limit = new RowLimit(2, (count) => counts.push(count));
		expect([limit.isReached(1, 9), limit.isReached(2, 9), limit.isReached(3, 9)]).toEqual([false, true, true]);
		expect(counts).toEqual([10, 11, 11]);
	});

	it('days and items are complete with any Limit', async () => {
		for (const output of ['daily', 'summary', 'grouped']) expect((await read(as(output, 1), PAGES)).asked).toBe(3);
	});

	it('what counts the rows may end it', async () => {
		const counts: number[] = [];
		const collect = (check: (count: number) => void) => collectRows(metric, new RowLimit(2, check));
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
