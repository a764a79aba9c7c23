/**
 * The trigger in n8n's engine: what docs/trigger.md shows. All else about it is in test/trigger.
 */
import { bloodPressure } from '../helpers/people';
import { outputInPages } from '../helpers/pages';
import { watch } from '../helpers/watch';

const w = watch();

it('gives what docs/trigger.md shows', async () => {
	const n8n = w.trigger();
	await n8n.start();
	w.history.add(w.anna, bloodPressure('2026-06-01T11:58:20Z', 151, 93));
	expect(await n8n.tick()).toEqual(outputInPages('trigger'));
});
