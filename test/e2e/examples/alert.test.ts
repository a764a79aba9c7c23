/**
 * The example "High blood pressure alert", morning after morning, in a real n8n: readings come late, Slack fails, users cannot be
 * read, and every reading is posted, once.
 */
import type { User } from '../../../dev/sandbox/schemas';
import { defaultSwitches } from '../../../dev/sandbox/switches';
import { startHost, type Host } from '../n8n';
import { bloodPressure, KEY } from '../../helpers/people';
import { History } from '../../helpers/history';
import { alertMessage, ZONE } from './exampleWorld';
import { startSlack } from './fakeSlack';
import { readExample } from './files';
import { prepare, type Example } from './run';

const SLACK = 'n8n-nodes-base.slack';
const HOUR = 3_600_000;

const history = new History();
const anna = history.addUser('app-user-0001');
const ben = history.addUser('app-user-0002');

let host: Host;
let slack: Awaited<ReturnType<typeof startSlack>>;
let prepared: Example;
let id: string;
beforeAll(async () => {
	host = await startHost(history);
	slack = await startSlack();
	const types = await host.rest.get('/types/nodes.json');
	const credentials = { healthDataServiceApi: await host.credential(KEY) };
	prepared = prepare(readExample('high-blood-pressure-alert.json'), types, credentials, ZONE, { [SLACK]: slack.url });
	({ id } = await host.rest.importWorkflow(prepared));
});
afterAll(async () => {
	await slack?.close();
	await host?.stop();
});
beforeEach(() => {
	// Readings come in several pages, and the last one of a page comes again on the next.
	Object.assign(host.sandbox.switches, defaultSwitches(), { pageSize: 3, overlap: true });
	slack.refuses = () => false;
	slack.messages.length = 0;
	slack.refused.length = 0;
});

/** A reading that is there from now on. @returns the entry, and its message */
function measure(user: User, hoursAgo: number, systolic: number, diastolic = 80) {
	const reading = bloodPressure(new Date(Date.now() - hoursAgo * HOUR).toISOString(), systolic, diastolic);
	return { entry: history.add(user, reading), text: alertMessage(user, reading) };
}

async function morning(workflow = id) {
	const { status, error } = await host.rest.runWorkflow(workflow);
	return { status, message: error?.message as string | undefined, posted: [...slack.messages].sort() };
}

const texts = (...measured: Array<{ text: string }>) => measured.map(({ text }) => text).sort();
const done = { status: 'success', message: undefined };

it('posts what three days brought at or above 135/85, each reading once', async () => {
	measure(anna, 73, 181);
	// The third of a page comes again on the next.
	const high = [71, 50, 20, 19].map((hoursAgo) => measure(anna, hoursAgo, 135));
	high.push(measure(ben, 2, 120, 85));
	measure(ben, 1, 134, 84);
	expect(await morning()).toEqual({ ...done, posted: texts(...high) });
});

it('posts nothing again', async () => {
	expect(await morning()).toEqual({ ...done, posted: [] });
});

it('posts what was measured before, and reached the service after, the last run', async () => {
	const late = [measure(ben, 65, 152), measure(anna, 30, 153)];
	expect(await morning()).toEqual({ ...done, posted: texts(...late) });
});

it('posts again what Slack refused, and nothing that it accepted', async () => {
	const high = [154, 155, 156].map((systolic) => measure(anna, 3, systolic));
	// One gets in before Slack is down.
	slack.refuses = () => slack.messages.length > 0;
	const failed = await morning();
	expect(failed.status).toBe('error');
	expect(failed.posted).toHaveLength(1);
	expect(new Set(slack.refused).size).toBe(1);

	slack.refuses = () => false;
	expect(await morning()).toEqual({ ...done, posted: texts(...high) });
	expect(await morning()).toEqual({ ...done, posted: texts(...high) });
});

it('waits for a Slack that fails for a moment', async () => {
	const high = [measure(anna, 2, 157), measure(ben, 2, 158)];
	slack.refuses = () => slack.refused.length === 0;
	expect(await morning()).toEqual({ ...done, posted: texts(...high) });
	expect(slack.refused).toHaveLength(1);
});

it('posts the readings of all other users when one fails, ends as failed, and posts the missing ones later', async () => {
	const [annas, bens] = [measure(anna, 2, 159), measure(ben, 2, 160)];
	host.sandbox.switches.users = { [ben.user_id]: 'refused' };
	expect(await morning()).toEqual({
		status: 'error',
		message: `Users who could not be read: 1, the first is ${ben.user_id}. The service refuses this user's data (status 403)`,
		posted: texts(annas),
	});

	host.sandbox.switches.users = {};
	expect(await morning()).toEqual({ ...done, posted: texts(annas, bens) });
});

it('ends as failed when no user can be read', async () => {
	host.sandbox.switches.fault = () => ({ status: 401 });
	expect(await morning()).toEqual({
		status: 'error',
		message: 'The service did not accept the API key (status 401)',
		posted: [],
	});
});

it('posts a reading that a correction lifts to the limit, and not the correction of one that was posted', async () => {
	const [high, low] = [measure(anna, 4, 161), measure(ben, 4, 130)];
	await morning();
	const corrected = [high, low].map(({ entry }) => {
		history.remove(entry);
		const reading = { ...entry.reading, point: { ...entry.reading.point, systolic: 162 } };
		history.add(entry.user, reading);
		return { text: alertMessage(entry.user, reading) };
	});
	expect(await morning()).toEqual({ ...done, posted: texts(high, corrected[1]) });
});

it('remembers for a month, ten times what it reads', async () => {
	// The same, but as if a month were over: a run that has something to post then forgets all that was posted.
	const forgets = prepared.nodes.map((node) => JSON.parse(JSON.stringify(node).replace('days: 30', 'days: -1')));
	expect(forgets).not.toEqual(prepared.nodes);
	const { id: later } = await host.rest.importWorkflow({ ...prepared, nodes: forgets });
	const last = measure(anna, 1, 163);
	expect(await morning(later)).toEqual({ ...done, posted: texts(last) });
	const { posted } = await morning(later);
	expect(posted.filter((text) => text === last.text)).toHaveLength(2);
	expect(posted.length).toBeGreaterThan(10);
});
