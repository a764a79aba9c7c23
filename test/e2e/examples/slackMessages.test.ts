/**
 * Slack messages of the examples for a care team, as a real n8n sends them: each of them whole, with what it says about nobody,
 * about users who could not be read and about a refused key.
 */
import { DateTime } from 'luxon';

import type { User } from '../../../dev/sandbox/schemas';
import { defaultSwitches } from '../../../dev/sandbox/switches';
import { until } from '../../../dev/host/process/until';
import { EVERY_TWO_SECONDS, useHost } from '../n8n';
import { bloodPressure, createUser, KEY } from '../../helpers/people';
import { History } from '../../helpers/history';
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

/** An identifier that would be a mention, a link and the end of code marks, with a line of its own. */
const NASTY = '<!channel> & `*www.example.com*`\n• me';
const NASTY_SHOWN = '`&lt;!channel> &amp; *www.example.com* • me`';
const REFUSED = "`The service refuses this user's data (status 403)`";
const KEY_REFUSED = '`The service did not accept the API key (status 401)`';

const nine = DateTime.fromISO(TODAY, { zone: ZONE }).plus({ hours: 9 });
const shown = (time: DateTime) => time.setLocale('en').toFormat('ccc d LLL HH:mm');
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
const refuse = (user: User) => (host.sandbox.switches.users = { [user.user_id]: 'refused' });

/** Runs an example: how it ended, and the lines of each message. */
async function run(file: string, key?: string, times = 1) {
	const { id } = await host.rest.importWorkflow(await prepared(file, key));
	let status = '';
	for (let i = 0; i < times; i++) ({ status } = await host.rest.runWorkflow(id));
	return { status, posted: slack.messages.splice(0).map((text) => text.split('\n')) };
}
const clock = `\\w{3} \\d+ \\w{3} \\d\\d:\\d\\d`;
const titled = (title: string, zone: string) =>
	expect.stringMatching(new RegExp(`^\\*${title}\\* \\(${clock}, ${zone}\\)$`));

describe('high-blood-pressure-alert.json', () => {
	const head = titled('Blood pressure, mean of the last 7 days', `times in ${ZONE.replace('+', '\\+')}`);
	const latest = (pair: string) => `latest ${pair} on ${shown(nine)}`;
	const newly = (count: number) => `*Newly at or above 135/85: ${count}* (not in the 7 days before)`;
	const still = (count: number) => `*Still at or above 135/85: ${count}*`;

	it('names all users whose mean is high, the new ones first, after those that could not be read', async () => {
		addUser('systolic', [12, 3, 135, 70], [12, 3, 134, 70, 7]);
		addUser(NASTY, [14, 7, 120, 102], [1, 1, 120, 80, 8]);
		addUser('seven readings', [7, 7, 176, 108]);
		addUser('for two weeks', [28, 7, 152, 84], [28, 7, 148, 86, 7]);
		addUser('below', [12, 3, 134, 84], [12, 3, 150, 95, 7]);
		addUser('no values', [3, 1, 0, 0]);
		addUser('some values', [11, 3, 120, 75], [1, 1, 2047, 2047]);
		addUser('silent');
		refuse(addUser('refused', [12, 3, 150, 95]));

		expect(await run(LIST)).toEqual({
			status: 'success',
			posted: [
				[
					...[head, '', '*Could not be read, so nothing is known about them: 1*', `• \`refused\`: ${REFUSED}`, ''],
					newly(3),
					`• \`seven readings\`: 176.0/108.0, 7 readings on 7 days (too few to judge), ${latest('176/108')}`,
					`• \`systolic\`: 135.0/70.0, before 134.0/70.0, 12 readings on 3 days, ${latest('135/70')}`,
					`• ${NASTY_SHOWN}: 120.0/102.0, before 120.0/80.0, 14 readings on 7 days, ${latest('120/102')}`,
					...['', still(1)],
					`• \`for two weeks\`: 152.0/84.0, before 148.0/86.0, 28 readings on 7 days, ${latest('152/84')}`,
					...['', 'Below 135/85: 2 of 9 people. Without a usable reading: 2.'],
				],
			],
		});
	});

	it('says so when nobody is high, and says the same again: nothing is remembered', async () => {
		addUser('below', [12, 3, 134, 84]);
		const nobody = [head, '', newly(0), '', still(0), '', 'Below 135/85: 1 of 1 people. Without a usable reading: 0.'];
		expect(await run(LIST, KEY, 2)).toEqual({ status: 'success', posted: [nobody, nobody] });
	});

	it('says that nobody could be read when the key is rejected', async () => {
		const [message] = (await run(LIST, 'wrong')).posted;
		expect(message.slice(2, 4)).toEqual([
			'*Could not be read, so nothing is known about them: everyone*',
			expect.stringContaining(`• \`everyone\`: ${KEY_REFUSED.slice(0, -1)}`),
		]);
	});

	it('waits for a Slack that fails for a moment', async () => {
		slack.refuses = () => slack.refused.length < 2;
		expect(await run(LIST)).toMatchObject({
			status: 'success',
			posted: [[head, '', newly(0), '', still(0), '', expect.any(String)]],
		});
	});

	it('looks as in the picture', async () => {
		addUser('app-user-1002', [26, 7, 142, 89], [26, 7, 133, 82, 7]);
		addUser('app-user-1003', [9, 4, 139, 84]);
		addUser('app-user-1004', [28, 7, 151, 93], [28, 7, 155, 95, 7]);
		for (let i = 5; i < 20; i++) addUser(`app-user-10${i}`, [14, 7, 110 + i, 76]);
		addUser('app-user-1021');
		const [message] = (await run(LIST)).posted;
		const screen = { width: 900, height: 290 };
		const text = message.join('\n').replaceAll(ZONE, SHOWN_ZONE);
		expect(await slackPicture('slack', text, screen)).toEqual({ width: screen.width });
	});
});

describe('users-without-readings.json', () => {
	const head = titled(
		`Blood pressure readings since ${nine.minus({ days: 2 }).setLocale('en').toFormat('ccc d LLL')}`,
		ZONE.replace('+', '\\+'),
	);
	const NEW = 'New, with a reading in the three days before';
	const UNUSABLE = 'Their device sends no usable values';

	it('names all users without a usable reading, the new ones first, those that have nothing connected last', async () => {
		addUser(NASTY, [1, 1, 120, 80, 3]);
		addUser('had none before', [1, 1, 120, 80, 6]);
		addUser('no values', [2, 1, 0, 0]);
		addUser('measured', [1, 1, 120, 80, 2]);
		const [without, never] = ['disconnected', 'never connected'].map((name) => createUser(name, []));
		history.team.users = [...history.team.users, without, never];
		measure(without, 1, 1, 120, 80, 4);
		refuse(addUser('refused'));

		expect(await run(QUIET)).toEqual({
			status: 'success',
			posted: [
				[
					...[head, '', '*Could not be read, so they may have measured: 1*', `• \`refused\`: ${REFUSED}`, ''],
					...['Without a usable reading: 5 of 7 people', ''],
					...[`*${NEW}: 2*`, `• ${NASTY_SHOWN}`, '• `disconnected` (nothing connected)', ''],
					...['*For longer: 1*', '• `had none before`', '', `*${UNUSABLE}: 1*`, '• `no values`', ''],
					...['*Nothing connected: 1*', '• `never connected` (nothing connected)'],
				],
			],
		});
	});

	it('says so when nobody is quiet, also for a team without users', async () => {
		const lists = [NEW, 'For longer', UNUSABLE, 'Nothing connected'].flatMap((name) => ['', `*${name}: 0*`]);
		const nobody = (people: number) => [head, '', `Without a usable reading: 0 of ${people} people`, ...lists];
		expect(await run(QUIET)).toEqual({ status: 'success', posted: [nobody(0)] });
		addUser('measured', [1, 1, 120, 80, 1]);
		expect(await run(QUIET)).toEqual({ status: 'success', posted: [nobody(1)] });
	});

	it('says that nobody could be read when the key is rejected', async () => {
		const [message] = (await run(QUIET, 'wrong')).posted;
		expect(message.slice(2, 4)).toEqual([
			'*Could not be read, so they may have measured: everyone*',
			expect.stringContaining(`• \`everyone\`: ${KEY_REFUSED.slice(0, -1)}`),
		]);
	});
});

it.each([
	[LIST, 100, { status: 'high', mean: '150.0/95.0', readings: 12, days: 3 }],
	[QUIET, 150, { readings: 0, readings_before: 0, connected: 'omron' }],
])('%s names %i users of a list, then how many more there are', async (file, most, row) => {
	const user = (i: number) => ({ json: { ...row, client_user_id: `u${i}`, user_id: `u${i}` } });
	const pinData = { 'Blood Pressure': Array.from({ length: most + 1 }, (_, i) => user(i)) };
	const { id } = await host.rest.importWorkflow({ ...(await prepared(file)), pinData });
	expect(await host.rest.runWorkflow(id)).toMatchObject({ status: 'success' });
	const lines = slack.messages.flatMap((text) => text.split('\n'));
	expect(lines.filter((line) => line.startsWith('• '))).toHaveLength(most);
	expect(lines).toContain('… and 1 more');
});

describe('new-reading-alert.json', () => {
	const NEXT = 'Next step: measure again after five minutes of rest, and follow your protocol.';
	const head = (people: string) =>
		`*Blood pressure alert: ${people}* (high: at or above 180/110, low: at or below 90/50 mmHg; times in ${ZONE})`;

	it('posts what a poll brings, once', async () => {
		const example = await prepared(ALERT);
		const nodes = example.nodes.map((node) =>
			'pollTimes' in node.parameters
				? { ...node, parameters: { ...node.parameters, pollTimes: EVERY_TWO_SECONDS } }
				: node,
		);
		const user = history.addUser('ben');
		const workflow = await host.rest.importWorkflow({ ...example, nodes });
		expect(await host.rest.activate(workflow)).toMatchObject({ status: 'published' });
		const polls = () => host.sandbox.requests.filter((url) => url.includes(user.user_id)).length;
		const polled = async (atLeast: number) => await until('polls', async () => polls() >= atLeast);
		await polled(1);
		const now = DateTime.now().setZone(ZONE).startOf('minute');
		for (const [minutes, systolic] of [
			[3, 184],
			[2, 181],
			[1, 141],
		])
			history.add(user, at(now.minus({ minutes }), systolic, 80));
		await until('a message', async () => slack.messages.length > 0);
		await polled(polls() + 2);
		await host.rest.deactivate(workflow);
		// n8n keeps no readings of a run that succeeded.
		const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow.id }));
		expect(await host.rest.get(`/rest/executions?filter=${filter}`)).toMatchObject({ results: [] });
		const clocks = [3, 2, 1].map((minutes) => now.minus({ minutes }).toFormat('HH:mm'));
		const [line] = slack.messages.flatMap((text) => text.split('\n').slice(1, 2));
		expect(line).toMatch(/^• ben: 181\/80 .* high, 184\/80 .* high; latest 141\/80 .*; by cuff$/);
		for (const clock of clocks) expect(line).toContain(clock);
		expect(slack.messages.map((text) => text.split('\n'))).toEqual([[head('1 person'), line, NEXT]]);
	});
});
