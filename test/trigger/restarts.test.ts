/** Restarts: kills, starts, long absences, and the seen readings that are kept. */
import { allUsers, HOUR, MINUTE, NOON, onBothSchedulers, savedState, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	it('may be killed after any poll', async () => {
		const n8n = w.trigger();
		await n8n.start();
		for (let i = 0; i < 3; i++) {
			w.pass(HOUR);
			w.history.add(w.anna, w.reading(-1, 120 + i));
			expect(await n8n.tick()).toHaveLength(1);
			n8n.kill();
			expect(await n8n.start('init')).toBeUndefined();
		}
	});

	it('may be down for much longer than the lookback', async () => {
		const n8n = w.trigger();
		w.history.add(w.anna, w.reading(-60));
		await n8n.start();
		n8n.kill();
		for (let day = 0; day < 10; day++) w.history.add(w.anna, w.reading(day * 24 * 60));
		w.pass(240 * HOUR);
		expect(await n8n.start('init')).toHaveLength(10);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('may have its clock set forward and back', async () => {
		const n8n = w.trigger();
		w.history.add(w.anna, w.reading(-60));
		await n8n.start();
		const service = w.clock;
		w.used.sandbox.switches.now = () => service + MINUTE;
		for (const wrong of [NOON + 1000 * HOUR, NOON + 1001 * HOUR, NOON - 1000 * HOUR, NOON]) {
			w.clock = wrong;
			expect(await n8n.tick()).toBeUndefined();
		}
		w.history.add(w.anna, { ...w.reading(0), time: service, arrived: service });
		expect(await n8n.tick()).toHaveLength(1);
	});

	it('drops the hashes of readings that have left the window', async () => {
		const n8n = w.trigger({ ...allUsers, options: { lookback: 2 } });
		await n8n.start();
		for (let i = 0; i < 50; i++) {
			w.pass(HOUR);
			w.history.add(w.anna, w.reading(0));
			await n8n.tick();
		}
		expect(n8n.executions.flat()).toHaveLength(50);
		// The window of two hours, and the day by which a clock may be wrong.
		expect(Object.keys(savedState(n8n).seen)).toHaveLength(27);
	});

	it('saves no reading and no name', async () => {
		const n8n = w.trigger();
		await n8n.start();
		// A value that no hash, port or counter contains.
		w.history.add(w.anna, w.reading(0, 187.654321));
		expect(await n8n.tick()).toHaveLength(1);
		const saved = n8n.row ?? n8n.saved;
		expect(saved).not.toMatch(/187\.6|anna|omron|cuff/);
		expect(saved).not.toContain(w.anna.user_id);
	});
});
