/**
 * Queue mode for real: a main process and two workers on PostgreSQL and Redis, the packed package in each of them.
 * The sharded example reads 20,000 users over both workers, also when one of them dies on the way.
 */
import type { IDataObject } from 'n8n-workflow';
import { packPackage } from '../../dev/host/installPackage';
import { startQueue } from '../../dev/host/queue/queue';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { defaultSwitches } from '../../dev/sandbox/switches';
import { createWorld, type Team } from '../../dev/sandbox/world';
import { emptyFolder, removeFolder } from '../helpers/folder';
import { oneNode } from '../e2e/n8n';
import { byTime, KEY } from '../helpers/people';
import { bloodPressureOf } from '../helpers/requests';
import { describeLargeNights } from './largeNights';
import { PATIENCE, putNightlyRead, type Nightly, type Queue } from './nightly';
import { describeServices } from './services';
import { describeAnswers } from './shardAnswers';
import { describeSmallNights } from './smallNights';
import { rowsBefore, withMicroseconds } from './table';

const NOW = Date.now();
const LARGE_KEY = 'large-team-of-the-tests';
const world = withMicroseconds(
	createWorld([
		{ key: KEY, users: 2000 },
		{ key: LARGE_KEY, users: 20_000 },
	]),
);
const [small, large] = world.teams as [Team, Team];

/** n8n notices a dead worker after about 110 seconds; with these, after about a minute. Still less, and a busy worker is taken for dead. */
const NOTICES_SOONER = {
	QUEUE_WORKER_LOCK_DURATION: '30000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/** Else Node collects its garbage when it likes, and a worker's memory says nothing of what it needs. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=512' };

const folder = emptyFolder();
let sandbox: Sandbox;
let queue: Queue;
let nightlies: { small: Nightly; large: Nightly };
beforeAll(async () => {
	// A clock that stands still: no reading arrives while the tests run. What the sandbox answers is checked by its own tests.
	sandbox = await startSandbox({ world, switches: { now: () => NOW }, checksItself: false });
	queue = await startQueue({
		folder,
		tarball: await packPackage(),
		env: { ...NOTICES_SOONER, ...SMALL_HEAP },
		concurrency: 11,
	});
	const put = async (database: string, apiKey: string) =>
		await putNightlyRead(queue, { service: { baseUrl: sandbox.baseUrl, apiKey }, database });
	nightlies = { small: await put('small', KEY), large: await put('large', LARGE_KEY) };
});
beforeEach(() => {
	Object.assign(sandbox.switches, defaultSwitches(), { now: () => NOW });
	sandbox.requests.length = 0;
});
afterAll(async () => {
	await queue?.stop();
	await sandbox?.close();
	removeFolder(folder);
});

it('a workflow that reads all users runs on a worker', async () => {
	const credential = await queue.rest.createCredential({
		name: 'team',
		type: 'healthDataServiceApi',
		data: { baseUrl: sandbox.baseUrl, apiKey: KEY },
	});
	const [day, night] = [24, 0].map((hours) => new Date(NOW - hours * 3_600_000).toISOString().slice(0, 10));
	const { id } = await queue.rest.importWorkflow(
		oneNode(credential, bloodPressureOf('', { userScope: 'all', startDate: day, endDate: day })),
	);
	const ran = await queue.rest.runWorkflow(id, 'Start', PATIENCE);

	expect(ran.error).toBeUndefined();
	const rows = ran.runData.Node[0].data.main[0].map(({ json }: { json: IDataObject }) => json);
	expect(byTime(rows)).toEqual(byTime(rowsBefore(night, 1, { world, users: small.users, now: NOW, zone: 'UTC' })));
	expect(queue.workers.map((worker) => worker.started().includes(ran.id)).sort()).toEqual([false, true]);
});

describe('the services of the tests', () => describeServices(() => queue));

const place = (size: 'small' | 'large') => () => ({
	queue,
	sandbox,
	nightly: nightlies[size],
	team: { small, large }[size],
	now: NOW,
});
describe('the example "Sharded nightly read"', () => describeSmallNights(place('small')));
describe('a shard of the example', () => describeAnswers(place('small')));

// At the end: a worker dies.
describe('the example "Sharded nightly read" with 20,000 users', () => describeLargeNights(place('large')));
