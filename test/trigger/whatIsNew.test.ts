/** New readings, and their rows. */
import { bloodPressure } from '../helpers/people';
import { allUsers, HOUR, MINUTE, onBothSchedulers, stateNow, watch } from '../helpers/watch';

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
		expect(Object.keys(rows[0]).slice(-3)).toEqual(['user_id', 'id', 'change']);
		expect(rows[0].id).toMatch(/^bloodPressure-[0-9a-f]{32}$/);
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

	it('is not a reading that is later than the lookback', async () => {
		const n8n = w.trigger({ ...allUsers, options: { lookback: 2 } });
		w.history.add(w.anna, w.reading(0));
		await n8n.start();
		w.history.add(w.anna, w.reading(-119), { late: 120 * MINUTE });
		w.history.add(w.anna, w.reading(-121), { late: 122 * MINUTE });
		w.pass(5 * MINUTE);
		expect(await n8n.tick()).toHaveLength(1);
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
		for (const unit of ['MMHG', 'mm Hg', ' mmhg ']) {
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
		expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
	});

	it('is one reading when pages overlap', async () => {
		Object.assign(w.used.sandbox.switches, { pageSize: 2, overlap: true });
		const n8n = w.trigger();
		await n8n.start();
		for (let i = 0; i < 7; i++) w.history.add(w.anna, w.reading(i));
		w.pass(HOUR);
		expect(await n8n.tick()).toHaveLength(7);
	});

	it('keeps a field of the service with the name of one of ours', async () => {
		w.used.sandbox.switches.extraFields = true;
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0));
		const [row] = (await n8n.tick())!;
		expect(row.id).toMatch(/^bloodPressure-/);
		expect(row).toHaveProperty('id_raw');
	});

	it('hashes are forgotten a day after the lookback', async () => {
		const n8n = w.trigger();
		await n8n.start();
		for (let day = 0; day < 7; day++) {
			w.pass(24 * HOUR);
			w.history.add(w.anna, w.reading(0));
			expect(await n8n.tick()).toHaveLength(1);
		}
		expect(Object.keys(stateNow(n8n).seen)).toHaveLength(4);
	});
});
