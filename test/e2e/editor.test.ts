/**
 * What a new user goes through in n8n's editor, in a real browser, and the pictures of it that the README shows.
 * One story: a test may continue from the state of the test before it.
 */
import { DateTime } from 'luxon';
import { createWorld } from '../../dev/sandbox/world';
import { byTime, expectedRows, KEY } from '../helpers/people';
import { openEditor, soon, type Editor } from './editor';
import { startHost, type Host } from './n8n';

const NODE = 'Health Data Service';
const world = createWorld([{ key: KEY, users: 9 }]);
const [{ users }] = world.teams;

/** The zone of the invented users, so that the pictures show mornings and evenings. */
const zone = 'UTC';
const [start, end] = [DateTime.fromISO('2026-03-02', { zone }), DateTime.fromISO('2026-03-04', { zone }).endOf('day')];
const readingsUntil = (until: DateTime, user: (typeof users)[number]) =>
	world.readings(user.user_id, 'blood_pressure', start.toMillis(), until.toMillis());

/** With readings of more than one provider. */
const picked = users.find((user) => new Set(readingsUntil(end, user).map(({ source }) => source.provider)).size > 1)!;
const pickedRows = (readings = readingsUntil(end, picked)) =>
	byTime(expectedRows(picked, readings, picked.client_user_id, zone));
const asText = (rows: object[]) => rows.map((row) => Object.values(row).map(String));

let host: Host;
let editor: Editor;
beforeAll(async () => {
	// The demo's address is in the pictures, when it is free.
	host = await startHost(world, { port: 4010, env: { GENERIC_TIMEZONE: zone } });
	editor = await openEditor(host.url);
	await editor.logIn();
});
afterAll(async () => {
	await editor?.close();
	await host?.stop();
});

it('is found in the nodes panel by what it is about', async () => {
	await editor.openNodesPanel();
	const devices = ['omron', 'withings', 'fitbit', 'apple health'];
	const words = ['health', 'vitals', 'wearable', 'wearables', 'mindfulness', 'meditation', 'blood pressure'];
	for (const search of [...words, ...devices]) {
		await editor.searchNodes(search);
		await editor.foundNode(NODE).waitFor();
	}
	await editor.pickNode(NODE);
	await editor.openActions();
	await soon(editor.actionNames, [
		...['On new blood pressure reading', 'On new mindfulness session', 'On new user'],
		...['Get blood pressure readings', 'Get mindfulness minutes', 'List users', 'Resolve user by client user ID'],
	]);
});

it('leads from the nodes panel to rows of data in under ten actions, the credential included', async () => {
	await editor.openNodesPanel();
	await editor.searchNodes('vitals');
	await editor.pickNode(NODE);
	await editor.openActions();
	await editor.pickAction('List users');
	await editor.createCredential();
	await editor.fillCredential('baseUrl', host.sandbox.baseUrl);
	await editor.fillCredential('apiKey', KEY);
	await editor.saveCredential();
	await editor.credentialChosen();
	await editor.executeStep();
	const { columns, rows } = await editor.outputTable();
	expect(editor.actions).toEqual([
		'type "vitals"',
		'click node Health Data Service',
		'click Actions',
		'click action List users',
		'click Connect',
		'type baseUrl',
		'type apiKey',
		'click Save',
		'click Execute step',
	]);
	expect(columns.slice(0, 3)).toEqual(['user_id', 'team_id', 'client_user_id']);
	expect(rows.map((row) => row[0])).toEqual(users.map((user) => user.user_id));
});

it('the credential shows whether the service accepts it', async () => {
	await editor.addNode(NODE, 'List users');
	await editor.editCredential();
	await editor.credentialSuccess();
	await editor.fillCredential('apiKey', 'wrong');
	await editor.saveCredential();
	expect(await editor.credentialFailure()).toContain("Check 'API Key' and 'Base URL' together");
	await editor.look({ height: 1000 });
	await editor.fillCredential('apiKey', KEY);
	await editor.saveCredential();
	await editor.credentialSuccess();
	expect(await editor.credentialText()).toMatch(
		/Base URL.*API Key.*Allow Unencrypted HTTP.*Ignore SSL Issues \(Insecure\).*Allowed HTTP Request Domains/s,
	);
	await editor.picture(
		'credential',
		['editCredential-modal', 0, 0, 896, 700],
		[
			...['Health Data Service account', 'Base URL', 'API Key', 'Allow Unencrypted HTTP', 'Ignore SSL Issues'],
			'Connection tested successfully',
		],
	);
	await editor.look({});
});

it('explains a wrong date', async () => {
	await editor.look({ height: 1200 });
	await editor.addNode(NODE, 'Get blood pressure readings');
	await editor.chooseOption('dateRange', 'Between Days');
	await editor.enterDate('endDate', '2026-03-01');
	await editor.enterExpression('startDate', '31.01.2026');
	await editor.executeStep();
	expect(await editor.outputError()).toEqual({
		message: "'Start Date' is not a date",
		description: expect.stringMatching(/^Enter a date such as 20\d\d-/),
	});

	await editor.enterExpression('startDate', '2026-03-02');
	await editor.executeStep();
	expect(await editor.outputError()).toMatchObject({ message: "'End Date' is before 'Start Date'" });
	await editor.picture(
		'error',
		['node-parameters', 0, -42, 824, 542],
		["'End Date' is before 'Start Date'", 'Swap the two dates, or change one of them'],
	);
	await editor.look({});
});

it('reads the blood pressure of a user picked from the list', async () => {
	await editor.addNode(NODE, 'Get blood pressure readings');
	await editor.chooseOption('userScope', 'One User');
	await editor.openList('user');
	await editor.listed.nth(users.length - 1).waitFor();
	await editor.picture('picker', ['node-parameters', 0, -42, 420, 650], ['User']);
	const { name, slug } = picked.connected_sources[0].source;
	await editor.searchList(name.toLowerCase());
	const connected = users.filter((user) => user.connected_sources.some(({ source }) => source.slug === slug));
	expect(connected.length).toBeLessThan(users.length);
	await editor.listIs(connected.map((user) => user.client_user_id));
	await editor.searchList(picked.client_user_id.slice(-3).toUpperCase());
	await editor.listIs([picked.client_user_id]);
	await editor.pickFromList(picked.client_user_id);
	await editor.chooseOption('dateRange', 'Between Days');
	await editor.enterDate('startDate', start.toISODate()!);
	await editor.enterDate('endDate', end.toISODate()!);

	await editor.executeStep();
	const { columns, rows } = await editor.outputTable();
	await editor.picture('node', ['node-parameters', 0, -42, 420, 655], ['Blood Pressure', '2026']);
	const expected = pickedRows();
	expect(columns).toEqual(Object.keys(expected[0]));
	expect([...rows].sort((a, b) => (a[1] < b[1] ? -1 : 1))).toEqual(asText(expected));
});

it('reads one provider, then all providers again', async () => {
	const readings = readingsUntil(end, picked);
	const { provider } = readings[0].source;
	await editor.openList('provider');
	await editor.pickFromList(`(${provider})`);
	await editor.executeStep();
	const ofOne = pickedRows(readings.filter(({ source }) => source.provider === provider));
	expect((await editor.outputTable()).rows.sort()).toEqual(asText(ofOne).sort());

	await editor.openList('provider');
	await editor.pickFromList('All Providers');
	await editor.executeStep();
	expect((await editor.outputTable()).rows.sort()).toEqual(asText(pickedRows()).sort());
});

it('reads the blood pressure of all users', async () => {
	await editor.chooseOption('userScope', 'All Users');
	await editor.enterDate('endDate', start.toISODate()!);
	await editor.look({ width: 1540 });
	await editor.widenOutput();
	await editor.executeStep();
	const { rows } = await editor.outputTable();
	const ofTheDay = users.flatMap((user) => readingsUntil(start.endOf('day'), user).map(() => user.client_user_id));
	expect(rows.map((row) => row[0])).toEqual(ofTheDay);
	await editor.picture('output', ['output-panel', 0, 0, 948, 376], ['systolic', 'diastolic', 'unit', 'provider']);
	await editor.look({});
});

it('shows its icon in the nodes panel and on the canvas, also in dark mode', async () => {
	await editor.closeNode();
	await editor.look({ dark: true });
	await editor.picture('dark', ['canvas', 500, 255, 560, 222]);
	await editor.openNextStepPanel();
	await editor.searchNodes('blood pressure');
	await editor.foundNode(NODE).waitFor();
	expect(await editor.foundNode(NODE).isVisible()).toBe(true);
	await editor.look({});
	await editor.picture('nodes-panel', ['node-creator', 0, 0, 385, 240], ['blood pressure', 'Health Data Service']);
});

it('fetches a test event of the trigger', async () => {
	await editor.openNodesPanel();
	await editor.searchNodes('blood pressure');
	await editor.pickNode(NODE);
	await editor.pickAction('On new blood pressure reading');
	await editor.look({ height: 1200 });
	await editor.chooseOption('userScope', 'Listed Users');
	await editor.chooseOption('usersBy', 'Client User ID');
	await editor.enterText(
		'userIds',
		users
			.slice(0, 5)
			.map((user) => user.client_user_id)
			.join(', '),
	);
	await editor.addLimit('Reading At or Above');
	await editor.picture('trigger', ['node-parameters', 0, -42, 366, 990]);
	await editor.look({});
	await editor.chooseOption('userScope', 'All Users');
	await editor.enterText('systolic', '100');
	await editor.enterText('diastolic', '60');
	await editor.fetchTestEvent();
	const { columns, rows } = await editor.outputTable();
	expect(columns.slice(0, 3)).toEqual(['client_user_id', 'local_time', 'systolic']);
	expect(columns.slice(8)).toEqual(['user_id', 'row_id', 'change']);
	expect(rows).toHaveLength(1);
});

it('shows in the list of users why it is empty', async () => {
	host.sandbox.switches.fault = () => ({ status: 401, body: { detail: 'Invalid API key' } });
	await editor.addNode(NODE, 'Get blood pressure readings');
	await editor.chooseOption('userScope', 'One User');
	await editor.openList('user');
	expect(await editor.listFailure()).toContain('The service did not accept the API key');
});
