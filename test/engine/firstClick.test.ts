/**
 * What a newcomer sees: the first click of each operation and of the trigger, with all defaults, on the sandbox as it starts. Output
 * previews, which the editor shows before anything has run, match the node's output. Output examples in docs/ are exactly what
 * the node returns for the sandbox of `npm run sandbox`, or the trigger for a new reading.
 */
import type { IDataObject, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import type { MetricName } from '../../dev/sandbox/metrics';
import { createWorld, TEAMS } from '../../dev/sandbox/world';
import { previewOf } from '../../dev/scripts/previews';
import { HealthDataService } from '../../nodes/HealthDataService/HealthDataService.node.ts';
import { metrics } from '../../nodes/HealthDataService/service/readings/metrics';
import { runNode } from '../helpers/engine';
import { outputInPages } from '../helpers/pages';
import { bloodPressure } from '../helpers/people';
import { PollingHost } from '../helpers/pollingHost';
import { bloodPressureOf, byClientId, listUsers, resolve, useSandbox } from '../helpers/requests';
import { useVirtualTime } from '../helpers/virtualTime';
import { watch } from '../helpers/watch';

const world = createWorld();
const used = useSandbox(() => ({ world }));
const credential = () => ({ ...used.credential, apiKey: TEAMS[0].key });

describe('the first click', () => {
	// At today's date, as the sandbox starts: a slow machine must not end the nine seconds of a test event.
	useVirtualTime(Date.now());

	it.each<[string, INodeParameters]>([
		['with nothing chosen', {}],
		['of Mindfulness Minutes', { operation: 'mindfulnessMinutes' }],
		['of User → List', { resource: 'user' }],
	])('%s gives rows', async (_, parameters) => {
		const { rows, error } = await runNode({ credential: credential(), parameters });
		expect(error).toBeUndefined();
		expect(rows).toHaveLength(50);
	});

	it.each<[string, INodeParameters, object]>([
		['Mindfulness Minutes', { event: 'mindfulnessMinutes' }, {}],
		['New User', { event: 'user' }, {}],
		[
			'a high reading',
			{ event: 'bloodPressure', limits: { high: { systolic: 180, diastolic: 110 } } },
			{ systolic: 186, diastolic: 112 },
		],
	])('of Fetch Test Event shows %s', async (_, parameters, expected) => {
		expect(await new PollingHost(credential(), parameters).fetchTestEvent()).toMatchObject([expected]);
	});
});

describe('preview', () => {
	interface Schema {
		type: string | string[];
		properties?: Record<string, Schema>;
		items?: Schema;
	}

	const MARCH = [Date.UTC(2026, 2, 1), Date.UTC(2026, 3, 1) - 1] as const;

	/** The default output of an operation on a metric: of the first user of the team with readings of it. */
	function readingsOf({ value, path }: (typeof metrics)[number]) {
		const measures = ({ user_id }: { user_id: string }) =>
			world.readings(user_id, path as MetricName, ...MARCH).length > 0;
		const { client_user_id } = world.teams[0].users.find(measures)!;
		return { ...bloodPressureOf(byClientId(client_user_id)), operation: value };
	}

	/** … and of the others, for a user with all fields of the contract. */
	const RUNS = {
		...Object.fromEntries(metrics.map((metric) => [`timeseries/${metric.value}`, readingsOf(metric)])),
		'user/list': listUsers({ limit: 240 }),
		'user/resolve': resolve('app-user-0002'),
	};
	/** What is there before anything has run, by the same names: made at the build, or a file. */
	async function previewAt(path: string): Promise<Schema> {
		const metric = metrics.find(({ value }) => path === `timeseries/${value}`);
		return metric ? previewOf(metric) : await import(`../../nodes/HealthDataService/__schema__/v1.0.0/${path}.json`);
	}
	const operations = new HealthDataService().description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options }) =>
			options!.map((option) => `${displayOptions!.show!.resource![0]}/${(option as INodePropertyOptions).value}`),
		);

	it('every operation has one', () => {
		expect(Object.keys(RUNS).sort()).toEqual(operations.sort());
	});

	it.each(Object.entries(RUNS))('%s', async (path, parameters) => {
		const schema = await previewAt(path);
		const { rows } = await runNode({ credential: credential(), parameters });
		expect(rows.length).toBeGreaterThan(0);
		for (const row of rows) expect(misfits(schema, row)).toEqual([]);
		expect(Object.keys(rows[0])).toEqual(Object.keys(schema.properties!));
	});

	/** Where a value is not what the schema says: another type, or a field that it does not show. */
	function misfits({ type, properties, items }: Schema, value: unknown, at = ''): string[] {
		const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
		if (![type].flat().includes(kind)) return [`${at} is ${kind}`];
		if (kind === 'array') return (value as unknown[]).flatMap((one, index) => misfits(items!, one, `${at}[${index}]`));
		if (kind !== 'object') return [];
		return Object.entries(value as IDataObject).flatMap(([name, inner]) =>
			properties![name] ? misfits(properties![name], inner, `${at}.${name}`) : [`${at}.${name} is not shown`],
		);
	}
});

describe('example in docs', () => {
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
		const { rows, error } = await runNode({ credential: credential(), parameters, timezone: 'UTC' });
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
});
