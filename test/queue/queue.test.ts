/**
 * Queue mode for real: a main process and two workers on PostgreSQL and Redis, the packed package in each of them.
 * The nightly read claims its shards from a table, also while a worker, the main process, PostgreSQL or Redis is away.
 */
import { packPackage } from '../../dev/host/installPackage';
import { startQueue } from '../../dev/host/queue/queue';
import { CREDENTIAL_TYPE } from '../../dev/host/workflow';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { defaultSwitches } from '../../dev/sandbox/switches';
import { createWorld, type Team } from '../../dev/sandbox/world';
import { emptyFolder, removeFolder } from '../helpers/folder';
import { KEY } from '../helpers/people';
import { describeHosts } from './hosts';
import { describeNights } from './nights';
import { putNightlyRead, runPlan, type Nightly, type Queue } from './nightly';
import { describeOutages } from './outages';
import { describePlans } from './plans';
import { USERS } from './place';
import { notRun } from './statements';
import { bendable, withMicroseconds } from './table';

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

// The last ones, since they leave no worker.
describe('n8n and its services', () =>
	describeHosts(
		() => queue,
		folder,
		async () => {
			const data = { baseUrl: sandbox.baseUrl, apiKey: KEY };
			return await queue.rest.createCredential({ name: 'team', type: CREDENTIAL_TYPE, data });
		},
	));

it('every statement that a page prints was run', () => {
	expect(notRun()).toEqual([]);
});
