/**
 * The trigger in n8n's engine: what docs/trigger.md shows, and fields that hold expressions. All else about it is in test/trigger.
 */
import { bloodPressure } from '../helpers/people';
import { outputInPages } from '../helpers/pages';
import { byClientId } from '../helpers/requests';
import { valuesOf, watch } from '../helpers/watch';

const w = watch();

it('gives what docs/trigger.md shows', async () => {
	const n8n = w.trigger();
	await n8n.start();
	w.history.add(w.anna, bloodPressure('2026-06-01T11:58:20Z', 151, 93));
	expect(await n8n.tick()).toEqual(outputInPages('trigger'));
});

it('reads expressions in its fields', async () => {
	const n8n = w.trigger({
		event: 'bloodPressure',
		userScope: '={{ "o" + "ne" }}',
		user: byClientId('={{ "an" + "na" }}'),
		options: { lookback: '={{ 1 + 1 }}' },
	});
	w.history.add(w.anna, w.reading(0, 120));
	await n8n.start();
	w.history.add(w.anna, w.reading(-119, 121));
	w.history.add(w.ben, w.reading(-119, 122));
	w.history.add(w.anna, w.reading(-121, 123));
	expect(valuesOf(await n8n.tick())).toEqual([121]);
});
