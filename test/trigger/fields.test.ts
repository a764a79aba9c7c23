/** Changed fields: those that restart the trigger, and those that do not. */
import type { INodeParameters } from 'n8n-workflow';
import { mindfulness } from '../helpers/people';
import { byUserId } from '../helpers/requests';
import { allUsers, iso, onBothSchedulers, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	it.each<[string, () => INodeParameters]>([
		['Trigger On', () => ({ event: 'mindfulnessMinutes', userScope: 'all' })],
		['Users', () => ({ ...allUsers, userScope: 'one', user: byUserId(w.anna.user_id) })],
		['Provider', () => ({ ...allUsers, provider: { __rl: true, mode: 'slug', value: 'omron' } })],
	])('%s starts over', async (_, parameters) => {
		const n8n = w.trigger();
		await n8n.start();
		n8n.parameters = parameters();
		w.history.add(w.anna, w.reading(0));
		w.history.add(w.anna, mindfulness(iso(w.clock), 10), { metric: 'mindfulness_minutes' });
		expect(await n8n.start()).toBeUndefined();
		expect(await n8n.tick()).toBeUndefined();
	});

	it('Lookback continues', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0));
		n8n.parameters = { ...allUsers, options: { lookback: 100 } };
		expect(await n8n.start()).toHaveLength(1);
	});
});
