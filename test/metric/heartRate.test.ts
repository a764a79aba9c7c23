/**
 * What a metric is once it has an entry in the node's table and in the sandbox's: here that of docs/adding-a-metric.md, so this
 * runs in a copy of the repository in which the page was followed (test/package/addingAMetric.test.js).
 */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { HealthDataService } from '../../nodes/HealthDataService/HealthDataService.node.ts';
import { HealthDataServiceTrigger } from '../../nodes/HealthDataService/HealthDataServiceTrigger.node.ts';
import type { MetricName } from '../../dev/sandbox/metrics';
import { createWorld, TEAMS } from '../../dev/sandbox/world';
import { runNode } from '../helpers/engine';
import { PollingHost } from '../helpers/pollingHost';
import { bloodPressureOf, byClientId, useSandbox } from '../helpers/requests';

const used = useSandbox(() => ({ world: createWorld(), switches: { pageSize: 4 } }));
const run = async (more = {}) =>
	await runNode({
		credential: { ...used.credential, apiKey: TEAMS[0].key },
		parameters: {
			...bloodPressureOf(byClientId('app-user-0007'), { startDate: '2026-03-01', endDate: '2026-03-05', ...more }),
			operation: 'heartRate',
		},
		timezone: 'UTC',
	});
const user = () => used.sandbox.world.teams[0].users[6];
const samples = () =>
	used.sandbox.world.readings(
		user().user_id,
		'heart_rate' as MetricName,
		Date.UTC(2026, 2, 1),
		Date.UTC(2026, 2, 6) - 1,
	);

it('is offered as an operation, with every field of the others', () => {
	const { properties } = new HealthDataService().description;
	const shownFor = ({ displayOptions }: INodeProperties, operation: string) =>
		displayOptions?.show?.operation?.includes(operation);
	const { options } = properties.find(
		({ name, displayOptions }) => name === 'operation' && displayOptions?.show?.resource?.includes('timeseries'),
	)!;
	expect((options as INodePropertyOptions[]).map(({ name, action }) => [name, action])).toContainEqual([
		'Heart Rate',
		'Get heart rate',
	]);
	// Limits are of a metric.
	const shared = properties.filter(({ name }) => name !== 'limits');
	for (const property of shared) expect(shownFor(property, 'heartRate')).toBe(shownFor(property, 'bloodPressure'));
});

it('gives rows with its own columns, over all pages', async () => {
	const { rows, error } = await run();
	expect(error).toBeUndefined();
	const expected = samples().map(({ point, source, time }) => ({
		row_id: expect.stringMatching(/^heartRate-[0-9a-f]{32}$/),
		user_id: user().user_id,
		client_user_id: 'app-user-0007',
		local_time: new Date(time).toISOString().slice(0, 19).replace('T', ' '),
		...point,
		provider: source.provider,
		source_type: source.type,
	}));
	expect(expected.length).toBeGreaterThan(8);
	expect(Object.keys(rows[0]).join(' ')).toBe(
		'client_user_id local_time value unit provider source_type timestamp user_id row_id',
	);
	const inOrder = (all: typeof rows) => [...all].sort((a, b) => `${a.timestamp}`.localeCompare(`${b.timestamp}`));
	expect(inOrder(rows)).toEqual(inOrder(expected));
	expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(rows.length);
	expect(used.sandbox.requests.filter((url) => url.includes(`/${user().user_id}/heart_rate/grouped?`))).toHaveLength(
		Math.ceil(expected.length / 4),
	);
});

it('is an event of the trigger, too', async () => {
	const [{ options }] = new HealthDataServiceTrigger().description.properties;
	expect(options).toContainEqual({ name: 'New Heart Rate', value: 'heartRate' });

	const n8n = new PollingHost(
		{ ...used.credential, apiKey: TEAMS[0].key },
		{ event: 'heartRate', userScope: 'one', user: byClientId('app-user-0007') },
	);
	const days = (count: number) => Date.UTC(2026, 2, 5) + count * 24 * 3_600_000;
	let now = days(0);
	used.sandbox.switches.now = () => now;
	const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
	await n8n.start();
	now = days(2);
	const arrived = used.sandbox.world
		.readings(user().user_id, 'heart_rate' as MetricName, days(-2), days(2))
		.filter((one) => one.arrived > days(0) && one.arrived <= days(2));
	expect(arrived).not.toHaveLength(0);
	expect(await n8n.tick()).toHaveLength(arrived.length);
	clock.mockRestore();
});
