/**
 * Saving by n8n: the in-memory scheduler with the rows and at a start, the durable one in a row with the execution. With kills,
 * starts, long absences, stale rows and failed emits.
 */
import {
	allUsers,
	HOUR,
	isPassComplete,
	MINUTE,
	onBothSchedulers,
	savedState,
	valuesOf,
	watch,
} from '../helpers/watch';

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

	it('forgets the readings of more than a day before the lookback', async () => {
		const n8n = w.trigger({ ...allUsers, options: { lookback: 2 } });
		await n8n.start();
		for (let day = 0; day < 5; day++) {
			w.pass(24 * HOUR);
			w.history.add(w.anna, w.reading(0, 100 + day));
			await n8n.tick();
		}
		expect(Object.values(savedState(n8n).seen)).toHaveLength(2);
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

describe('in memory', () => {
	const w = watch('memory');
	const reaching = (systolic: number) => ({ ...allUsers, limits: { high: { systolic, diastolic: null } } });

	it('is saved at a start and with rows only: readings lost in a kill are found again', async () => {
		w.history.add(w.anna, w.reading(-60, 90));
		const n8n = w.trigger();
		await n8n.start();
		const atStart = n8n.saved;
		expect(Object.keys(savedState(n8n).seen)).toHaveLength(1);
		expect(isPassComplete(savedState(n8n))).toBe(true);

		w.pass(HOUR);
		expect(await n8n.tick()).toBeUndefined();
		expect(n8n.saved).toBe(atStart);
		w.history.add(w.anna, w.reading(0, 121));
		expect(await n8n.tick()).toHaveLength(1);
		expect(n8n.saved).not.toBe(atStart);
		n8n.kill();
		expect(await n8n.start('init')).toBeUndefined();
	});

	it('is a day old at most: after a restart, a lower minimum sends nothing from days ago, and the report says since when', async () => {
		const n8n = w.trigger(reaching(180));
		await n8n.start();
		const empty: number[] = [];
		for (let hour = 1; hour <= 6 * 24; hour++) {
			w.pass(HOUR);
			w.history.add(w.anna, w.reading(0, 150));
			if ((await n8n.tick())?.length === 0) empty.push(hour);
		}
		expect(empty).toEqual(Array.from({ length: 6 }, (_, day) => (day + 1) * 24));
		w.used.sandbox.switches.users = { ben: 'fails' };
		const restarted = w.trigger(reaching(140), { ...n8n.options, workflowId: 'as after a restart of the process' });
		restarted.saved = n8n.saved;
		const rows = await restarted.start('init');
		const DAYS = 3;
		expect(rows!.length).toBeLessThanOrEqual(DAYS * 24 + 1);
		expect(restarted.reported[0].description).toContain(`${w.ben.user_id} since 2026-06-07`);
	});

	it('rows that were not saved before the kill are emitted again', async () => {
		const n8n = w.trigger();
		await n8n.start();
		const { saved } = n8n;
		w.history.add(w.anna, w.reading(0, 121));
		await n8n.tick();
		n8n.kill();
		const restarted = w.trigger(undefined, { ...n8n.options, workflowId: 'as after a restart of the process' });
		restarted.saved = saved;
		expect(valuesOf(await restarted.start('init'))).toEqual([121]);
	});
});

describe('durable', () => {
	const w = watch('durable');

	it('the readings seen at activation are saved, so that those that arrive before the first poll time are emitted', async () => {
		w.history.add(w.anna, w.reading(-60, 90));
		const n8n = w.trigger();
		expect(await n8n.start()).toBeUndefined();
		expect(Object.keys(savedState(n8n).seen)).toHaveLength(1);
		expect(isPassComplete(savedState(n8n))).toBe(true);
		w.history.add(w.anna, w.reading(0, 121));
		w.pass(MINUTE);
		expect(valuesOf(await n8n.tick())).toEqual([121]);
	});

	it('an outage at activation is saved too: readings measured from then on are new', async () => {
		w.used.sandbox.switches.fault = () => ({ status: 503 });
		w.history.add(w.anna, w.reading(-60, 90));
		const n8n = w.trigger();
		const begun = w.clock;
		expect(await n8n.start()).toBeUndefined();
		expect(savedState(n8n).since).toBe(begun);
		w.pass(HOUR);
		w.history.add(w.anna, w.reading(-30, 121));
		await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '503' });
		w.used.sandbox.switches.fault = () => undefined;
		expect(valuesOf(await n8n.tick())).toEqual([121]);
	});

	it('an outage gets all attempts at a poll time, fewer at a start', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.used.sandbox.requests.length = 0;
		w.used.sandbox.switches.fault = () => ({ status: 503 });
		await n8n.tick().catch(() => undefined);
		expect(w.used.sandbox.requests).toHaveLength(7);
		w.used.sandbox.requests.length = 0;
		await n8n.start('init');
		expect(w.used.sandbox.requests).toHaveLength(2);
	});

	/** A reading went out; `row`: what n8n kept until then. */
	const afterDelivery = async () => {
		const n8n = w.trigger();
		await n8n.start();
		const { row } = n8n;
		w.history.add(w.anna, w.reading(0, 121));
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		return { n8n, row };
	};

	it('a state older than the last delivery: the poll is skipped, and nothing is emitted twice', async () => {
		const { n8n, row } = await afterDelivery();
		n8n.staleRow = row;
		w.history.add(w.anna, w.reading(0, 122, 'withings'));
		expect(await n8n.tick()).toBeUndefined();
		expect(valuesOf(await n8n.tick())).toEqual([122]);
	});

	it('a state older than the last delivery is not taken after an hour either', async () => {
		const { n8n, row } = await afterDelivery();
		w.pass(HOUR);
		n8n.staleRow = row;
		expect(await n8n.tick()).toBeUndefined();
	});

	it('one older than that of a quiet poll: the poll reads, and what it saves is newer than all', async () => {
		const n8n = w.trigger();
		await n8n.start();
		const { row: first } = n8n;
		await n8n.tick();
		const { row: second } = n8n;
		w.history.add(w.anna, w.reading(0, 121));
		n8n.staleRow = first;
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		n8n.staleRow = second;
		expect(await n8n.tick()).toBeUndefined();
	});

	it('other fields begin at once at a start, also with an old state; later polls do not begin with one again', async () => {
		const { n8n, row } = await afterDelivery();
		const delivered = n8n.row;
		n8n.parameters = { ...n8n.parameters, options: { sourceTypes: 'cuff' } };
		n8n.staleRow = row;
		await n8n.start();
		w.pass(1000);
		w.history.add(w.anna, w.reading(0, 122));
		w.pass(1000);
		n8n.staleRow = delivered;
		expect(await n8n.tick()).toBeUndefined();
		expect(valuesOf(await n8n.tick())).toEqual([122]);
	});

	it('another address begins at once, though no field has changed', async () => {
		const { n8n } = await afterDelivery();
		n8n.credential = { ...n8n.credential, baseUrl: n8n.credential.baseUrl.replace('127.0.0.1', 'localhost') };
		w.used.sandbox.requests.length = 0;
		expect(await n8n.tick()).toBeUndefined();
		expect(w.readingRequests()).toHaveLength(2);
	});

	it('a failed delivery is repeated', async () => {
		const { n8n, row } = await afterDelivery();
		n8n.row = row;
		expect(await n8n.tick()).toBeUndefined();
		w.pass(MINUTE - 1);
		expect(await n8n.tick()).toBeUndefined();
		w.pass(1);
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('continues from the state of the in-memory scheduler after a change to the durable one', async () => {
		const before = w.trigger(undefined, { scheduler: 'memory' });
		await before.start();
		w.history.add(w.anna, w.reading(0, 121));
		await before.tick();
		before.kill();
		const n8n = w.trigger(undefined, { ...before.options, scheduler: 'durable' });
		n8n.saved = before.saved;
		w.history.add(w.anna, w.reading(0, 122, 'withings'));
		expect(valuesOf(await n8n.start('init'))).toEqual([122]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('a copy with the name of the node before does not continue from its state', async () => {
		const before = w.trigger(undefined, { scheduler: 'memory' });
		await before.start();
		w.history.add(w.anna, w.reading(0, 121));
		const copy = w.trigger();
		copy.saved = before.saved;
		expect(await copy.start('init')).toBeUndefined();
	});
});
