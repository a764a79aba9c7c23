/** New readings and their rows: readings of one time, and the different ways in which the service may write one. */
import { bloodPressure } from '../helpers/people';
import { HOUR, MINUTE, onBothSchedulers, valuesOf, watch } from '../helpers/watch';
import type { IDataObject } from 'n8n-workflow';

type Point = Record<string, unknown>;

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	it('is nothing that was there at activation', async () => {
		w.history.add(w.anna, w.reading(-60));
		const n8n = w.trigger();
		expect(await n8n.start()).toBeUndefined();
		expect(await n8n.tick()).toBeUndefined();
	});

	it('is a row with id and change, the oldest first', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.ben, w.reading(2, 125));
		w.history.add(w.anna, w.reading(1, 145));
		w.pass(5 * MINUTE);

		const rows = (await n8n.tick())!;
		expect(rows.map(({ client_user_id, systolic, change }) => [client_user_id, systolic, change])).toEqual([
			['anna', 145, 'created'],
			['ben', 125, 'created'],
		]);
		expect(Object.keys(rows[0]).slice(-3)).toEqual(['user_id', 'row_id', 'change']);
		expect(rows[0].row_id).toMatch(/^bloodPressure-[0-9a-f]{32}$/);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('is a reading that was measured before the last poll and arrives after it', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(-47 * 60), { late: 47 * HOUR + MINUTE });
		w.history.add(w.anna, w.reading(1));
		w.pass(2 * MINUTE);
		expect(await n8n.tick()).toHaveLength(2);
	});

	it('is a corrected reading, again, with the same id', async () => {
		const n8n = w.trigger();
		await n8n.start();
		const entry = w.history.add(w.anna, w.reading(0, 120));
		const [created] = (await n8n.tick())!;
		w.history.remove(entry);
		w.history.add(w.anna, w.reading(0, 130));

		expect(await n8n.tick()).toEqual([{ ...created, systolic: 130, change: 'updated' }]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('is not a reading with its unit or numbers spelled in another way', async () => {
		const n8n = w.trigger();
		await n8n.start();
		const { point } = w.history.add(w.anna, w.reading(0, 120)).reading;
		expect(await n8n.tick()).toHaveLength(1);
		for (const unit of ['MMHG', 'mm Hg', ' mmhg ', 'mm[Hg]', '', null]) {
			Object.assign(point, { unit });
			expect(await n8n.tick()).toBeUndefined();
		}
		Object.assign(point, { unit: 'kPa' });
		expect(await n8n.tick()).toMatchObject([{ change: 'updated', unit: 'kPa' }]);
	});

	it.each([
		['another provider', () => w.reading(0, 120, 'withings')],
		['another kind of source', () => w.reading(0, 120, 'omron', 'phone')],
		['a microsecond later', () => bloodPressure('2026-06-01T12:00:00.000001Z', 120, 80)],
	])('are two readings of the same moment when one is %s', async (_, other) => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0));
		w.history.add(w.anna, other());
		const rows = (await n8n.tick())!;
		expect(rows).toHaveLength(2);
		expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(2);
	});

	it('is one reading when pages overlap', async () => {
		Object.assign(w.used.sandbox.switches, { pageSize: 2, overlap: true });
		const n8n = w.trigger();
		await n8n.start();
		for (let i = 0; i < 7; i++) w.history.add(w.anna, w.reading(i));
		w.pass(HOUR);
		expect(await n8n.tick()).toHaveLength(7);
	});

	describe('readings of one time', () => {
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
		/** A table kept by `row_id`: the rows that went out, the last one of each. */
		const table = (executions: IDataObject[][]) => {
			const rows = new Map(executions.flat().map((row) => [row.row_id, row.systolic]));
			return [...rows.values()].sort();
		};

		it('two readings of one time are both emitted, each with its own id', async () => {
			const n8n = w.trigger();
			await n8n.start();
			w.history.add(w.anna, w.reading(0, 120));
			w.history.add(w.anna, w.reading(0, 130));
			const rows = (await n8n.tick())!;
			expect(valuesOf(rows)).toEqual([120, 130]);
			expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(2);
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
			expect(await n8n.tick()).toMatchObject([{ row_id: first.row_id, systolic: 140, change: 'updated' }]);
		});

		it('readings without a time differ by their values, and are emitted once', async () => {
			const n8n = w.trigger();
			write([point(110, { timestamp: null })]);
			await n8n.start();
			write([point(110, { timestamp: null }), point(120, { timestamp: null }), point(130, { timestamp: 'unknown' })]);
			expect((await n8n.tick())!.map(({ systolic }) => systolic)).toEqual([120, 130]);
			for (let day = 0; day < 5; day++) {
				w.pass(24 * 60 * MINUTE);
				expect((await n8n.tick()) ?? []).toEqual([]);
			}
			write([point(130, { timestamp: 'unknown' }), point(140, { timestamp: 'unknown' })]);
			expect(await n8n.tick()).toMatchObject([{ systolic: 140, change: 'created' }]);
		});
	});
});
