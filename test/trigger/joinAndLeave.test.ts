/** Users who join and leave: what they bring, and the event of a new user. */
import { HOUR, iso, MINUTE, onBothSchedulers, valuesOf, watch } from '../helpers/watch';

/** Of the new user `carl`: users of the trigger match their tables by it, so it must never change. */
const NEW_CARL = 'user-a192dc87c32456a3ea304ce87b672973';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	/** Of a user who comes onto a list: within the lookback of 48 hours, and older ones. */
	const OLD = [20, 60, 65];
	const bringsOld = (user = w.history.addUser('carl')) => {
		for (const hours of OLD) w.history.add(user, w.reading(-hours * 60, hours), { late: hours * HOUR });
		return user;
	};
	/** Polls while the newest reading is that of the user who came. */
	const poll = async (n8n: ReturnType<typeof w.trigger>, polls = 4) => {
		const rows: unknown[] = [];
		for (let i = 0; i < polls; i++) {
			w.pass(MINUTE);
			rows.push(...(valuesOf(await n8n.tick()) ?? []));
		}
		return rows;
	};

	it('a user who joined while n8n was down loses nothing, however long that was', async () => {
		const n8n = w.trigger();
		await n8n.start();
		n8n.kill();
		w.pass(24 * HOUR);
		w.history.add(w.history.addUser('cleo'), w.reading(0, 121));
		w.pass(20 * 24 * HOUR);
		expect(valuesOf(await n8n.start('init'))).toEqual([121]);
	});

	it('a user who joins brings nothing older than the lookback, also when the window moves back', async () => {
		const n8n = w.trigger();
		w.history.add(w.anna, w.reading(0));
		await n8n.start();
		bringsOld();
		w.history.removeUser(w.anna);
		expect(await poll(n8n)).toEqual([20]);
		// The others may be late.
		w.history.add(w.ben, w.reading(-30 * 60, 30), { late: 30 * HOUR });
		w.pass(MINUTE);
		expect(valuesOf(await n8n.tick())).toEqual([30]);
	});

	it('a user who was never read and is gone ends no pass: who joins brings nothing older than the lookback', async () => {
		w.used.sandbox.switches.users = { ben: 'removed' };
		const n8n = w.trigger();
		await n8n.start();
		w.pass(100 * HOUR);
		await n8n.tick();
		bringsOld();
		expect(await poll(n8n)).toEqual([20]);
	});

	it('a user who leaves and comes back within the lookback brings nothing twice', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		expect(await poll(n8n, 1)).toEqual([121]);
		for (const users of [[w.ben], [w.ben, w.anna]]) {
			w.history.team.users = users;
			expect(await poll(n8n, 2)).toEqual([]);
		}
	});

	it('new users', async () => {
		const n8n = w.trigger({ event: 'user' });
		expect(await n8n.start()).toBeUndefined();
		w.pass(HOUR);
		const carl = w.history.addUser('carl', iso(w.clock));
		const [row] = (await n8n.tick())!;
		expect(row).toMatchObject({ ...carl, row_id: NEW_CARL, change: 'created' });
		expect(Object.keys(row).slice(0, 2)).toEqual(['row_id', 'change']);
		carl.connected_sources.pop();
		expect(await n8n.tick()).toBeUndefined();
	});
});
