/**
 * Queue mode for real: a main process and two workers on PostgreSQL and Redis, the packed package in each of them.
 * The sharded example reads 2,000 users over both workers, also when one of them dies on the way.
 */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { packPackage } from '../../dev/host/installPackage';
import { until } from '../../dev/host/process/until';
import { startQueue } from '../../dev/host/queue/queue';
import type { User } from '../../dev/sandbox/schemas';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { defaultSwitches } from '../../dev/sandbox/switches';
import { createWorld } from '../../dev/sandbox/world';
import { emptyFolder, removeFolder } from '../helpers/folder';
import { oneNode } from '../e2e/n8n';
import { byTime, expectedRows, KEY } from '../helpers/people';
import { bloodPressureOf } from '../helpers/requests';
import { dropTable, executionsOf, putNightlyRead, readTable, startNightlyRead, type Row } from './nightly';

const NOW = Date.now();
const USERS = 2000;
const SHARDS = 8;
const world = createWorld([{ key: KEY, users: USERS }]);
const [{ users }] = world.teams;

/** n8n notices a dead worker after about 110 seconds; with these, after about a minute. Still less, and a busy worker is taken for dead. */
const NOTICES_SOONER = {
	QUEUE_WORKER_LOCK_DURATION: '30000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};
/** On a slow machine. */
const PATIENCE = { timeoutMs: 400_000, everyMs: 500 };

const folder = emptyFolder();
let sandbox: Sandbox;
let queue: Awaited<ReturnType<typeof startQueue>>;
let nightly: { parent: string; shard: string };
beforeAll(async () => {
	// A clock that stands still: no reading arrives while the tests run.
	sandbox = await startSandbox({ world, switches: { now: () => NOW } });
	queue = await startQueue({ folder, tarball: await packPackage(), env: NOTICES_SOONER });
	nightly = await putNightlyRead(queue, { baseUrl: sandbox.baseUrl, apiKey: KEY });
});
afterEach(() => Object.assign(sandbox.switches, defaultSwitches(), { now: () => NOW }));
afterAll(async () => {
	await queue?.stop();
	await sandbox?.close();
	removeFolder(folder);
});

interface Days {
	from: string;
	to: string;
	timeZone: string;
}

/** The rows of the team's readings on whole days, straight from the sandbox's data. */
function rowsOf({ from, to, timeZone: zone }: Days, of: readonly User[] = users): IDataObject[] {
	const first = DateTime.fromISO(from, { zone }).startOf('day').toMillis();
	const last = DateTime.fromISO(to, { zone }).endOf('day').toMillis();
	return of.flatMap((user) => {
		const readings = world
			.readings(user.user_id, 'blood_pressure', first, last)
			.filter(({ arrived }) => arrived <= NOW);
		return expectedRows(user, readings, user.client_user_id);
	});
}

/** Nothing is missing from the table, nothing is in it twice. */
function expectEachOnce(table: Row[], days: Days) {
	expect(table).toHaveLength(rowsOf(days).length);
	expect(byTime(table.map(({ reading }) => reading))).toEqual(byTime(rowsOf(days)));
}

const placeOf = new Map<unknown, number>(users.map(({ user_id }, place) => [user_id, place]));
const shardsIn = (table: Row[]) =>
	new Set(table.map(({ reading }) => Math.floor((placeOf.get(reading.user_id)! * SHARDS) / USERS))).size;

/** Waits for the end of a run of the example and gives what it went through. */
async function nightlyRun(id: string) {
	const { status, error, runData } = await queue.rest.finishedExecution(id, PATIENCE);
	const out = (node: string, run: number, output = 0): IDataObject[] =>
		(runData[node]?.[run]?.data?.main?.[output] ?? []).map(({ json }: { json: IDataObject }) => json);
	return {
		status,
		error,
		days: out('Settings', 0)[0] as unknown as Days,
		rounds: runData['Read each shard']?.length,
		out,
	};
}

const started = (ids: string[]) =>
	queue.workers.map((worker) => worker.started().filter((id) => ids.includes(id)).length);
const idsOf = async (workflow: string) => (await executionsOf(queue, workflow)).map(({ id }) => id);

it('a workflow that reads all users runs on a worker', async () => {
	const type = 'healthDataServiceApi';
	const credential = await queue.rest.createCredential({
		name: 'team',
		type,
		data: { baseUrl: sandbox.baseUrl, apiKey: KEY },
	});
	const day = new Date(NOW - 24 * 3_600_000).toISOString().slice(0, 10);
	const { id } = await queue.rest.importWorkflow(
		oneNode(credential, bloodPressureOf('', { userScope: 'all', startDate: day, endDate: day })),
	);
	const ran = await queue.rest.runWorkflow(id, 'Start', PATIENCE);

	expect(ran.error).toBeUndefined();
	const rows = ran.runData.Node[0].data.main[0].map(({ json }: { json: IDataObject }) => json);
	expect(rows).toHaveLength(rowsOf({ from: day, to: day, timeZone: 'UTC' }).length);
	expect(byTime(rows)).toEqual(byTime(rowsOf({ from: day, to: day, timeZone: 'UTC' })));
	expect(started([ran.id]).sort()).toEqual([0, 1]);
});

describe('the example "Sharded nightly read"', () => {
	it('names the users that are missing when shards fail in every round', async () => {
		const first = new Set(users.slice(0, USERS / SHARDS).map(({ user_id }) => user_id));
		sandbox.switches.fault = (_, url) => {
			const [, asked] = /timeseries\/([^/]+)/.exec(url) ?? [];
			return asked && !first.has(asked) ? { status: 401 } : undefined;
		};
		const { status, error, rounds, out } = await nightlyRun(await startNightlyRead(queue, nightly.parent));

		expect(status).toBe('error');
		expect(error.message).toMatch(
			/^Not read after 3 rounds: users 251 to 500, 501 to 750, .*, 1751 to 2000 of the list/,
		);
		expect(rounds).toBe(3);
		expect(out('Read', 0)).toEqual([{ skip: 0, readings: (await readTable(queue)).length }]);
	});

	it('takes no other answer for the result of a shard', async () => {
		const answersAtOnce = {
			id: 'hook',
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			position: [0, 0],
			webhookId: 'answers-at-once',
			parameters: { httpMethod: 'POST', path: 'answers-at-once', responseMode: 'onReceived', options: {} },
		};
		await queue.rest.activate(
			await queue.rest.importWorkflow({ name: 'Other', nodes: [answersAtOnce], connections: {} }),
		);
		const parent = JSON.stringify(await queue.rest.get(`/rest/workflows/${nightly.parent}`));
		const { id } = await queue.rest.importWorkflow(JSON.parse(parent.replace('health-data-shard', 'answers-at-once')));
		const { status, error } = await nightlyRun(await startNightlyRead(queue, id));

		expect(status).toBe('error');
		expect(error.message).toMatch(/^The address in Settings answered, but not with the result of a shard/);
	});

	it(`reads ${USERS} users in ${SHARDS} shards over both workers, each reading once`, async () => {
		await dropTable(queue);
		const before = await idsOf(nightly.shard);
		const { error, days, out } = await nightlyRun(await startNightlyRead(queue, nightly.parent));

		expect(error).toBeUndefined();
		expect(out('One item per shard', 0)).toHaveLength(SHARDS);
		const shards = (await idsOf(nightly.shard)).filter((id) => !before.includes(id));
		for (const count of started(shards)) expect(count).toBeGreaterThan(0);
		const table = await readTable(queue);
		expectEachOnce(table, days);
		expect(out('Read', 0).reduce((sum, { readings }) => sum + (readings as number), 0)).toBe(table.length);
	});

	it('runs the shards of a worker that is killed again, and still has each reading once', async () => {
		await dropTable(queue);
		const before = await idsOf(nightly.shard);
		const id = await startNightlyRead(queue, nightly.parent);
		const victim = await until(
			'The worker without the parent',
			async () => {
				const parentRuns = queue.workers.some((worker) => worker.started().includes(id));
				return parentRuns && queue.workers.find((worker) => !worker.started().includes(id));
			},
			PATIENCE,
		);
		const isBusy = () => victim.started().length > victim.finished().length;
		await until(
			'Rows of every shard while the worker is busy',
			async () => shardsIn(await readTable(queue)) === SHARDS && isBusy(),
			PATIENCE,
		);
		victim.kill();
		const killed = Date.now();

		const { error, days, rounds, out } = await nightlyRun(id);
		expect(error).toBeUndefined();
		expect(rounds).toBeGreaterThan(1);
		const failed = (await executionsOf(queue, nightly.shard)).filter(
			({ id: one, status }) => !before.includes(one) && status !== 'success',
		);
		const lost = failed.filter((one) => victim.started().includes(one.id));
		expect(lost.length).toBeGreaterThan(0);

		const again = out('Another round?', 0);
		expect(again.length).toBeGreaterThanOrEqual(lost.length);
		const usersAgain = again.flatMap(({ skip, users: many }) =>
			users.slice(skip as number, (skip as number) + (many as number)),
		);
		const table = await readTable(queue);
		const ownersAgain = new Set<unknown>(usersAgain.map(({ user_id }) => user_id));
		const halfWritten = table.filter(
			({ reading, writtenFirst }) => ownersAgain.has(reading.user_id) && writtenFirst < killed,
		);
		expect(halfWritten.length).toBeGreaterThan(0);
		expect(halfWritten.length).toBeLessThan(rowsOf(days, usersAgain).length);

		expectEachOnce(table, days);
	});
});
