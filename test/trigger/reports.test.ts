/** Reports of failed users: at the first failure, then every hour, one failed execution for all of them together. */
import { n8nLogger } from '../helpers/machine';
import { HOUR, MINUTE, onBothSchedulers, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const breakAll = (...names: string[]) => {
		w.used.sandbox.switches.users = Object.fromEntries(names.map((name) => [name, 'invalid' as const]));
	};
	beforeEach(() => void w.history.addUser('carl'));

	it('comes at the first failure and then every hour, for all users together', async () => {
		const n8n = w.trigger();
		await n8n.start();
		breakAll('anna');
		await n8n.tick();
		expect(n8n.reported).toHaveLength(1);
		w.pass(59 * MINUTE);
		await n8n.tick();
		expect(n8n.reported).toHaveLength(1);
		w.pass(MINUTE);
		await n8n.tick();
		expect(n8n.reported).toHaveLength(2);

		w.pass(30 * MINUTE);
		breakAll('anna', 'ben');
		await n8n.tick();
		expect(n8n.reported).toHaveLength(2);
		w.pass(30 * MINUTE);
		await n8n.tick();
		expect(n8n.reported).toHaveLength(3);
		expect(n8n.reported[2]).toMatchObject({
			message: expect.stringMatching(/^The readings of 2 users cannot be read\. The service did not accept/),
			// Results come as they are completed.
			description: expect.stringMatching(/^The first is [\w-]+\. /),
			httpCode: '422',
			failure: { cause: 'configuration-invalid' },
		});
		w.pass(59 * MINUTE);
		await n8n.tick();
		expect(n8n.reported).toHaveLength(3);
		w.pass(MINUTE);
		await n8n.tick();
		expect(n8n.reported).toHaveLength(4);
	});

	it('comes again after a new failure, and once an hour though another user fails in each poll', async () => {
		const n8n = w.trigger();
		await n8n.start();
		for (let minutes = 0; minutes < 6 * 60; minutes += 5) {
			breakAll(['anna', 'ben', 'carl'][(minutes / 5) % 3]);
			await n8n.tick();
			expect(n8n.reported).toHaveLength(1 + Math.floor(minutes / 60));
			w.pass(5 * MINUTE);
		}
	});

	it('recovered users are logged', async () => {
		const info = jest.spyOn(n8nLogger(), 'info').mockImplementation(() => {});
		const n8n = w.trigger();
		await n8n.start();
		breakAll('anna', 'ben');
		await n8n.tick();
		expect(info).not.toHaveBeenCalled();
		breakAll('ben');
		await n8n.tick();
		breakAll();
		await n8n.tick();
		expect(info.mock.calls.map(([message]) => message)).toEqual([
			'Workflow "Test", node "Node": The readings of 1 user can be read again.',
			'Workflow "Test", node "Node": The readings of 1 user can be read again.',
		]);
	});

	it('is no part of a manual test, which shows the readable users', async () => {
		w.history.add(w.ben, w.reading(-60, 133));
		breakAll('anna');
		const n8n = w.trigger();
		expect(await n8n.fetchTestEvent()).toMatchObject([{ systolic: 133 }]);
		expect(n8n.reported).toEqual([]);
	});

	it('is the error of a test event without any reading', async () => {
		breakAll('anna');
		const n8n = w.trigger();
		await expect(n8n.fetchTestEvent()).rejects.toMatchObject({ httpCode: '422' });
		expect(n8n.reported).toEqual([]);
	});

	it('is not delayed by a clock that was set back', async () => {
		const n8n = w.trigger();
		await n8n.start();
		breakAll('anna');
		w.pass(1000 * HOUR);
		await n8n.tick();
		w.pass(-1000 * HOUR);
		await n8n.tick();
		expect(n8n.reported).toHaveLength(2);
		await n8n.tick();
		expect(n8n.reported).toHaveLength(2);
	});
});
