/** A picked user: rows have the `client_user_id`, which each poll requests. */
import type { INodeParameters } from 'n8n-workflow';
import { MINUTE, onBothSchedulers, watch } from '../helpers/watch';

const BUDGET_MS = 2500;

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const picked = (): INodeParameters => ({
		event: 'bloodPressure',
		userScope: 'one',
		user: { __rl: true, mode: 'list', value: w.anna.user_id, cachedResultName: 'anna (Omron)' },
	});
	const resolves = () => w.used.sandbox.requests.filter((url) => url.includes('/resolve/'));
	const whenResolved = (fault: { delayMs: number } | { status: number }) => {
		w.used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/') ? fault : undefined);
	};

	it('is confirmed by a request in each poll', async () => {
		w.history.add(w.anna, w.reading(-60, 120));
		const n8n = w.trigger(picked());
		await n8n.start();
		w.used.sandbox.requests.length = 0;
		w.history.add(w.anna, w.reading(0, 121));
		w.history.add(w.anna, w.reading(1, 122, 'withings'));
		w.pass(2 * MINUTE);
		expect(await n8n.tick()).toMatchObject([
			{ systolic: 121, client_user_id: 'anna', local_time: '2026-06-01 12:00:00', change: 'created' },
			{ systolic: 122, client_user_id: 'anna' },
		]);
		expect(resolves()).toEqual(['/v2/user/resolve/anna']);
		expect(await n8n.tick()).toBeUndefined();
		expect(resolves()).toHaveLength(2);
	});

	it('emits new readings though Resolve fails', async () => {
		const n8n = w.trigger(picked());
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		whenResolved({ status: 500 });
		expect(await n8n.tick()).toMatchObject([{ systolic: 121, client_user_id: null }]);
		expect(n8n.reported).toEqual([]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it.each([
		['', {}],
		['and has to wait for its turn', { requestsPerSecond: 1 }],
	])('emits within its budget though Resolve hangs %s', async (_, options) => {
		const n8n = w.trigger({ ...picked(), options }, { budgetMs: BUDGET_MS });
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		whenResolved({ delayMs: 4000 });
		const begun = w.time.elapsed;
		expect(await n8n.tick()).toMatchObject([{ systolic: 121, client_user_id: null }]);
		expect(w.time.elapsed - begun).toBeLessThanOrEqual(BUDGET_MS);
	});

	it('the test event has it, too', async () => {
		w.history.add(w.anna, w.reading(-60, 120));
		expect(await w.trigger(picked()).fetchTestEvent()).toMatchObject([{ client_user_id: 'anna' }]);
		expect(resolves()).toHaveLength(1);
	});

	it('a test event is found within ten seconds though the readings are slow and Resolve hangs', async () => {
		w.history.add(w.anna, w.reading(-80 * 24 * 60, 120));
		w.used.sandbox.switches.fault = (_, url) => ({ delayMs: url.includes('/resolve/') ? 7000 : 2400 });
		const begun = w.time.elapsed;
		expect(await w.trigger(picked()).fetchTestEvent()).toMatchObject([{ client_user_id: null }]);
		expect(w.time.elapsed - begun).toBeLessThanOrEqual(10_000);
	});
});
