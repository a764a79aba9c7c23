/**
 * A changed field is another watch, or the same one.
 */
import type { INodeParameters } from 'n8n-workflow';
import { mindfulness } from '../helpers/people';
import { byUserId } from '../helpers/requests';
import { everybody, iso, onBothSchedulers, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	it.each<[string, () => INodeParameters]>([
		['Trigger On', () => ({ event: 'mindfulnessMinutes', userScope: 'all' })],
		['Users', () => ({ ...everybody, userScope: 'one', user: byUserId(w.anna.user_id) })],
		['Provider', () => ({ ...everybody, provider: { __rl: true, mode: 'slug', value: 'omron' } })],
	])('%s starts afresh', async (_, parameters) => {
		const n8n = w.trigger();
		await n8n.start();
		n8n.parameters = parameters();
		w.history.add(w.anna, w.reading(0));
		w.history.add(w.anna, mindfulness(iso(w.clock), 10), { metric: 'mindfulness_minutes' });
		expect(await n8n.start()).toBeUndefined();
		expect(await n8n.tick()).toBeUndefined();
	});

	it('Lookback goes on', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0));
		n8n.parameters = { ...everybody, options: { lookback: 100 } };
		expect(await n8n.start()).toHaveLength(1);
	});
});
