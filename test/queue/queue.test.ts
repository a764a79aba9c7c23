/**
 * Queue mode for real: a main process and two workers on PostgreSQL and Redis, the packed package in each of them.
 * The nightly read claims its shards from a table, also while a worker, the main process, PostgreSQL or Redis is away.
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
import { describeLostJobs } from './lostJobs';
import { describeLostPackage } from './lostPackage';
import { describeNights } from './nights';
import { SELDOM, putNightlyRead, runPlan, type Nightly, type Queue } from './nightly';
import { describeOutages } from './outages';
import { describePlans } from './plans';
import { USERS } from './place';
import { describeServices } from './services';
import { notRun } from './statements';
import { describeUnsaved } from './unsaved';
import { bendable, rowsBefore, tableRow, withMicroseconds } from './table';

const NOW = Date.now();
const OTHER_KEY = 'another-team-of-the-tests';
const created = createWorld([
	{ key: KEY, users: USERS },
	{ key: OTHER_KEY, users: 30 },
]);
const { world, bent } = bendable(withMicroseconds(created));
const [small] = world.teams as Team[];

const folder = emptyFolder();
let sandbox: Sandbox;
let queue: Queue;
let nightly: Nightly;
beforeAll(async () => {
	// A clock that stands still: no reading arrives while the tests run. What the sandbox answers is checked by its own tests.
	sandbox = await startSandbox({ world, switches: { now: () => NOW }, checksItself: false });
	queue = await startQueue({ folder, tarball: await packPackage(), concurrency: 10 });
	nightly = await putNightlyRead(queue, 'small', { baseUrl: sandbox.baseUrl, apiKey: KEY });
});
beforeEach(() => {
	Object.assign(sandbox.switches, defaultSwitches(), { now: () => NOW });
	sandbox.requests.length = 0;
	bent.clear();
});
afterAll(async () => {
	await queue?.stop();
	await sandbox?.close();
	removeFolder(folder);
});

const credential = async () =>
	await queue.rest.createCredential({
		name: 'team',
		type: 'healthDataServiceApi',
		data: { baseUrl: sandbox.baseUrl, apiKey: KEY },
	});

it('a workflow that reads all users runs on a worker', async () => {
	const [day, night] = [24, 0].map((hours) => new Date(NOW - hours * 3_600_000).toISOString().slice(0, 10));
	const { id } = await queue.rest.importWorkflow(
		oneNode(await credential(), bloodPressureOf('', { userScope: 'all', startDate: day, endDate: day })),
	);
	const ran = await queue.rest.runWorkflow(id, 'Start', SELDOM);

	expect(ran.error).toBeUndefined();
	const rows = ran.runData.Node[0].data.main[0].map(({ json }: { json: IDataObject }) => json);
	expect(byTime(rows.map(tableRow))).toEqual(
		byTime(rowsBefore(night, 1, { world, users: small.users, now: NOW, zone: 'UTC' })),
	);
	expect(queue.workers.map((worker) => worker.started().includes(ran.id)).sort()).toEqual([false, true]);
});

describe('the services of the tests', () => describeServices(() => queue, folder));
describe('executions that are not saved', () => describeUnsaved(() => queue, credential));
const place = () => ({ queue, sandbox, nightly, team: small, now: NOW, bent });
// First: nothing claims these shards yet.
describe('the example "Nightly read: plan"', () => describePlans(place, OTHER_KEY));
describe('the example "Nightly read: shards"', () => {
	beforeAll(async () => {
		// The tables, whichever tests have run before.
		await runPlan(queue, await nightly.putPlan());
		await nightly.publish();
	});
	afterAll(async () => await nightly.unpublish());
	describe('a night', () => describeNights(place));
	describe('a night with an outage', () => describeOutages(place));
});

describe('a start without the package', () => {
	describeLostPackage(() => queue, `${folder}/main`, credential);
});

// The last one, since it leaves no worker.
describe('a lost execution', () => describeLostJobs(() => queue));

it('every statement that a page prints was run', () => {
	expect(notRun()).toEqual([]);
});
