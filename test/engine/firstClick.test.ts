/** The first click of each operation and of the trigger, with all defaults, on the sandbox as it starts: rows come out. */
import type { INodeParameters } from 'n8n-workflow';
import { createWorld, TEAMS } from '../../dev/sandbox/world';
import { runNode } from '../helpers/engine';
import { PollingHost } from '../helpers/pollingHost';
import { useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';

// At today's date, as the sandbox starts: a slow machine must not end the nine seconds of a test event.
useVirtualTime(Date.now());
const used = useSandbox(() => ({ world: createWorld() }));
const credential = () => ({ ...used.credential, apiKey: TEAMS[0].key });

it.each<[string, INodeParameters, number]>([
	['nothing chosen', {}, 50],
	['Blood Pressure', { operation: 'bloodPressure' }, 50],
	['Mindfulness Minutes', { operation: 'mindfulnessMinutes' }, 50],
	['User → List', { resource: 'user' }, 50],
])('%s', async (_, parameters, expected) => {
	const { rows, error } = await runNode({ credential: credential(), parameters });
	expect(error).toBeUndefined();
	expect(rows).toHaveLength(expected);
});

describe('Fetch Test Event', () => {
	const show = async (parameters: INodeParameters) => await new PollingHost(credential(), parameters).fetchTestEvent();

	it.each(['bloodPressure', 'mindfulnessMinutes', 'user'])('of %s', async (event) => {
		expect(await show({ event })).toHaveLength(1);
	});

	it.each<[string, INodeParameters, object]>([
		['high', { high: { systolic: 180, diastolic: 110 } }, { systolic: 186, diastolic: 112 }],
		['low', { low: { systolic: 90, diastolic: 50 } }, { systolic: 88, diastolic: 48 }],
	])('shows a reading that is too %s', async (_, limits, expected) => {
		expect(await show({ event: 'bloodPressure', limits })).toMatchObject([expected]);
	});
});
