/** Output previews, which the editor shows before anything has run: they match the node's output. */
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { HealthDataService } from '../../nodes/HealthDataService/HealthDataService.node.ts';
import { metrics } from '../../nodes/HealthDataService/service/metrics';
import { previewOf } from '../../dev/scripts/previews';
import type { MetricName } from '../../dev/sandbox/metrics';
import { createWorld, TEAMS } from '../../dev/sandbox/world';
import { runNode } from '../helpers/engine';
import { byClientId, bloodPressureOf, listUsers, resolve, useSandbox } from '../helpers/requests';

interface Schema {
	type: string | string[];
	properties?: Record<string, Schema>;
	items?: Schema;
}

const world = createWorld();
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

const used = useSandbox(() => ({ world }));

it('every operation has one', () => {
	expect(Object.keys(RUNS).sort()).toEqual(operations.sort());
});

it.each(Object.entries(RUNS))('%s', async (path, parameters) => {
	const schema = await previewAt(path);
	const { rows } = await runNode({ credential: { ...used.credential, apiKey: TEAMS[0].key }, parameters });
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
