/**
 * The nightly read in an n8n in queue mode: both workflows, filled in as their notes say, and run.
 * nightly-plan.json lists the users and cuts them into shards, nightly-shards.json reads them.
 */
import type { IDataObject } from 'n8n-workflow';
import { chain, node } from '../../dev/host/workflow';
import { until } from '../../dev/host/process/until';
import type { startQueue } from '../../dev/host/queue/queue';
import plan from '../../examples/nightly-plan.json';
import shards from '../../examples/nightly-shards.json';

export type Queue = Awaited<ReturnType<typeof startQueue>>;
export type Settings = Record<string, string | number>;
export type Service = { baseUrl: string; apiKey: string };
type Node = (typeof plan | typeof shards)['nodes'][number];

export const USERS_PER_SHARD = 50;

/** For questions that cost: many of them start a program (psql). */
export const SELDOM = { everyMs: 250 };

export interface Account {
	night: string;
	plan: string;
	users: number;
	readings: number;
	haveLeft: number;
	unread: number;
	reasons: Array<{ reason: string; users: number; user_ids: string[] }>;
	cellsLeftOut: number;
	cellsOf: string[];
	message: string;
}

export interface Planned {
	night: string;
	plan: string;
	users: number;
	newUsers: number;
	newShards: number;
	closed: boolean;
}

/** What an account of a night without trouble says. */
export const COMPLETE = { haveLeft: 0, unread: 0, reasons: [], cellsLeftOut: 0, cellsOf: [] };

/** Executions start sooner than every 5 seconds, and retries follow sooner, so that no test waits for them. */
const EVERY_2_SECONDS = '*/2 * * * * *';
const WAIT_BETWEEN_TRIES_MS = 1000;
/** Eight shards at once. No lease runs out, however slow the machine: a shard would be read twice. */
const SMALL: Settings = {
	days: 1,
	usersPerShard: USERS_PER_SHARD,
	shardsAtOnce: 8,
	minutesBetweenTries: 0.02,
	leaseMinutes: 10,
	// Past at any time of the day, so that of tomorrow.
	accountBy: '00:00',
};

/** A test can look into saved executions. */
const SAVED = { saveDataSuccessExecution: 'all', saveDataErrorExecution: 'all' };

/** @param database of the readings: a new one, with a time zone far from those of the users */
export async function putNightlyRead({ rest, postgres }: Queue, database: string, service: Service) {
	await postgres.query('postgres', `CREATE DATABASE ${database}`);
	await postgres.query('postgres', `ALTER DATABASE ${database} SET timezone TO 'Pacific/Auckland'`);
	const { host, port, user, password } = postgres;
	const credential = async (type: string, data: IDataObject) => {
		const name = `${type} ${database}`;
		return { [type]: { id: await rest.createCredential({ name, type, data }), name } };
	};
	const ofPostgres = await credential('postgres', { host, port, user, password, database, ssl: 'disable' });
	const filledIn = (node: Node, ofService: object) => {
		if (node.type.startsWith('n8n-nodes-health-data-service.')) return { ...node, credentials: ofService };
		return node.type === 'n8n-nodes-base.postgres' ? { ...node, credentials: ofPostgres } : node;
	};

	const onError = chain('Error workflow', [node('Error Trigger', 'n8n-nodes-base.errorTrigger', 1, {})]);
	const errorWorkflow = await rest.importWorkflow(onError);
	await rest.activate(errorWorkflow);
	const ofService = await credential('healthDataServiceApi', service);
	const shardsWorkflow = await rest.importWorkflow({
		...shards,
		settings: { ...shards.settings, ...SAVED, errorWorkflow: errorWorkflow.id },
		nodes: shards.nodes.map((one) => filledIn(sooner(one), ofService)),
	});
	/** @param of the team whose users are listed, where it is another one */
	const putPlan = async (settings: Settings = {}, of?: Service): Promise<string> => {
		const listed = of ? await credential('healthDataServiceApi', of) : ofService;
		const nodes = plan.nodes.map((one) => filledIn(sooner(withSettings(one, { ...SMALL, ...settings })), listed));
		return (await rest.importWorkflow({ ...plan, nodes })).id;
	};
	return {
		database,
		shards: shardsWorkflow.id as string,
		errorWorkflow: errorWorkflow.id as string,
		/** Executions start from now on. A plan has made the tables. */
		publish: async () => void (await rest.activate(shardsWorkflow)),
		unpublish: async () => void (await rest.deactivate(shardsWorkflow)),
		putPlan,
	};
}

export type Nightly = Awaited<ReturnType<typeof putNightlyRead>>;

/** The node "Settings" with these instead of its own; every other node as it is. */
function withSettings(node: Node, settings: Settings): Node {
	if (node.name !== 'Settings') return node;
	const changed = structuredClone(node) as { parameters: { assignments: { assignments: IDataObject[] } } } & Node;
	const { assignments } = changed.parameters.assignments;
	for (const [name, value] of Object.entries(settings)) assignments.find((one) => one.name === name)!.value = value;
	return changed;
}

function sooner(node: Node): Node {
	if (node.name === 'Every 5 Seconds at Night') {
		const interval = [{ field: 'cronExpression', expression: EVERY_2_SECONDS }];
		return { ...node, parameters: { rule: { interval } } } as Node;
	}
	return 'retryOnFail' in node ? ({ ...node, waitBetweenTries: WAIT_BETWEEN_TRIES_MS } as Node) : node;
}

/** Plans a night and gives what came out. */
export async function runPlan({ rest }: Queue, workflow: string) {
	const { status, error, runData } = await rest.runWorkflow(workflow, 'Every Night from 02:00', SELDOM);
	return {
		status,
		message: error?.message as string | undefined,
		planned: runData['Plan Night']?.[0]?.data?.main?.[0]?.[0]?.json as Planned | undefined,
	};
}

/** Waits until the account of a plan is given and, where users were not read, until it has failed and the error workflow has run. */
export async function accountOf(queue: Queue, { database, shards, errorWorkflow }: Nightly, id: string) {
	const select = `SELECT json_build_object('account', account, 'at', extract(epoch FROM accounted) * 1000)
		FROM health_nights WHERE account IS NOT NULL AND plan = '${id}'`;
	// PostgreSQL may be away for a moment.
	const given = async () => await queue.postgres.query(database, select).catch(() => '');
	const { account, at } = JSON.parse(await until(`The account of plan ${id}`, given, SELDOM)) as {
		account: Account;
		at: number;
	};
	const hasEnded = async (workflow: string, status: string) =>
		(await queue.rest.executions(workflow, status)).some(({ stoppedAt }) => Date.parse(stoppedAt) >= at);
	const isReported = async () => (await hasEnded(shards, 'error')) && (await hasEnded(errorWorkflow, 'success'));
	// Otherwise the next test would count them.
	if (account.unread > 0) await until(`The failure of plan ${id}`, isReported, SELDOM);
	return account;
}
