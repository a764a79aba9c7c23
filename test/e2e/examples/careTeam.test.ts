/**
 * The examples for a care team in a real n8n: the weekly letter as its mail server gets it, the message about users without
 * readings, and the MCP server as an assistant uses it. Their pictures are those of docs/images.
 */
import { DateTime } from 'luxon';
import type { IDataObject, INode, INodeTypeDescription } from 'n8n-workflow';
import { PNG } from 'pngjs';
import type { BloodPressurePoint } from '../../../dev/sandbox/metrics';
import type { User } from '../../../dev/sandbox/schemas';
import { defaultSwitches } from '../../../dev/sandbox/switches';
import type { Reading, World } from '../../../dev/sandbox/world';
import { bloodPressure, createUser, fixedWorld, KEY } from '../../helpers/people';
import { startHost, type Host } from '../n8n';
import { LAST_MONDAY, TODAY, ZONE } from './exampleWorld';
import { startSlack } from './fakeSlack';
import { exampleFiles, readExample } from './files';
import { mailPicture, slackPicture } from './letterPicture';
import { startMailServer } from './mailServer';
import { connectMcp, connectMcpByLogin } from './mcpClient';
import { prepare, type Credentials, type Example } from './run';

const SLACK = 'n8n-nodes-base.slack';
const MAIL = 'n8n-nodes-base.emailSend';
const FROM = 'n8n@clinic.example';
const TO = 'care-team@clinic.example';
/** Teams for the pictures: a usual one, and one of 64 users of which 60 are above the limits. */
const PICTURE_KEY = 'picture';
const MANY_KEY = 'many';
const TOKEN = 'a long random token';

const monday = DateTime.fromISO(LAST_MONDAY, { zone: ZONE });
const nextMonday = monday.plus({ weeks: 1 });
const today = DateTime.fromISO(TODAY, { zone: ZONE });

const [HIGH, DIASTOLIC, NORMAL, SILENT, BROKEN, FEW] = [
	...[
		'app-user-0001',
		`app-user-0002 <b>&"'`,
		'app-user-0003',
		'app-user-0004 <@U1>',
		'app-user-0005',
		'app-user-0006',
	],
].map((id) => createUser(id, ['omron']));

const at = (day: DateTime, hours: number, systolic: number, diastolic: number, provider?: string) =>
	bloodPressure(day.plus({ hours }).toUTC().toISO()!, systolic, diastolic, provider);
/** Four readings on each of these days of last week. */
const fourOn = (days: number[], systolic: number, diastolic: number) =>
	days.flatMap((day) => [7, 8, 19, 20].map((hour) => at(monday.plus({ days: day }), hour, systolic, diastolic)));
const readings: Record<string, Reading[]> = {
	[HIGH.user_id]: [
		at(monday, 0, 151, 91),
		// The same measurement in a phone's store.
		at(monday, 0, 151, 91, 'apple_health_kit'),
		...fourOn([0, 3, 4], 148, 94),
		// The maxima of two readings: no reading is 184/114.
		at(monday.plus({ days: 2 }), 7, 184, 96),
		at(monday.plus({ days: 2 }), 7.1, 160, 114),
		at(nextMonday, -0.5, 139, 90),
		at(today, 11, 99, 60),
	],
	[DIASTOLIC.user_id]: [...fourOn([0, 1, 2], 120, 85), at(today.minus({ days: 2 }), 0, 120, 85)],
	[FEW.user_id]: [at(monday, 7, 88, 61), at(today, 11, 99, 60)],
	[NORMAL.user_id]: [
		at(monday, -0.001, 200, 130),
		...fourOn([0, 1, 2], 134, 84),
		at(nextMonday, 0, 200, 130),
		at(today.minus({ days: 2 }), -0.001, 120, 80),
	],
};
const users = [HIGH, DIASTOLIC, NORMAL, SILENT, BROKEN, FEW];

/** From Monday of last week to yesterday. */
const DAYS = today.diff(monday, 'days').days;

/** Readings around a mean, morning and evening, and others. */
const around = (systolic: number, diastolic: number, days = DAYS, ...others: Reading[]) => [
	...Array.from({ length: 2 * days }, (_, i) => {
		const [day, more] = [Math.floor(i / 2), ((i * 5 + systolic) % 13) - 6];
		return at(
			monday.plus({ days: day }),
			7.2 + 12 * (i % 2) + 0.1 * day,
			systolic + more,
			diastolic + Math.round(more / 2),
		);
	}),
	...others,
];
const pictured: Record<string, Reading[]> = Object.fromEntries(
	[
		...[around(118, 74), around(142, 89), around(139, 84, 4, at(monday.plus({ days: 1 }), 18.4, 186, 104))],
		...[around(121, 76, 2), [], around(126, 87), around(117, 73, DAYS, at(monday.plus({ days: 6 }), 20.5, 88, 52))],
	].map((all, i) => [`app-user-${1001 + i}`, all]),
);
const many: Record<string, Reading[]> = Object.fromEntries([
	...Array.from(
		{ length: 60 },
		(_, i) => [`app-user-${2001 + i}`, around(136 + ((i * 7) % 24), 80 + ((i * 5) % 16))] as const,
	),
	...[around(120, 78), around(118, 75, 3), [], []].map((all, i) => [`app-user-${2061 + i}`, all] as const),
]);
const teamOf = (all: Record<string, Reading[]>) => Object.keys(all).map((name) => createUser(name, ['omron']));
const byUserId = (all: Record<string, Reading[]>) =>
	Object.fromEntries(teamOf(all).map(({ user_id: id, client_user_id: name }) => [id, all[name]]));
const { teams, readings: read } = fixedWorld(
	users,
	Object.fromEntries(
		Object.entries({ ...readings, ...byUserId(pictured), ...byUserId(many) }).map(([id, all]) => [
			id,
			{ blood_pressure: all },
		]),
	),
);
const world: World = {
	teams: [...teams, { key: PICTURE_KEY, users: teamOf(pictured) }, { key: MANY_KEY, users: teamOf(many) }],
	readings: read,
};

let host: Host;
let types: INodeTypeDescription[];
let credentials: Credentials;
let slack: Awaited<ReturnType<typeof startSlack>>;
let mail: Awaited<ReturnType<typeof startMailServer>>;
beforeAll(async () => {
	host = await startHost(world);
	slack = await startSlack();
	mail = await startMailServer();
	types = await host.rest.get('/types/nodes.json');
	const store = async (type: string, data: Record<string, unknown>) =>
		await host.rest.createCredential({ name: type, type, data });
	credentials = {
		healthDataServiceApi: await host.credential(KEY),
		smtp: await store('smtp', mail.credential),
		httpBearerAuth: await store('httpBearerAuth', { token: TOKEN }),
	};
});
afterAll(async () => {
	await mail?.close();
	await slack?.close();
	await host?.stop();
});
beforeEach(() => {
	Object.assign(host.sandbox.switches, defaultSwitches(), { pageSize: 3, overlap: true });
	host.sandbox.switches.users = { [BROKEN.user_id]: 'refused' };
	slack.messages.length = 0;
	mail.mails.length = 0;
});

/** Imports an example, with the addresses that its user fills in. */
async function put(file: string, has = credentials, limit?: number) {
	const { nodes, ...example }: Example = prepare(readExample(file), types, has, ZONE, { [SLACK]: slack.url });
	const filledIn = (node: INode): INode => {
		if (node.type === MAIL) return { ...node, parameters: { ...node.parameters, fromEmail: FROM, toEmail: TO } };
		if (limit === undefined || node.name !== 'Week and Limits') return node;
		return JSON.parse(JSON.stringify(node).replace(/"value":(135|85)/g, `"value":${limit}`)) as INode;
	};
	return await host.rest.importWorkflow({ ...example, nodes: nodes.map(filledIn) });
}

async function run(file: string, key = KEY, limit?: number) {
	const { id } = await put(file, { ...credentials, healthDataServiceApi: await host.credential(key) }, limit);
	const { status, error } = await host.rest.runWorkflow(id);
	return { status, message: error?.message as string | undefined };
}
const done = { status: 'success', message: undefined };

const pointsOf = (user: User, from: DateTime, to: DateTime) =>
	(readings[user.user_id] ?? [])
		.filter(({ time }) => time >= from.toMillis() && time < to.toMillis())
		.map(({ time, point }) => ({ time, ...(point as BloodPressurePoint) }));

/** Once each: a measurement that two sources have counts once. */
const weekOf = (user: User) => [...new Map(pointsOf(user, monday, nextMonday).map((one) => [one.time, one])).values()];
const mean = (numbers: number[]) => (numbers.reduce((a, b) => a + b, 0) / numbers.length).toFixed(1);
const meanOf = (user: User) => {
	const week = weekOf(user);
	return week.length ? `${mean(week.map((one) => one.systolic))}/${mean(week.map((one) => one.diastolic))}` : '–/–';
};
const timeOf = (time: number) => DateTime.fromMillis(time, { zone: ZONE });
const daysOf = (user: User) => new Set(weekOf(user).map(({ time }) => timeOf(time).toISODate())).size;
const decoded = (html: string) => html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
const REFUSED = "The service refuses this user's data (status 403)";

describe('weekly-letter.json', () => {
	it('sends one mail: users at or above 135/85 with a chart each, silent and failed users, a table of all', async () => {
		expect(await run('weekly-letter.json')).toEqual(done);
		expect(mail.mails).toHaveLength(1);
		const [{ from, to, subject, text, html, attachments }] = mail.mails;
		const sunday = nextMonday.minus({ days: 1 });
		const days = `${monday.toFormat(monday.month === sunday.month ? 'd' : 'd LLLL')} to ${sunday.toFormat('d LLLL')}`;
		expect([from?.text, [to].flat()[0]?.text, subject]).toEqual([FROM, TO, `Blood pressure, ${days}`]);

		const counts =
			'6 users: 2 with a reading that should not wait, 2 at or above 135/85, 1 with too few readings, 1 without a reading, 1 could not be read.';
		const [head, ...sections] = (html as string).split('<h2');
		expect(head).toContain(counts);
		expect(text?.split('\n').slice(0, 4)).toEqual([
			...[subject, counts, ''],
			'Readings that should not wait. A reading at or above 180/110, or at or below 90/50. Measuring again after five minutes of rest shows whether it stays so; follow your protocol.',
		]);
		const titles = sections.map((section) => />(.*?)<\/h2>/.exec(section)?.[1]);
		expect(titles).toEqual([
			...['Readings that should not wait', 'At or above 135/85', 'Too few readings', 'No reading', 'Could not be read'],
			'All users',
		]);
		const mean = (user: User) => `mean ${meanOf(user)} mmHg of ${weekOf(user).length} readings on ${daysOf(user)} days`;
		const above = [HIGH, DIASTOLIC].map((user) => `${user.client_user_id}: ${mean(user)}, highest reading`);
		for (const line of above) expect(text).toContain(`\n- ${line}`);
		expect(decoded(sections[4])).toContain(REFUSED);
		const last = weekOf(NORMAL)
			.sort((a, b) => a.time - b.time)
			.at(-1)!;
		expect(sections[5]).toContain(timeOf(last.time).toFormat('d LLL, HH:mm'));
		// What the service sent is text, not markup.
		expect(html).not.toContain('0002 <b>');

		expect(
			attachments.map(({ cid, contentType, contentDisposition }) => [cid, contentType, contentDisposition]),
		).toEqual([
			['chart1', 'image/png', 'inline'],
			['chart2', 'image/png', 'inline'],
		]);
		expectChart(PNG.sync.read(attachments[0].content), weekOf(HIGH), 184);
	});

	it('has no charts when no user is at or above the limits', async () => {
		host.sandbox.switches.users = {
			[BROKEN.user_id]: 'refused',
			...Object.fromEntries([HIGH, DIASTOLIC, FEW].map(({ user_id: id }) => [id, 'removed'])),
		};
		expect(await run('weekly-letter.json')).toEqual(done);
		expect(mail.mails[0].html).toContain(
			'3 users: 0 with a reading that should not wait, 0 at or above 135/85, 1 without a reading, 1 could not be read.',
		);
		expect(mail.mails[0].attachments).toEqual([]);
	});

	it('sends nothing and ends as failed when the key is rejected', async () => {
		expect(await run('weekly-letter.json', 'wrong')).toEqual({
			status: 'error',
			message: expect.stringContaining('The service did not accept the API key (status 401)'),
		});
		expect(mail.mails).toEqual([]);
	});

	it.each([
		['letter', PICTURE_KEY, 2, { width: 640, height: 600 }],
		['letter-phone', PICTURE_KEY, 2, { width: 360, height: 600 }],
		['letter-dark', PICTURE_KEY, 2, { width: 360, height: 600, isDark: true }],
		['letter-60-users', MANY_KEY, 20, { width: 360, height: 600 }],
	])('looks as in the picture %s', async (name, key, charts, screen) => {
		Object.assign(host.sandbox.switches, defaultSwitches());
		expect(await run('weekly-letter.json', key)).toEqual(done);
		const [{ html, attachments }] = mail.mails;
		expect(await mailPicture(name, String(html), attachments, screen)).toEqual({
			sizes: Array.from({ length: charts }, () => [720, 340]),
			// Nothing is wider than the screen.
			width: screen.width,
		});
	});
});

/** Every point of the week is where the axes say, in its colour, and the limits are dashed lines. */
function expectChart({ width, height, data }: PNG, points: Array<{ time: number } & BloodPressurePoint>, top: number) {
	expect([width, height]).toEqual([720, 340]);
	const colourAt = (x: number, y: number) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)].join();
	const [lowest, highest] = [80, Math.ceil((top + 5) / 20) * 20];
	const y = (value: number) => Math.round(296 - (280 * (value - lowest)) / (highest - lowest));
	const x = (time: number) => Math.round(76 + (628 * (time - monday.toMillis())) / (7 * 86_400_000));
	const [RED, BLUE, ROSE, SKY] = ['185,28,28', '29,78,216', '233,163,163', '165,187,240'];
	for (const { time, systolic, diastolic } of points) {
		expect([colourAt(x(time), y(systolic)), colourAt(x(time), y(diastolic))]).toEqual([RED, BLUE]);
	}
	const inRow = (row: number) => new Set(Array.from({ length: width }, (_, column) => colourAt(column, row)));
	expect(inRow(y(135))).toContain(ROSE);
	expect(inRow(y(85))).toContain(SKY);
}

it('high-blood-pressure-alert.json looks as in the picture', async () => {
	Object.assign(host.sandbox.switches, defaultSwitches());
	expect(await run('high-blood-pressure-alert.json', PICTURE_KEY)).toEqual(done);
	expect(slack.messages).toEqual([expect.stringContaining('app-user-1002')]);
	await slackPicture('slack', slack.messages[0], { width: 560, height: 200 });
});

describe('users-without-readings.json', () => {
	it('names in one message the users without a reading for two days and, separately, those that could not be read', async () => {
		expect(await run('users-without-readings.json')).toEqual(done);
		const day = today.minus({ days: 2 }).toFormat('d LLL yyyy');
		const isQuiet = (user: User) => pointsOf(user, today.minus({ days: 2 }), today.plus({ days: 1 })).length === 0;
		const quiet = [NORMAL, SILENT].filter(isQuiet);
		expect(quiet).toContain(SILENT);
		expect([HIGH, DIASTOLIC, FEW].some(isQuiet)).toBe(false);
		const names = quiet.map(({ client_user_id: name }) => `• \`${name.replace('<', '&lt;').replace('>', '&gt;')}\``);
		expect(slack.messages).toEqual([
			[
				`*No blood pressure reading since ${day}: ${quiet.length}*\n${names.join('\n')}`,
				`*Could not be read, so perhaps not quiet: 1*\n• \`${BROKEN.client_user_id}\`: \`${REFUSED}\``,
			].join('\n\n'),
		]);
	});

	it('posts nothing when each user has a reading', async () => {
		host.sandbox.switches.users = {
			[BROKEN.user_id]: 'removed',
			[SILENT.user_id]: 'removed',
			[NORMAL.user_id]: 'removed',
		};
		expect(await run('users-without-readings.json')).toEqual(done);
		expect(slack.messages).toEqual([]);
	});

	it('posts nothing and ends as failed when the key is rejected', async () => {
		expect(await run('users-without-readings.json', 'wrong')).toEqual({
			status: 'error',
			message: expect.stringMatching(/^The service did not accept the API key \(status 401\)\. [A-Z]/),
		});
		expect(slack.messages).toEqual([]);
	});
});

describe('mcp-server.json', () => {
	const week = { start_date: LAST_MONDAY, end_date: nextMonday.minus({ days: 1 }).toISODate()! };
	let address: string;
	let client: Awaited<ReturnType<typeof connectMcp>>;
	beforeAll(async () => {
		await host.rest.activate(await put('mcp-server.json'));
		address = `${host.url}/mcp/health-data-service`;
		client = await connectMcpByLogin(address, true);
	});
	afterAll(async () => await client?.close());

	const call = async (name: string, given: object) => {
		const { isError, content } = await client.callTool({ name, arguments: given });
		const text = content.map((part: { text: string }) => part.text).join('');
		return { isError, text, rows: () => JSON.parse(text) as IDataObject[] };
	};

	it('lists its tools with what they need', async () => {
		const { tools } = await client.listTools();
		const required = Object.fromEntries(
			tools.map((tool: { name: string; inputSchema: { required?: string[] } }) => [
				tool.name,
				[...(tool.inputSchema.required ?? [])].sort(),
			]),
		);
		const ofUser = ['client_user_id', 'end_date', 'start_date'];
		expect(required).toMatchObject({ Blood_Pressure_Summary: ofUser, Blood_Pressure_Readings: ofUser });
		expect(Object.keys(required).sort()).toEqual([
			...['Blood_Pressure_Readings', 'Blood_Pressure_Summary', 'Blood_Pressure_of_All_Users', 'Users'],
		]);
		// Every tool that the instructions name is there.
		const named = String(client.getInstructions()).match(/\b[A-Z]\w+_\w+/g) ?? [];
		expect(Object.keys(required)).toEqual(expect.arrayContaining(named));
		expect(named).toHaveLength(3);
		expect(client.getInstructions()).toContain(`Today is ${TODAY}.`);
	});

	it('gives users, a summary and readings', async () => {
		host.sandbox.switches.overlap = false;
		expect((await call('Users', { skip: 0 })).rows()).toMatchObject(
			users.map(({ client_user_id }) => ({ client_user_id })),
		);
		const ofUser = { client_user_id: HIGH.client_user_id, ...week };
		expect((await call('Blood_Pressure_Summary', ofUser)).rows()).toMatchObject([
			{ client_user_id: HIGH.client_user_id, readings: 16, days: daysOf(HIGH), systolic_max: 184, diastolic_max: 114 },
		]);
		expect((await call('Blood_Pressure_Readings', ofUser)).rows()).toHaveLength(17);
	});

	it('says that there is no such user', async () => {
		const { text } = await call('Blood_Pressure_Summary', { client_user_id: 'app-user-9999', ...week });
		expect(text).toContain("There is no user with this 'Client User ID'");
	});

	it('says in one call who was above a limit, and who could not be read', async () => {
		const rows = (await call('Blood_Pressure_of_All_Users', { ...week, skip: 0 })).rows();
		const above = rows.filter(({ systolic_mean: systolic, diastolic_mean: diastolic }) => {
			return Number(systolic) >= 135 || Number(diastolic) >= 85;
		});
		expect(above.map(({ client_user_id: name }) => name)).toEqual([HIGH.client_user_id, DIASTOLIC.client_user_id]);
		expect(rows.filter(({ error }) => error)).toMatchObject([
			{ client_user_id: BROKEN.client_user_id, error: REFUSED },
		]);
		expect(rows).toHaveLength(users.length);
	});

	it('says that there may be more users than the tool gives', async () => {
		const { nodes, ...example } = readExample('mcp-server.json') as Example;
		const two = nodes.map((node) =>
			node.name === 'Blood Pressure of All Users' ? { ...node, parameters: { ...node.parameters, limit: 2 } } : node,
		);
		await withServer({ ...example, nodes: two }, 'two-users', async (connected) => {
			const { content } = await connected.callTool({
				name: 'Blood_Pressure_of_All_Users',
				arguments: { ...week, skip: 1 },
			});
			expect(JSON.parse(content[0].text)).toEqual([
				expect.objectContaining({ client_user_id: DIASTOLIC.client_user_id }),
				expect.objectContaining({ client_user_id: NORMAL.client_user_id }),
				{ note: expect.stringContaining('There may be more') },
			]);
		});
	});

	describe('access', () => {
		it.each([
			['no token', {}, ''],
			['a token that n8n did not give', { authorization: 'Bearer wrong' }, ', error="invalid_token"'],
		])('leads a client with %s to the login of n8n', async (_, sent: Record<string, string>, error) => {
			const { status, headers } = await fetch(address, { method: 'POST', headers: sent });
			const metadata = `${host.url}/.well-known/oauth-protected-resource/mcp/health-data-service`;
			expect([status, headers.get('www-authenticate')]).toEqual([
				401,
				`Bearer realm="n8n MCP Server", resource_metadata="${metadata}"${error}`,
			]);
			const resource = (await (await fetch(metadata)).json()) as { resource: string; authorization_servers: string[] };
			expect(resource).toMatchObject({ resource: address, authorization_servers: [host.url] });
		});

		it('refuses a person who does not allow it', async () => {
			await expect(connectMcpByLogin(address, false)).rejects.toThrow('n8n gave no code: access_denied');
		});

		it('takes a token instead, and no other', async () => {
			await withServer(readExample('mcp-server.json') as Example, 'with-token', async (connected, url) => {
				expect((await connected.listTools()).tools).toHaveLength(4);
				for (const token of ['', 'a wrong token'])
					await expect(connectMcp(url, token)).rejects.toThrow(/40[13]|Authorization/);
			});
		});
	});

	/** The example at another path, with a token instead of the login. */
	async function withServer(
		example: Example,
		path: string,
		use: (connected: typeof client, url: string) => Promise<void>,
	) {
		const nodes = example.nodes.map((node) =>
			node.name === 'MCP Server Trigger'
				? { ...node, parameters: { ...node.parameters, authentication: 'bearerAuth', path } }
				: node,
		);
		const prepared = prepare({ ...example, nodes }, types, credentials, ZONE);
		await host.rest.activate(await host.rest.importWorkflow(prepared));
		const url = `${host.url}/mcp/${path}`;
		const connected = await connectMcp(url, TOKEN);
		await use(connected, url).finally(async () => await connected.close());
	}
});

/** The report that n8n shows before an upgrade, over all examples and a workflow that the upgrade breaks. */
it("n8n's own rules for version 3 accept each example", async () => {
	const broken = { ...readExample('error-workflow.json'), name: 'Broken', settings: { callerPolicy: 'any' } };
	for (const example of [broken, ...exampleFiles().map(readExample)]) await host.rest.importWorkflow(example);
	const { report } = await host.rest.post('/rest/breaking-changes/report/refresh?version=v3');
	const affected: string[] = [];
	for (const { ruleId } of report.workflowResults) {
		const { affectedWorkflows } = await host.rest.get(`/rest/breaking-changes/report/${ruleId}`);
		affected.push(...affectedWorkflows.map(({ name }: { name: string }) => `${ruleId}: ${name}`));
	}
	expect(affected).toEqual(['caller-policy-any-removed-v3: Broken']);
});

it.each(['weekly-letter.json', 'users-without-readings.json'])('%s can be published', async (file) => {
	const workflow = await put(file);
	expect((await host.rest.activate(workflow)).status).toBe('published');
	await host.rest.deactivate(workflow);
});
