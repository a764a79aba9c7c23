/** Rows of the node compared with rows of the trigger, for readings that the sandbox does not serve. */
import type { IDataObject } from 'n8n-workflow';
import { collectReadings, collectRows } from '../../../../nodes/HealthDataService/service/readings/rows';
import { identityOf, localTimeIn } from '../../../../nodes/HealthDataService/service/readings/identity';
import type { Collect } from '../../../../nodes/HealthDataService/service/readings/rows';
import { detectChanges, SeenReadings, toItem } from '../../../../nodes/HealthDataService/trigger/seen';
import { allRows } from '../../../helpers/allRows';
import { openRange } from '../../../helpers/ranges';
import { bloodPressure } from '../../../helpers/metrics';

const owner = { user_id: 'u', client_user_id: null };
const TIME = '2026-03-03T08:00:00Z';
type Points = IDataObject[];

const collected = async (collect: Collect, pages: Points[]) => {
	async function* toPages() {
		for (const data of pages) yield { groups: { omron: [{ data, source: { provider: 'omron', type: 'cuff' } }] } };
	}
	return await collect(toPages() as never, { user: owner, place: 1 });
};
const node = async (...pages: Points[]) =>
	await collected(collectReadings(bloodPressure, { limit: allRows, rangeOf: () => openRange('2026-01-01') }), pages);
async function trigger(...pages: Points[]) {
	const identity = identityOf(bloodPressure);
	const rows = await collected(collectRows(bloodPressure, allRows), pages);
	const { changes: fresh } = detectChanges(identity, rows, new SeenReadings({}), { start: 0 });
	return fresh.map((row) => toItem(identity, row, localTimeIn('UTC')));
}
const point = (systolic: unknown, more: IDataObject = {}, timestamp: unknown = TIME) =>
	({ timestamp, systolic, diastolic: 80, unit: 'mmHg', ...more }) as IDataObject;
const bySystolic = (rows: IDataObject[]) => Object.fromEntries(rows.map(({ systolic, row_id }) => [systolic, row_id]));

describe('readings of one instant', () => {
	it('are in the order of the ids that the service gives them, in node and trigger', async () => {
		const [c, a, b] = [point(120, { id: 'c' }), point(130, { id: 'a' }), point(140, { id: 'b' })];
		const expected = bySystolic(await node([c, a, b]));
		const byRank = (await node([point(1), point(2), point(3)])).map(({ row_id }) => row_id);
		expect(expected).toEqual({ 120: byRank[2], 130: byRank[0], 140: byRank[1] });
		for (const pages of [[[b, c, a]], [[a], [c, b]], [[b], [a, c], [b]]]) {
			expect(bySystolic(await node(...pages))).toEqual(expected);
			expect(bySystolic(await trigger(...pages))).toEqual(expected);
		}
	});
});

it('readings without a time differ by their values', async () => {
	const times = [null, '', 'soon', 0];
	const rows = await node(times.flatMap((time) => [point(1, {}, time), point(2, {}, time)]));
	expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(6);
	// Whatever else there is.
	const [alone] = await node([point(2, {}, 'soon')]);
	expect(rows.find(({ timestamp, systolic }) => timestamp === 'soon' && systolic === 2)).toEqual(alone);
	expect(bySystolic(await trigger([point(1, {}, 'soon')]))).toEqual(bySystolic(await node([point(1, {}, 'soon')])));
});

it.each([node, trigger])('a field of theirs that is called like ours keeps its value: %p', async (read) => {
	const [row] = await read([point(1, { id: 'theirs', row_id: 'another', change: 'x', error: 'y', __proto__: 'z' })]);
	expect(Object.keys(row).slice(0, 10).at(-1)).toBe('row_id');
	expect(row).toMatchObject({
		row_id: expect.stringMatching(/^bloodPressure-[0-9a-f]{32}$/),
		id: 'theirs',
		row_id_raw: 'another',
		error_raw: 'y',
		...(read === trigger ? { change: 'created', change_raw: 'x' } : { change: 'x' }),
	});
});
