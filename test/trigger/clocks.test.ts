/** Wrong clocks: n8n's at activation or for one poll, a device's permanently. */
import type { User } from '../../dev/sandbox/schemas';
import type { Reading } from '../../dev/sandbox/world';
import type { PollingHost } from '../helpers/pollingHost';
import { allUsers, HOUR, MINUTE, onBothSchedulers, valuesOf, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	it.each<[string, number, number]>([
		['a day behind', -24, 48],
		['five hours ahead', 5, 48],
		['five hours ahead, with a short lookback', 5, 2],
		['almost a day ahead, with a short lookback', 23, 1],
	])('%s at activation: nothing old, nothing lost, nothing twice', async (_, hours, lookback) => {
		for (let hour = 1; hour < 30; hour++) w.history.add(w.anna, w.reading(-hour * 60, 90));
		w.time.error = hours * HOUR;
		const n8n = w.trigger({ ...allUsers, options: { lookback } });
		expect(await n8n.start()).toBeUndefined();
		for (let i = 0; i < 10; i++) {
			if (i === 3) w.time.error = 0;
			w.pass(5 * MINUTE);
			w.history.add(i % 2 ? w.anna : w.ben, w.reading(-1, 100 + i));
			await n8n.tick();
		}
		expect(valuesOf(n8n.executions.flat())).toEqual(Array.from({ length: 10 }, (_, i) => 100 + i));
	});

	it.each<[string, number, number]>([
		['five hours ahead', 5, 2],
		['twenty hours ahead', 20, 2],
		['three days ahead', 72, 48],
		['a day behind', -24, 2],
		['a month behind', -720, 48],
	])('%s for one poll, where nothing was read yet: nothing is lost', async (_, hours, lookback) => {
		const n8n = w.trigger({ ...allUsers, options: { lookback } });
		await n8n.start();
		w.time.error = hours * HOUR;
		await n8n.tick().catch(() => undefined);
		w.time.error = 0;
		w.history.add(w.anna, w.reading(-30, 121), { late: 30 * MINUTE });
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('five hours ahead at activation, where a user fails: what is measured after it goes out', async () => {
		w.time.error = 5 * HOUR;
		w.used.sandbox.switches.users = { anna: 'fails' };
		const n8n = w.trigger();
		await n8n.start();
		w.time.error = 0;
		w.used.sandbox.switches.users = {};
		w.pass(5 * MINUTE);
		w.history.add(w.anna, w.reading(-1, 121));
		expect(valuesOf(await n8n.tick())).toEqual([121]);
	});

	it('ahead for one poll, together with that of a device: a late reading is not passed over, an old one is not new', async () => {
		w.history.add(w.anna, w.reading(-60 * 60, 90));
		const n8n = w.trigger();
		await n8n.start();
		w.time.error = 5 * HOUR;
		w.used.sandbox.switches.now = () => w.clock + w.time.error;
		w.history.add(w.anna, w.reading(2 * 60, 121));
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		w.time.error = 0;
		w.history.add(w.anna, w.reading(-47 * 60, 122), { late: 47 * HOUR });
		expect(valuesOf(await n8n.tick())).toEqual([122]);
	});

	it('of a device, half a minute ahead at the publication: what is there then is old', async () => {
		withTheFuture();
		w.history.add(w.anna, w.reading(0.5, 121));
		const n8n = w.trigger();
		expect(await n8n.start()).toBeUndefined();
		expect(await n8n.tick()).toBeUndefined();
	});

	it('a month ahead at the publication, of a service without a time: old until it is right, and never again', async () => {
		withTheFuture();
		w.used.sandbox.switches.date = () => undefined;
		for (let hour = 1; hour < 99; hour++) w.history.add(w.anna, w.reading(-hour * 60, 90));
		w.time.error = 30 * 24 * HOUR;
		const n8n = w.trigger();
		await n8n.start();
		w.pass(5 * MINUTE);
		w.time.error = 0;
		expect(await n8n.tick()).toBeUndefined();
		w.history.add(w.anna, w.reading(-40 * 60, 121));
		w.history.add(w.ben, w.reading(0, 122));
		expect(valuesOf(await n8n.tick())).toEqual([121, 122]);
		expect(await n8n.tick()).toBeUndefined();
	});

	/** The service's time is a month ahead for one poll, and for what is done then. */
	const aMonthAhead = async (n8n: PollingHost) => {
		await n8n.start();
		withTheFuture();
		w.used.sandbox.switches.date = () => w.clock + 30 * 24 * HOUR;
		await n8n.tick();
	};

	it("the service's time, a month ahead while a user joins: no reading of the lookback is lost", async () => {
		const n8n = w.trigger();
		await aMonthAhead(n8n);
		const eve = w.history.addUser('eve');
		for (const hour of [75, 47, 1]) w.history.add(eve, w.reading(-hour * 60, 200 - hour));
		expect(valuesOf(await n8n.tick())).toEqual([153, 199]);
		w.used.sandbox.switches.date = () => w.clock;
		w.history.add(eve, w.reading(0, 123));
		expect(valuesOf(await n8n.tick())).toEqual([123]);
	});

	it("the service's time, a month ahead while an entry is added: no later reading is lost", async () => {
		const listed = (...users: User[]) => ({
			...allUsers,
			userScope: 'listed',
			userIds: users.map(({ user_id: id }) => id).join(),
		});
		const n8n = w.trigger(listed(w.anna));
		await aMonthAhead(n8n);
		n8n.parameters = listed(w.anna, w.ben);
		expect(await n8n.start()).toBeUndefined();
		w.history.add(w.ben, w.reading(1, 121));
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		w.used.sandbox.switches.date = () => w.clock;
		w.history.add(w.ben, w.reading(2, 122));
		expect(valuesOf(await n8n.tick())).toEqual([122]);
	});

	it('a month behind while a user is read, of a service without a time: what was there stays old', async () => {
		w.used.sandbox.switches.date = () => undefined;
		for (let day = 1; day < 40; day++) w.history.add(w.anna, w.reading(-day * 24 * 60, 90));
		const n8n = w.trigger();
		await n8n.start();
		w.time.error = -30 * 24 * HOUR;
		w.history.add(w.anna, w.reading(-1, 121));
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		w.time.error = 0;
		w.history.add(w.anna, w.reading(-30, 122), { late: 30 * MINUTE });
		expect(valuesOf(await n8n.tick())).toEqual([122]);
		expect(await n8n.tick()).toBeUndefined();
	});

	/** The service gives what a device measured in the future. */
	const withTheFuture = () => {
		w.used.sandbox.switches.now = () => Date.UTC(2100, 0, 1);
		w.used.sandbox.switches.date = () => w.clock;
	};

	const days = [3, 365];
	it.each(days.flatMap((ahead) => [true, false].map((hasDate) => [ahead, hasDate] as const)))(
		'%i days ahead for one poll, while a device writes 2099, of a service that sends its time: %s',
		async (ahead, hasDate) => {
			const n8n = w.trigger();
			withTheFuture();
			if (!hasDate) w.used.sandbox.switches.date = () => undefined;
			const old = w.history.add(w.anna, w.reading(-47 * 60, 119));
			await n8n.start();
			w.history.add(w.ben, at2099(w.reading(0, 200)));
			w.pass(5 * MINUTE);
			w.time.error = ahead * 24 * HOUR;
			expect(valuesOf(await n8n.tick())).toEqual([200]);
			w.time.error = 0;
			// The newest wait for their arrival longest.
			const late = Array.from({ length: 6 }, (_, i) => w.reading(-i * 9 * 60, 100 + i));
			for (const one of late.reverse()) {
				w.pass(MINUTE);
				w.history.add(w.anna, one, { late: w.clock - one.time });
				expect(valuesOf(await n8n.tick())).toEqual(valuesOf([one.point]));
			}
			// Its hash was not dropped.
			expect(w.history.entries).toContain(old);
			expect(await n8n.tick()).toBeUndefined();
		},
	);
});

/** The same reading, by a device that thinks it is 2099, and here all the same. */
const at2099 = (reading: Reading): Reading => ({
	...reading,
	time: Date.UTC(2099, 0, 1),
	point: { ...reading.point, timestamp: '2099-01-01T00:00:00+00:00' } as never,
});
