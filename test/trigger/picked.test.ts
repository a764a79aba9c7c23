/** Picked user: emitted rows have their `client_user_id`, which is requested only for them; nothing else changes. */
import type { INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import { byUserId } from '../helpers/requests';
import { MINUTE, onBothSchedulers, valuesOf, watch } from '../helpers/watch';

const BUDGET_MS = 2500;

const picked = ({ user_id }: User, row: string): INodeParameters => ({
	event: 'bloodPressure',
	userScope: 'one',
	user: { __rl: true, mode: 'list', value: user_id, cachedResultName: row },
});

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const anna = (row = 'anna (Omron)') => picked(w.anna, row);
	const resolves = () => w.used.sandbox.requests.filter((url) => url.includes('/resolve/'));
	const whenResolved = (fault: { delayMs: number } | { status: number }) => {
		w.used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/') ? fault : undefined);
	};

	it('sends a request when rows are emitted, and none in other polls', async () => {
		w.history.add(w.anna, w.reading(-60, 120));
		const n8n = w.trigger(anna());
		await n8n.start();
		expect(await n8n.tick()).toBeUndefined();
		expect(resolves()).toEqual([]);
		w.history.add(w.anna, w.reading(0, 121));
		w.history.add(w.anna, w.reading(1, 122, 'withings'));
		w.pass(2 * MINUTE);
		expect(await n8n.tick()).toMatchObject([
			{ systolic: 121, client_user_id: 'anna', change: 'created' },
			{ systolic: 122, client_user_id: 'anna' },
		]);
		expect(resolves()).toEqual(['/v2/user/resolve/anna']);
		expect(await n8n.tick()).toBeUndefined();
		expect(resolves()).toHaveLength(1);
	});

	it.each(['ben (Omron)', 'carl (Omron)'])('never has the name of another user: %s', async (row) => {
		const n8n = w.trigger(anna(row));
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		expect(await n8n.tick()).toMatchObject([{ systolic: 121, client_user_id: null }]);
	});

	it('emits new readings though Resolve fails', async () => {
		const n8n = w.trigger(anna());
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		whenResolved({ status: 500 });
		expect(await n8n.tick()).toMatchObject([{ systolic: 121, client_user_id: null }]);
		expect(n8n.reported).toEqual([]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it.each([
		['', {}],
		['and has to wait for its turn', { requestsPerSecond: 0.5 }],
	])('emits within its budget though Resolve hangs %s', async (_, options) => {
		const n8n = w.trigger({ ...anna(), options }, { budgetMs: BUDGET_MS });
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		whenResolved({ delayMs: 4000 });
		const begun = w.time.elapsed;
		expect(await n8n.tick()).toMatchObject([{ systolic: 121, client_user_id: null }]);
		expect(w.time.elapsed - begun).toBeLessThanOrEqual(BUDGET_MS);
	});

	it('watches the same user after a row without a saved name', async () => {
		const n8n = w.trigger({ ...anna(''), user: byUserId(w.anna.user_id) });
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		n8n.parameters = anna();
		n8n.kill();
		await n8n.start('init');
		await n8n.tick();
		expect(valuesOf(n8n.executions.flat())).toEqual([121]);
	});

	it('the test event has it, too', async () => {
		w.history.add(w.anna, w.reading(-60, 120));
		expect(await w.trigger(anna()).fetchTestEvent()).toMatchObject([{ client_user_id: 'anna' }]);
		expect(resolves()).toHaveLength(1);
	});
});

describe('a test event', () => {
	const w = watch();

	it('is found within ten seconds though the readings are slow and Resolve hangs', async () => {
		w.history.add(w.anna, w.reading(-80 * 24 * 60, 120));
		w.used.sandbox.switches.fault = (_, url) => ({ delayMs: url.includes('/resolve/') ? 7000 : 2400 });
		const begun = w.time.elapsed;
		expect(await w.trigger(picked(w.anna, 'anna (Omron)')).fetchTestEvent()).toMatchObject([{ client_user_id: null }]);
		expect(w.time.elapsed - begun).toBeLessThanOrEqual(10_000);
	});
});
