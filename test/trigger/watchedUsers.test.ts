/**
 * Watched users and readings: one user, one provider, users that join and leave.
 */
import { byClientId, byUserId, queryOf } from '../helpers/requests';
import { allUsers, HOUR, iso, MINUTE, onBothSchedulers, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	it.each([
		['By Client User ID', () => byClientId('anna')],
		['By User ID', () => byUserId(w.anna.user_id)],
	])('one user, %s', async (_, user) => {
		const n8n = w.trigger({ event: 'bloodPressure', userScope: 'one', user: user() });
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		w.history.add(w.ben, w.reading(0, 122));
		expect((await n8n.tick())!.map(({ systolic }) => systolic)).toEqual([121]);
	});

	it('requests one provider', async () => {
		const n8n = w.trigger({ ...allUsers, provider: { __rl: true, mode: 'slug', value: ' withings ' } });
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		w.history.add(w.anna, w.reading(0, 122, 'withings'));
		expect((await n8n.tick())!.map(({ systolic }) => systolic)).toEqual([122]);
		expect(queryOf(w.used.sandbox.requests.at(-1)!).provider).toBe('withings');
	});

	it('users who join are watched, those who left are not', async () => {
		const n8n = w.trigger();
		await n8n.start();
		const carl = w.history.addUser('carl');
		w.history.add(carl, w.reading(-60), { late: 60 * MINUTE });
		w.history.add(w.ben, w.reading(0));
		w.history.removeUser(w.ben);
		expect((await n8n.tick())!.map(({ client_user_id }) => client_user_id)).toEqual(['carl']);
	});

	it('new users', async () => {
		const n8n = w.trigger({ event: 'user' });
		expect(await n8n.start()).toBeUndefined();
		w.pass(HOUR);
		const carl = w.history.addUser('carl', iso(w.clock));
		const [row] = (await n8n.tick())!;
		expect(row).toMatchObject({ ...carl, id: expect.stringMatching(/^user-/), change: 'created' });
		carl.connected_sources.pop();
		expect(await n8n.tick()).toBeUndefined();
	});
});
