/** Identity of readings: same-time readings, and the different ways in which the service may write one. */
import type { IDataObject } from 'n8n-workflow';
import { MINUTE, onBothSchedulers, valuesOf, watch } from '../helpers/watch';

type Point = Record<string, unknown>;

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const TIME = '2026-06-01T12:00:00+00:00';
	/** The service's readings of anna, exactly as they are given here. */
	const write = (data: Point[]) => {
		w.used.sandbox.switches.fault = (_, url) =>
			url.includes(w.anna.user_id)
				? {
						status: 200,
						body: { groups: { omron: [{ data, source: { provider: 'omron', type: 'cuff' } }] }, next_cursor: null },
					}
				: undefined;
	};
	const point = (systolic: unknown, more: Point = {}): Point => ({
		timestamp: TIME,
		systolic,
		diastolic: 80,
		unit: 'mmHg',
		...more,
	});
	/** A table kept by `id`: the rows that went out, the last one of each. */
	const table = (executions: IDataObject[][]) => {
		const rows = new Map(executions.flat().map((row) => [row.id, row.systolic]));
		return [...rows.values()].sort();
	};

	it('two readings of one time are both emitted, each with its own id', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 120));
		w.history.add(w.anna, w.reading(0, 130));
		const rows = (await n8n.tick())!;
		expect(valuesOf(rows)).toEqual([120, 130]);
		expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
		expect(rows.every(({ change }) => change === 'created')).toBe(true);
		w.history.entries.reverse();
		expect(await n8n.tick()).toBeUndefined();
	});

	it.each<[string, Point[], Point[]]>([
		['one of them is corrected', [point(120), point(130)], [point(120), point(135)]],
		['the first is corrected past the other', [point(120), point(130)], [point(140), point(130)]],
		['one more comes', [point(130)], [point(120), point(130)]],
		['two more come', [point(130)], [point(140), point(120), point(130)]],
	])('a table by id is right when %s, in any order of the readings', async (_, before, after) => {
		const n8n = w.trigger();
		await n8n.start();
		write(before);
		await n8n.tick();
		expect(table(n8n.executions)).toEqual(before.map(({ systolic }) => systolic).sort());
		write([...after].reverse());
		await n8n.tick();
		expect(table(n8n.executions)).toEqual(after.map(({ systolic }) => systolic).sort());
		write(after);
		expect(await n8n.tick()).toBeUndefined();
	});

	it("with the service's own ids, only the corrected one is emitted", async () => {
		const n8n = w.trigger();
		await n8n.start();
		write([point(120, { id: 'a' }), point(130, { id: 'b' })]);
		const [first] = (await n8n.tick())!;
		write([point(130, { id: 'b' }), point(140, { id: 'a' })]);
		expect(await n8n.tick()).toMatchObject([{ id: first.id, systolic: 140, change: 'updated' }]);
	});

	it('identical ones are one', async () => {
		const n8n = w.trigger();
		await n8n.start();
		write([point(120), point(120), point(120, { timestamp: '2026-06-01T14:00:00+02:00' })]);
		expect(await n8n.tick()).toHaveLength(1);
		write([point(120)]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('a time is the same in any notation', async () => {
		const n8n = w.trigger();
		await n8n.start();
		write([point(120)]);
		expect(await n8n.tick()).toHaveLength(1);
		for (const timestamp of [
			'2026-06-01T12:00:00+00',
			'2026-06-01t12:00:00z',
			'2026-06-01 12:00:00Z',
			'2026-06-01T12:00:00.000000',
			'2026-06-01T12:00',
			'2026-06-01T14:00:00+02',
			'2026-06-01T06:30:00-0530',
		]) {
			write([point(120, { timestamp })]);
			expect([timestamp, await n8n.tick()]).toEqual([timestamp, undefined]);
		}
	});

	it('readings without a time differ by their values, and are emitted once', async () => {
		const n8n = w.trigger();
		write([point(110, { timestamp: null })]);
		await n8n.start();
		write([point(110, { timestamp: null }), point(120, { timestamp: null }), point(130, { timestamp: 'unknown' })]);
		expect((await n8n.tick())!.map(({ systolic }) => systolic)).toEqual([120, 130]);
		for (let day = 0; day < 5; day++) {
			w.pass(24 * 60 * MINUTE);
			expect(await n8n.tick()).toBeUndefined();
		}
		write([point(130, { timestamp: 'unknown' }), point(140, { timestamp: 'unknown' })]);
		expect(await n8n.tick()).toMatchObject([{ systolic: 140, change: 'created' }]);
	});
});
