/** Failed polls: at activation, when n8n starts, at a poll time. */
import type { INodeParameters } from 'n8n-workflow';
import { byClientId, byUserId } from '../helpers/requests';
import { allUsers, HOUR, MINUTE, onBothSchedulers, valuesOf, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	const wrongKey = () => ({ ...w.used.credential, apiKey: 'wrong' });
	const outage = () => ({ status: 503 });

	it.each([1, 2, 3, 4])('from request %i on loses nothing', async (failing) => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		w.history.add(w.ben, w.reading(0, 122));
		const before = w.used.sandbox.requests.length;
		w.used.sandbox.switches.fault = (number) => (number >= before + failing ? { status: 500 } : undefined);
		// Requests 1 and 2 are the list and its end, the others are one for each user.
		// Neither user is read after request 3, and the list no more.
		if (failing < 3) await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '500' });
		else expect((await n8n.tick()) ?? []).toHaveLength(failing - 3);
		expect(n8n.reported).toHaveLength(failing < 3 ? 0 : 1);
		w.used.sandbox.switches.fault = () => undefined;
		await n8n.tick();
		expect(valuesOf(n8n.executions.flat())!.sort()).toEqual([121, 122]);
	});

	it('for a wrong key is an error at activation', async () => {
		const n8n = w.trigger();
		n8n.credential = wrongKey();
		await expect(n8n.start()).rejects.toMatchObject({ message: 'The service did not accept the API key (status 401)' });
	});

	it.each<[string, 'activate' | 'init']>([
		['an outage at activation', 'activate'],
		['an outage when n8n starts', 'init'],
	])('for %s leaves the trigger alive', async (_, mode) => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0));
		w.used.sandbox.switches.fault = outage;
		expect(await n8n.start(mode)).toBeUndefined();
		await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '503' });
		w.used.sandbox.switches.fault = () => undefined;
		expect(await n8n.tick()).toHaveLength(1);
	});

	it.each<[string, 'init' | 'leadershipChange']>([
		['when n8n starts', 'init'],
		['when another main process takes over', 'leadershipChange'],
	])('for a wrong key %s leaves the trigger alive, and the next poll fails', async (_, mode) => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0));
		n8n.credential = wrongKey();
		expect(await n8n.start(mode)).toBeUndefined();
		await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '401' });
		n8n.kill();
		n8n.credential = w.used.credential;
		expect(await n8n.start(mode)).toHaveLength(1);
	});

	it('from the first one on: readings measured after activation stay new', async () => {
		w.history.add(w.anna, w.reading(-1));
		w.used.sandbox.switches.fault = outage;
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.ben, w.reading(30, 131));
		w.pass(HOUR);
		await expect(n8n.tick()).rejects.toThrow();
		w.used.sandbox.switches.fault = () => undefined;
		expect(await n8n.tick()).toMatchObject([{ systolic: 131 }]);
	});

	it('from the first one on, and then without new readings: the readings seen are saved nevertheless', async () => {
		w.history.add(w.anna, w.reading(-1));
		w.used.sandbox.switches.fault = outage;
		const n8n = w.trigger();
		await n8n.start();
		w.used.sandbox.switches.fault = () => undefined;
		w.pass(HOUR);
		// In memory n8n saves with an execution: an empty one.
		expect(await n8n.tick()).toEqual(scheduler === 'memory' ? [] : undefined);
		n8n.kill();
		w.history.add(w.ben, w.reading(-90), { late: 90 * MINUTE });
		w.history.add(w.ben, w.reading(0));
		expect(await n8n.start('init')).toHaveLength(2);
		expect(await n8n.tick()).toBeUndefined();
	});

	it.each<[string, INodeParameters, string]>([
		['a user ID', { event: 'bloodPressure', user: byUserId('anna') }, "'User' is not a user ID"],
		['a lookback', { ...allUsers, options: { lookback: 0 } }, "'Lookback Hours' is not a whole number from 1 to 720"],
		[
			'an unknown user',
			{ event: 'bloodPressure', user: byClientId('unknown') },
			"There is no user with this 'Client User ID'",
		],
	])('for %s names the fields', async (_, parameters, message) => {
		await expect(w.trigger(parameters).start()).rejects.toMatchObject({ message });
	});
});
