/**
 * The example "Sharded nightly read" in an n8n in queue mode: filled in as its notes tell a person to, and run.
 * sharded-nightly-read.json is the parent, sharded-nightly-read-shard.json what it calls.
 */
import type { IDataObject } from 'n8n-workflow';
import type { startQueue } from '../../dev/host/queue/queue';
import parent from '../../examples/sharded-nightly-read.json';
import shard from '../../examples/sharded-nightly-read-shard.json';

export type Queue = Awaited<ReturnType<typeof startQueue>>;
export type Settings = Record<string, string | number>;
type Node = (typeof parent | typeof shard)['nodes'][number];

/** On a slow machine. */
export const PATIENCE = { timeoutMs: 400_000, everyMs: 250 };

export interface Account {
	night: string;
	users: number;
	readings: number;
	shardsRunAgain: number;
	missing: number;
	reasons: Array<{ reason: string; users: number; user_ids: string[] }>;
}

/** Without it a shard does not start. */
export const HEADER = { name: 'x-shard-key', value: 'for the tests' };

/**
 * @param database of the readings: a new one, whose own time zone is far from everybody's
 * @returns the shard's workflow in place, and how to put the parent beside it
 */
export async function putNightlyRead(
	{ rest, baseUrl, postgres }: Queue,
	{ service, database }: { service: { baseUrl: string; apiKey: string }; database: string },
) {
	await postgres.query('postgres', `CREATE DATABASE ${database}`);
	await postgres.query('postgres', `ALTER DATABASE ${database} SET timezone TO 'Pacific/Auckland'`);
	const { host, port, user, password } = postgres;
	const values: Record<string, Record<string, unknown>> = {
		healthDataServiceApi: service,
		httpHeaderAuth: HEADER,
		postgres: { host, port, user, password, database, ssl: 'disable' },
	};
	const credentials: Record<string, { id: string; name: string }> = {};
	for (const [type, data] of Object.entries(values)) {
		const name = `${type} ${database}`;
		credentials[type] = { id: await rest.createCredential({ name, type, data }), name };
	}
	const filledIn = (node: Node) => {
		const type = credentialOf(node);
		return { ...node, ...(type && { credentials: { [type]: credentials[type] } }) };
	};
	const path = `health-data-shard-${database}`;

	const shardWorkflow = await rest.importWorkflow({
		...shard,
		// Kept, so that it can be seen what they did and how long it took.
		settings: { ...shard.settings, saveDataSuccessExecution: 'all' },
		nodes: shard.nodes.map((node) => filledIn(withPath(node, path))),
	});
	await rest.activate(shardWorkflow);
	return {
		database,
		path,
		shard: shardWorkflow.id as string,
		/** @returns the id of its workflow */
		putParent: async (settings: Settings): Promise<string> => {
			const all = { address: `${baseUrl}/webhook/${path}`, ...settings };
			const nodes = parent.nodes.map((node) => filledIn(withSettings(node, all)));
			return (await rest.importWorkflow({ ...parent, nodes })).id;
		},
	};
}

export type Nightly = Awaited<ReturnType<typeof putNightlyRead>>;

function credentialOf({ type, name }: Node): string | undefined {
	if (type.startsWith('n8n-nodes-health-data-service.')) return 'healthDataServiceApi';
	if (type === 'n8n-nodes-base.postgres') return 'postgres';
	return ['Start of a Shard', 'Read Each Shard'].includes(name) ? 'httpHeaderAuth' : undefined;
}

/** The node "Settings" with these instead of its own; every other node as it is. */
function withSettings(node: Node, settings: Settings): Node {
	if (node.name !== 'Settings') return node;
	const changed = structuredClone(node) as { parameters: { assignments: { assignments: IDataObject[] } } } & Node;
	const { assignments } = changed.parameters.assignments;
	for (const [name, value] of Object.entries(settings)) assignments.find((one) => one.name === name)!.value = value;
	return changed;
}

const withPath = (node: Node, path: string): Node =>
	node.name === 'Start of a Shard' ? ({ ...node, parameters: { ...node.parameters, path } } as Node) : node;

/** Starts a night as the editor's button does and gives the id of the execution. */
export async function startNight({ rest }: Queue, workflow: string): Promise<string> {
	const { executionId } = await rest.post(`/rest/workflows/${workflow}/run`, {
		triggerToStartFrom: { name: 'When clicking Execute workflow' },
	});
	return executionId;
}

/** Waits for the end of a night and gives what it went through. */
export async function nightOf({ rest }: Queue, id: string) {
	const { status, error, runData } = await rest.finishedExecution(id, PATIENCE);
	const out = (node: string, run = 0): IDataObject[] =>
		(runData[node]?.[run]?.data?.main?.[0] ?? []).map(({ json }: { json: IDataObject }) => json);
	return {
		status,
		message: error?.message as string | undefined,
		account: out('Account')[0] as unknown as Account | undefined,
		out,
		runs: (node: string) => runData[node]?.length ?? 0,
	};
}

export const runNight = async (queue: Queue, workflow: string) =>
	await nightOf(queue, await startNight(queue, workflow));

/** What came out of the nodes of an execution that has been saved. */
export async function itemsOf({ rest }: Queue, id: string): Promise<Record<string, unknown[]>> {
	const { data } = await rest.execution(id);
	const nodes = Object.entries<Array<{ data: { main: unknown[][] } }>>(data.resultData.runData);
	return Object.fromEntries(nodes.map(([name, [run]]) => [name, run.data.main[0]]));
}

/** The executions of a workflow that have been saved. */
export async function executionsOf(
	{ rest }: Queue,
	workflowId: string,
): Promise<Array<{ id: string; status: string; startedAt: string; stoppedAt: string }>> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	return (await rest.get(`/rest/executions?filter=${filter}&limit=100`)).results;
}
