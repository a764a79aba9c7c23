/**
 * Output examples in docs/: each is exactly what the node returns for the sandbox of `npm run sandbox`,
 * or the trigger for a new reading.
 */
import { createWorld, TEAMS } from '../../dev/sandbox/world';
import { runNode } from '../helpers/engine';
import { outputInPages } from '../helpers/pages';
import { bloodPressure } from '../helpers/people';
import { byClientId, bloodPressureOf, listUsers, resolve, useSandbox } from '../helpers/requests';
import { watch } from '../helpers/watch';

const used = useSandbox(() => ({ world: createWorld() }));
const day = { startDate: '2026-03-02', endDate: '2026-03-02', returnAll: false, limit: 1 };

it.each([
	['bloodPressure', bloodPressureOf(byClientId('app-user-0002'), day)],
	['mindfulnessMinutes', { ...bloodPressureOf(byClientId('app-user-0007'), day), operation: 'mindfulnessMinutes' }],
	['daily', bloodPressureOf(byClientId('app-user-0002'), { ...day, output: 'daily' })],
	['summary', bloodPressureOf(byClientId('app-user-0002'), { endDate: '2026-03-07', output: 'summary' })],
	[
		'grouped',
		bloodPressureOf(byClientId('app-user-0002'), {
			...day,
			output: 'grouped',
			provider: { __rl: true, mode: 'slug', value: 'withings' },
		}),
	],
	['list', listUsers({ limit: 1, options: { offset: 1 } })],
	// The page shows the record once: Resolve gives the same as List.
	['list', resolve('app-user-0002')],
])('%s', async (name, parameters) => {
	const credential = { ...used.credential, apiKey: TEAMS[0].key };
	const { rows, error } = await runNode({ credential, parameters, timezone: 'UTC' });
	expect(error).toBeUndefined();
	expect(rows).toEqual(outputInPages(name));
});

describe('the trigger', () => {
	const w = watch();

	it('gives what docs/trigger.md shows', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, bloodPressure('2026-06-01T11:58:20Z', 151, 93));
		expect(await n8n.tick()).toEqual(outputInPages('trigger'));
	});
});
