/**
 * Slack messages of the examples for a care team, as a real n8n sends them: the node's own texts, a failure in place of them, and
 * pictures. What the texts say is tested at the node and the trigger.
 */
import { DateTime } from 'luxon';
import type { User } from '../../../dev/sandbox/schemas';
import { defaultSwitches } from '../../../dev/sandbox/switches';
import { until } from '../../../dev/host/process/until';
import { EVERY_TWO_SECONDS, useHost } from '../n8n';
import { bloodPressure, KEY, History } from '../../helpers/people';
import { TODAY, ZONE } from './exampleWorld';
import { startSlack } from './fakeSlack';
import { readExample } from './files';
import { slackPicture, SHOWN_ZONE } from './letterPicture';
import { prepare, type Credentials, type Example } from './run';

const SLACK = 'n8n-nodes-base.slack';
const LIST = 'high-blood-pressure-alert.json';
const ALERT = 'new-reading-alert.json';
const QUIET = 'users-without-readings.json';

const history = new History();
const host = useHost(history);
let slack: Awaited<ReturnType<typeof startSlack>>;
let prepared: (file: string, key?: string) => Promise<Example>;
beforeAll(async () => {
	slack = await startSlack();
	const types = await host.rest.get('/types/nodes.json');
	prepared = async (file, key = KEY) => {
		const credentials: Credentials = { healthDataServiceApi: await host.credential(key) };
		return prepare(readExample(file), types, credentials, ZONE, { [SLACK]: slack.url });
	};
});
afterAll(async () => await slack?.close());
beforeEach(() => {
	// Readings come in several pages, and the last one of a page comes again on the next.
	Object.assign(host.sandbox.switches, defaultSwitches(), { pageSize: 3, overlap: true });
	Object.assign(history.team, { users: [] });
	history.entries = [];
	slack.refuses = () => false;
	slack.messages.length = 0;
});

const nine = DateTime.fromISO(TODAY, { zone: ZONE }).plus({ hours: 9 });
const at = (time: DateTime, systolic: number, diastolic: number) =>
	bloodPressure(time.toUTC().toISO()!, systolic, diastolic);
/** So many readings, the newest at nine o'clock some days ago, over so many days before it. */
function measure(user: User, count: number, days: number, systolic: number, diastolic: number, daysAgo = 0) {
	for (let i = 0; i < count; i++)
		history.add(user, at(nine.minus({ days: daysAgo + (i % days), minutes: i }), systolic, diastolic));
}
const addUser = (name: string, ...readings: Array<[number, number, number, number, number?]>) => {
	const user = history.addUser(name);
	for (const some of readings) measure(user, ...some);
	return user;
};

/** Runs an example: how it ended, the item of the node, and the messages. */
async function run(file: string, key?: string) {
	const { id } = await host.rest.importWorkflow(await prepared(file, key));
	const { status, runData } = await host.rest.runWorkflow(id);
	const [{ json: item }] = runData['Blood Pressure'][0].data.main[0];
	return { status, item, posted: slack.messages.splice(0) };
}

/** A team with a new high mean, an older one, one person below, one silent and one who cannot be read. */
function usualTeam() {
	addUser('newly high', [10, 1, 150, 95], [2, 2, 120, 70, 1]);
	addUser('high before', [28, 7, 152, 94, 1]);
	addUser('below', [12, 3, 134, 84]);
	addUser('silent since yesterday', [1, 1, 120, 80, 3]);
	const refused = addUser('refused', [12, 3, 150, 95]);
	host.sandbox.switches.users = { [refused.user_id]: 'refused' };
}

it.each([
	[LIST, { people: 5, not_read: 1, high: 2, newly_high: 1, reached: 0, too_few: 1 }],
	[QUIET, { people: 5, not_read: 1, without_readings: 1, newly_without_readings: 1, high: null, reached: null }],
])('%s posts the text of the node, once, with those who could not be read', async (file, counts) => {
	usualTeam();
	const { status, item, posted } = await run(file);
	expect({ status, ...item }).toMatchObject({ status: 'success', ...counts });
	expect(posted).toEqual([item.text]);
	expect(item.text).toContain('refused');
});

it.each([LIST, QUIET])('%s posts that nobody could be read, and no number', async (file) => {
	const { status, item, posted } = await run(file, 'wrong');
	expect({ status, ...item }).toMatchObject({ status: 'success', people: null, without_readings: null });
	expect(posted).toEqual([item.text]);
});

it(`${LIST} waits for a Slack that fails for a moment`, async () => {
	slack.refuses = () => slack.refused.length < 2;
	const { status, posted } = await run(LIST);
	expect([status, posted.length]).toEqual(['success', 1]);
});

it(`${ALERT} posts what a poll brings, once`, async () => {
	const example = await prepared(ALERT);
	const nodes = example.nodes.map((node) =>
		'pollTimes' in node.parameters
			? { ...node, parameters: { ...node.parameters, pollTimes: EVERY_TWO_SECONDS } }
			: node,
	);
	const [user, other] = ['app-user-1003', 'app-user-1006'].map((name) => history.addUser(name));
	const workflow = await host.rest.importWorkflow({ ...example, nodes });
	expect(await host.rest.activate(workflow)).toMatchObject({ status: 'published' });
	const polls = () => host.sandbox.requests.filter((url) => url.includes(other.user_id)).length;
	const polled = async (atLeast: number) => await until('polls', async () => polls() >= atLeast);
	await polled(1);
	const now = DateTime.now().setZone(ZONE).startOf('minute');
	const readings: Array<[User, number, number, number]> = [
		[user, 13, 192, 110],
		[user, 8, 185, 104],
		[user, 3, 158, 96],
		[other, 5, 88, 52],
	];
	for (const [of, minutes, systolic, diastolic] of readings)
		history.add(of, at(now.minus({ minutes }), systolic, diastolic));
	await until('a message', async () => slack.messages.length > 0);
	await polled(polls() + 2);
	await host.rest.deactivate(workflow);
	// n8n keeps no readings of a run that succeeded.
	expect(await host.rest.executions(workflow.id)).toEqual([]);
	const [message, ...others] = slack.messages;
	expect(others).toEqual([]);
	for (const [{ client_user_id }, minutes, systolic, diastolic] of readings) {
		const clock = now.minus({ minutes }).toFormat('HH:mm');
		expect(message).toMatch(new RegExp(`${client_user_id}: .*${systolic}/${diastolic} .*${clock}`));
	}
	expect(message).toMatch(/\n\nNext step .*protocol\.$/);
	const screen = { width: 760, height: 325 };
	expect(await slackPicture('alert', message.replaceAll(ZONE, SHOWN_ZONE), screen)).toEqual({ width: screen.width });
});

it('the morning list looks as in the picture', async () => {
	addUser('app-user-1003', [9, 4, 139, 84], [1, 1, 186, 104]);
	addUser('app-user-1004', [28, 7, 151, 93], [28, 7, 155, 95, 7]);
	for (let i = 5; i < 20; i++) addUser(`app-user-10${i}`, [14, 7, 110 + i, 76]);
	addUser('app-user-1021');
	const { posted } = await run(LIST);
	const screen = { width: 860, height: 305 };
	const text = posted[0].replaceAll(ZONE, SHOWN_ZONE);
	expect(await slackPicture('slack', text, screen)).toEqual({ width: screen.width });
});
