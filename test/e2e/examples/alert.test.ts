/**
 * The examples for high and low blood pressure in a real n8n: "High blood pressure alert" morning after morning, and "New reading
 * alert" with readings in one poll and in a poll of the published trigger.
 */
import type { GenericValue, IDataObject, INode } from 'n8n-workflow';
import type { User } from '../../../dev/sandbox/schemas';
import { defaultSwitches } from '../../../dev/sandbox/switches';
import { until } from '../../../dev/host/process/until';
import { startHost, type Host } from '../n8n';
import { bloodPressure, KEY } from '../../helpers/people';
import { History } from '../../helpers/history';
import { ZONE } from './exampleWorld';
import { startSlack } from './fakeSlack';
import { readExample } from './files';
import { prepare, type Example } from './run';

const SLACK = 'n8n-nodes-base.slack';
const LIST = 'high-blood-pressure-alert.json';
const ALERT = 'new-reading-alert.json';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const history = new History();
let host: Host;
let slack: Awaited<ReturnType<typeof startSlack>>;
let prepared: (file: string) => Example;
beforeAll(async () => {
	host = await startHost(history);
	slack = await startSlack();
	const types = await host.rest.get('/types/nodes.json');
	const credentials = { healthDataServiceApi: await host.credential(KEY) };
	prepared = (file) => prepare(readExample(file), types, credentials, ZONE, { [SLACK]: slack.url });
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

/** An identifier that would be a mention, a link and the end of code marks, with a line of its own. */
const NASTY = '<!channel> & `*www.example.com*`\n• me';
const NASTY_SHOWN = "`&lt;!channel&gt; &amp; '*www.example.com*' • me`";

describe('high-blood-pressure-alert.json', () => {
	/** Readings spread over days; it is about noon in the zone of the workflow. */
	function measure(user: User, count: number, days: number, systolic: number, diastolic: number, unit = 'mmHg') {
		for (let i = 0; i < count; i++) {
			const time = new Date(Date.now() - (i % days) * DAY - i * MINUTE).toISOString();
			const reading = bloodPressure(time, systolic, diastolic);
			history.add(user, { ...reading, point: { ...reading.point, unit } });
		}
	}
	const addUser = (name: string, ...readings: [number, number, number, number, string?]) => {
		const user = history.addUser(name);
		measure(user, ...readings);
		return user;
	};

	let id: string;
	beforeAll(async () => {
		({ id } = await host.rest.importWorkflow(prepared(LIST)));
	});
	async function morning(workflow = id) {
		const { status, error } = await host.rest.runWorkflow(workflow);
		return { status, message: error?.message as string | undefined, posted: slack.messages.splice(0) };
	}
	/** The workflow on a later day, with the readings of today. */
	async function onDay(days: number) {
		const nodes: INode[] = JSON.parse(
			JSON.stringify(prepared(LIST).nodes).replaceAll('$today', `$today.plus({ days: ${days} })`),
		);
		return (await host.rest.importWorkflow({ ...prepared(LIST), nodes })).id as string;
	}
	const done = { status: 'success', message: undefined };
	const ABOVE = '*Mean of the last 7 days at or above 135/85 mmHg:';
	const lastLine = (few: number, all: number, silent = 1) =>
		`Too few readings for a mean (fewer than 12, or on fewer than 3 days): ${few} of ${all} users, ${silent} of them without any.`;

	let eleven: User;
	let refused: User;
	it('names in one message the users above the limits with enough readings, and those that cannot be read', async () => {
		addUser('systolic', 12, 3, 135, 70);
		addUser(NASTY, 14, 7, 120, 102);
		addUser('below', 12, 3, 134, 84);
		eleven = addUser('eleven readings', 11, 3, 160, 100);
		addUser('two days', 12, 2, 160, 100);
		addUser('silent', 0, 1, 0, 0);
		addUser('kilopascal', 12, 3, 18, 12, 'kPa');
		addUser('other spelling', 12, 3, 136, 85, 'mm[Hg]');
		refused = addUser('refused', 12, 3, 150, 95);
		host.sandbox.switches.users = { [refused.user_id]: 'refused' };

		const { posted, ...ended } = await morning();
		expect(ended).toEqual(done);
		expect(posted).toEqual([
			[
				`${ABOVE} 3, 3 of them new*`,
				`• ${NASTY_SHOWN}: 120.0/102.0, 14 readings on 7 days`,
				'• `other spelling`: 136.0/85.0, 12 readings on 3 days',
				'• `systolic`: 135.0/70.0, 12 readings on 3 days',
				'',
				'*Could not be read: 2, 2 of them new*',
				"• `refused`: `The service refuses this user's data (status 403)`",
				'• `kilopascal`: `The readings are not all in mmHg`',
				'',
				lastLine(3, 9),
			].join('\n'),
		]);
	});

	it('names nobody again, but who is new or can be read now', async () => {
		host.sandbox.switches.users = { [refused.user_id]: 'refused' };
		expect(await morning()).toEqual({ ...done, posted: [] });

		measure(eleven, 1, 1, 160, 100);
		host.sandbox.switches.users = {};
		const lines = [
			`${ABOVE} 5, 2 of them new*`,
			'• `eleven readings`: 160.0/100.0, 12 readings on 3 days',
			'• `refused`: 150.0/95.0, 12 readings on 3 days',
			'',
			lastLine(2, 9),
		];
		expect(await morning()).toEqual({ ...done, posted: [lines.join('\n')] });
	});

	it('names those again that Slack refused', async () => {
		addUser('during an outage', 12, 3, 170, 90);
		slack.refuses = () => true;
		const failed = await morning();
		expect([failed.status, failed.posted, slack.refused.length]).toEqual(['error', [], 3]);

		// And waits for a Slack that fails for a moment.
		slack.refuses = () => slack.refused.length === 3;
		const { posted, ...ended } = await morning();
		expect(ended).toEqual(done);
		expect(posted).toEqual([
			expect.stringContaining(`${ABOVE} 6, 1 of them new*\n• \`during an outage\`: 170.0/90.0,`),
		]);
		expect((await morning()).posted).toEqual([]);
	});

	it('posts nothing and ends as failed when the key is rejected', async () => {
		host.sandbox.switches.fault = () => ({ status: 401 });
		expect(await morning()).toEqual({
			status: 'error',
			message: expect.stringContaining('The service did not accept the API key (status 401). '),
			posted: [],
		});
	});

	it('names everybody again on the eighth day', async () => {
		expect((await morning(await onDay(6))).posted).toEqual([]);
		const eighth = await onDay(7);
		const { posted } = await morning(eighth);
		expect(posted).toEqual([expect.stringContaining(`${ABOVE} 6, 6 of them new*`)]);
		expect(posted[0]).toContain('*Could not be read: 1, 1 of them new*\n• `kilopascal`');
		expect((await morning(eighth)).posted).toEqual([]);
	});

	it('names 50 users in a message, the highest first, and the rest in the next', async () => {
		const later = await onDay(14);
		for (let i = 0; i < 46; i++) addUser(`more ${i}`, 12, 3, 200 + i, 80);
		const [first] = (await morning(later)).posted;
		expect(first.match(/^• .*/gm)).toHaveLength(50 + 1);
		expect(first.split('\n').slice(0, 2)).toEqual([
			`${ABOVE} 52, 52 of them new*`,
			'• `more 45`: 245.0/80.0, 12 readings on 3 days',
		]);
		expect(first).toContain('\n… and 2 more, whom the next message names\n');
		const [second] = (await morning(later)).posted;
		expect(second.match(/^• `[^`]*`/gm)).toEqual(['• `other spelling`', '• `systolic`']);
		expect((await morning(later)).posted).toEqual([]);
	});
});

describe('new-reading-alert.json', () => {
	const NEXT = 'Next step: measure again after five minutes of rest, and follow your protocol.';
	const head = (user: string) => `*Blood pressure that should not wait:* ${user}`;

	/** The messages of a poll that brings these readings. */
	async function posted(...rows: IDataObject[]) {
		const reading = { timestamp: '2026-03-01T07:00:00Z', unit: 'mmHg', provider: 'omron', change: 'created' };
		const items = rows.map((row) => ({ json: { user_id: row.client_user_id, ...reading, ...row } }));
		const workflow = { ...prepared(ALERT), pinData: { 'New Blood Pressure Reading': items } };
		const { id } = await host.rest.importWorkflow({
			...workflow,
			settings: { ...workflow.settings, timezone: 'Asia/Tokyo' },
		});
		expect(await host.rest.runWorkflow(id)).toMatchObject({ status: 'success' });
		return slack.messages.map((text) => text.split('\n'));
	}
	const anna = (minute: number, systolic: GenericValue, diastolic: GenericValue, more: IDataObject = {}) => ({
		...{ client_user_id: 'anna', timestamp: `2026-03-01T07:0${minute}:00Z`, systolic, diastolic },
		...more,
	});
	const on = (minute: number) => `on 1 Mar 2026 at 16:0${minute} with \`omron\``;

	it.each<[string, IDataObject[], string[]]>([
		['one reading', [anna(0, 181, 70)], [`1 reading at or above 180/110: \`181/70 mmHg\` ${on(0)}`]],
		[
			'three a minute apart, the highest as one reading',
			[anna(0, 185, 95), anna(1, 170, 122), anna(2, 180, 90)],
			[`3 readings at or above 180/110, the highest \`170/122 mmHg\` ${on(1)}, their mean 178.3/102.3`],
		],
		['a low one', [anna(0, 100, 50)], [`1 reading at or below 90/50: \`100/50 mmHg\` ${on(0)}`]],
		[
			'two low ones and a high one',
			[anna(0, 90, 60), anna(1, 85, 55), anna(2, 150, 110)],
			[
				`1 reading at or above 180/110: \`150/110 mmHg\` ${on(2)}`,
				`2 readings at or below 90/50, the lowest \`85/55 mmHg\` ${on(1)}, their mean 87.5/57.5`,
			],
		],
		[
			'a reading that a phone has copied',
			[anna(0, 190, 100), anna(0, 190, 100, { provider: 'apple' })],
			[`1 reading at or above 180/110: \`190/100 mmHg\` ${on(0)}`],
		],
		[
			'a correction',
			[anna(0, 190, 100, { change: 'updated' })],
			[`1 reading at or above 180/110 (corrected): \`190/100 mmHg\` ${on(0)}`],
		],
		[
			'a correction among others',
			[anna(0, 190, 100, { change: 'updated' }), anna(1, 180, 100)],
			[`2 readings at or above 180/110 (1 corrected), the highest \`190/100 mmHg\` ${on(0)}, their mean 185.0/100.0`],
		],
		[
			'without a diastolic, and with numbers as text',
			[anna(0, '190', null), anna(1, '200', '')],
			[`2 readings at or above 180/110, the highest \`200/– mmHg\` ${on(1)}, their mean 195.0/–`],
		],
		[
			'of two units',
			[anna(0, 190, 100), anna(1, 184, 100, { unit: 'kPa' })],
			[`2 readings at or above 180/110, the highest \`190/100 mmHg\` ${on(0)}`],
		],
	])('posts one message: %s', async (_, rows, lines) => {
		expect(await posted(...rows)).toEqual([[head('`anna`'), ...lines, NEXT]]);
	});

	it('posts a message for each user, and makes no link or mention of what others wrote', async () => {
		const other = { client_user_id: NASTY, provider: NASTY, unit: '<@U1>' };
		expect(await posted(anna(0, 181, 70), anna(0, 182, 70, other))).toEqual([
			[head('`anna`'), expect.any(String), NEXT],
			[
				head(NASTY_SHOWN),
				`1 reading at or above 180/110: \`182/70 &lt;@U1&gt;\` on 1 Mar 2026 at 16:00 with ${NASTY_SHOWN}`,
				NEXT,
			],
		]);
	});

	it('posts what a poll brings, once for a user', async () => {
		const example = prepared(ALERT);
		// n8n refuses to poll more often than once a minute, but takes thirty poll times of once a minute each.
		const item = Array.from({ length: 30 }, (_, i) => ({ mode: 'custom', cronExpression: `${i * 2} * * * * *` }));
		const nodes = example.nodes.map((node) =>
			'pollTimes' in node.parameters ? { ...node, parameters: { ...node.parameters, pollTimes: { item } } } : node,
		);
		const workflow = await host.rest.importWorkflow({ ...example, nodes });
		expect(await host.rest.activate(workflow)).toMatchObject({ status: 'published' });
		const user = history.addUser('ben');
		const polls = () => host.sandbox.requests.filter((url) => url.includes(user.user_id)).length;
		const polled = async (atLeast: number) =>
			await until('polls', async () => polls() >= atLeast, { timeoutMs: 120_000 });
		await polled(1);
		for (const [ago, systolic] of [
			[2, 184],
			[1, 181],
			[0, 178],
		])
			history.add(user, bloodPressure(new Date(Date.now() - ago * MINUTE).toISOString(), systolic, 80));
		history.add(user, bloodPressure(new Date(Date.now() - 3 * MINUTE).toISOString(), 88, 80));
		await until('a message', async () => slack.messages.length > 0, { timeoutMs: 120_000 });
		await polled(polls() + 2);
		await host.rest.deactivate(workflow);
		// n8n keeps no readings of a run that succeeded.
		const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow.id }));
		expect(await host.rest.get(`/rest/executions?filter=${filter}`)).toMatchObject({ results: [] });
		expect(slack.messages.map((text) => text.split('\n'))).toEqual([
			[
				head('`ben`'),
				expect.stringMatching(
					/^2 readings at or above 180\/110, the highest `184\/80 mmHg` on .* their mean 182\.5\/80\.0$/,
				),
				expect.stringMatching(/^1 reading at or below 90\/50: `88\/80 mmHg` on /),
				NEXT,
			],
		]);
	});
});
