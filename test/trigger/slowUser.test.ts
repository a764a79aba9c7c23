/** Slow user: an endless answer does not hold up the poll, the others' readings are emitted, and the user is marked as failed. */
import { allUsers, failedUsers, MINUTE, onBothSchedulers, savedState, valuesOf, watch } from '../helpers/watch';

const BUDGET_MS = 2500;

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const watching = async () => {
		for (let i = 0; i < 12; i++) w.history.addUser(`user ${i}`);
		const n8n = w.trigger(allUsers, { budgetMs: BUDGET_MS });
		await n8n.start();
		return n8n;
	};
	const TROUBLES: Array<[string, () => void]> = [
		[
			'hangs',
			() => {
				w.used.sandbox.switches.fault = (_, url) => (url.includes(w.anna.user_id) ? { delayMs: 8000 } : undefined);
			},
		],
		[
			'has endless pages',
			() => {
				w.used.sandbox.switches.users = { anna: 'endless' };
				w.used.sandbox.switches.latencyMs = 50;
			},
		],
	];

	it.each(TROUBLES)('%s: every poll ends, with the readings of the others', async (_, trouble) => {
		const n8n = await watching();
		w.history.add(w.anna, w.reading(0, 121));
		trouble();
		const others = w.history.team.users.slice(1);
		for (let poll = 0; poll < 3; poll++) {
			w.pass(MINUTE);
			for (const user of others) w.history.add(user, w.reading(0, 130 + poll));
			const begun = w.time.elapsed;
			await n8n.tick();
			expect(w.time.elapsed - begun).toBeLessThanOrEqual(BUDGET_MS);
		}
		expect(valuesOf(n8n.executions.flat())!.sort()).toEqual(
			[130, 131, 132].flatMap((value) => others.map(() => value)),
		);
		expect(n8n.reported[0]).toMatchObject({ failure: { cause: 'temporarily-unavailable' } });
		expect(failedUsers(savedState(n8n))).toBe(1);

		w.used.sandbox.switches.fault = () => undefined;
		w.used.sandbox.switches.users = {};
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('time in the queue does not count as slowness: if all are slow, all are read, and none is marked as failed', async () => {
		const n8n = w.trigger({ ...allUsers, options: { concurrency: 1 } }, { budgetMs: 60_000 });
		for (let i = 0; i < 10; i++) w.history.addUser(`user ${i}`);
		await n8n.start();
		n8n.options.budgetMs = 2000;
		w.used.sandbox.switches.latencyMs = 400;
		const all = w.history.team.users.map((user) => w.history.add(user, w.reading(0, 121)));
		for (let poll = 0; poll < 12 && n8n.executions.flat().length < all.length; poll++) {
			w.pass(MINUTE);
			await n8n.tick();
			expect(failedUsers(savedState(n8n))).toBe(0);
		}
		expect(n8n.executions.flat()).toHaveLength(all.length);
		expect(n8n.reported).toEqual([]);
	});
});
