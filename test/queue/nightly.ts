/**
 * The example "Sharded nightly read" in an n8n in queue mode: put in place, run, and its table read.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Rest } from '../../dev/host/rest';
import parent from '../../examples/sharded-nightly-read.json';
import shard from '../../examples/sharded-nightly-read-shard.json';

type Example = typeof parent | typeof shard;
type Credentials = Record<string, { id: string; name: string }>;

const TABLE = 'health_readings';
const COLUMNS = ['user_id', 'client_user_id', 'timestamp', 'systolic', 'diastolic', 'unit', 'provider', 'source_type'];
const ROWS_AT_ONCE = 250;

export interface Instance {
	baseUrl: string;
	rest: Rest;
}

/** Both workflows with credentials and the address filled in, as their notes tell a person to. */
export async function putNightlyRead({ baseUrl, rest }: Instance, healthData: { baseUrl: string; apiKey: string }) {
	const credential = async (type: string, data: Record<string, unknown>): Promise<Credentials> => ({
		[type]: { id: await rest.createCredential({ name: type, type, data }), name: type },
	});
	const service = await credential('healthDataServiceApi', healthData);
	const header = await credential('httpHeaderAuth', { name: 'x-shard-key', value: 'for the tests' });

	const filledIn = (example: Example) => ({
		...example,
		nodes: example.nodes.map((node) => {
			if (node.type.startsWith('n8n-nodes-health-data-service.')) return { ...node, credentials: service };
			if (['Start of a shard', 'Read each shard'].includes(node.name)) return { ...node, credentials: header };
			if (node.name !== 'Settings') return node;
			// One day instead of three, and shards of half the size, are enough to see.
			const smaller = JSON.stringify(node).replace('days: 3', 'days: 1').replace('"value":500', '"value":250');
			return JSON.parse(smaller.replace('https://n8n.example.com', baseUrl));
		}),
	});
	const shardWorkflow = await rest.importWorkflow(filledIn(shard));
	await rest.activate(shardWorkflow);
	const parentWorkflow = await rest.importWorkflow(filledIn(parent));
	return { parent: parentWorkflow.id as string, shard: shardWorkflow.id as string };
}

/** Starts it as the editor's button does and gives the id of the execution. */
export async function startNightlyRead({ rest }: Instance, id: string): Promise<string> {
	const { executionId } = await rest.post(`/rest/workflows/${id}/run`, {
		triggerToStartFrom: { name: 'When clicking Execute workflow' },
	});
	return executionId;
}

/** Ids and ends of the executions of a workflow. */
export async function executionsOf(
	{ rest }: Instance,
	workflowId: string,
): Promise<Array<{ id: string; status: string; startedAt: string; stoppedAt: string }>> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	return (await rest.get(`/rest/executions?filter=${filter}&limit=100`)).results;
}

/** Where the table lies in n8n's REST interface, once it is there. */
async function findTable({ rest }: Instance): Promise<string | undefined> {
	const { data } = await rest.get('/rest/data-tables-global');
	const table = data.find(({ name }: { name: string }) => name === TABLE);
	return table && `/rest/projects/${table.projectId}/data-tables/${table.id}`;
}

export interface Row {
	/** As the node gave it. */
	reading: IDataObject;
	writtenFirst: number;
}

export async function readTable(instance: Instance): Promise<Row[]> {
	const table = await findTable(instance);
	if (!table) return [];
	const rows: IDataObject[] = [];
	for (;;) {
		const { data, count } = await instance.rest.get(
			`${table}/rows?sortBy=id:asc&take=${ROWS_AT_ONCE}&skip=${rows.length}`,
		);
		rows.push(...data);
		if (rows.length >= count || data.length === 0) return rows.map(toRow);
	}
}

/** Without n8n's own columns; "id" is one of them, so the reading's is called `key` there. */
const toRow = (row: IDataObject): Row => ({
	reading: { id: row.key, ...Object.fromEntries(COLUMNS.map((column) => [column, row[column]])) },
	writtenFirst: Date.parse(row.createdAt as string),
});

/** The example makes it again. */
export async function dropTable(instance: Instance) {
	const table = await findTable(instance);
	if (table) await instance.rest.delete(table);
}
