/**
 * The fields that a user finds second, in n8n's editor in a real browser: lists of users, the form of the output, options, and
 * the way back to all providers. What they read is held against the world, not against the node.
 */
import { DateTime } from 'luxon';
import { createWorld } from '../../dev/sandbox/world';
import { expectedRows, byTime, KEY } from '../helpers/people';
import { openEditor, soon, type Editor } from './editor';
import { startHost, type Host } from './n8n';

const NODE = 'Health Data Service';
const ACTION = 'Get blood pressure readings';
const world = createWorld([{ key: KEY, users: 9 }]);
const [{ users }] = world.teams;
type User = (typeof users)[number];

const zone = 'America/New_York';
const [start, end] = [DateTime.fromISO('2026-03-02', { zone }), DateTime.fromISO('2026-03-03', { zone }).endOf('day')];
const readingsOf = (user: User) => world.readings(user.user_id, 'blood_pressure', start.toMillis(), end.toMillis());
const asText = (user: User, readings = readingsOf(user)) =>
	byTime(expectedRows(user, readings, user.client_user_id)).map((row) => Object.values(row).map(String));

/** The last first, so that the order of the list differs from that of the team. */
const listed = users
	.filter((user) => readingsOf(user).length > 0)
	.slice(0, 3)
	.reverse();
const severalProviders = users.find((user) => new Set(readingsOf(user).map(({ source }) => source.provider)).size > 1)!;

let host: Host;
let editor: Editor;
beforeAll(async () => {
	host = await startHost(world);
	await host.credential(KEY);
	editor = await openEditor(host.url);
	await editor.logIn();
	await editor.look({ height: 1300 });
});
afterAll(async () => {
	await editor?.close();
	await host?.stop();
});

/** The fields of Blood Pressure, from 2 to 3 March 2026. */
async function readTwoDays() {
	await editor.addNode(NODE, ACTION);
	await editor.chooseOption('dateRange', 'Between Days');
	await editor.enterDate('startDate', start.toISODate()!);
	await editor.enterDate('endDate', end.toISODate()!);
}

describe('listed users', () => {
	it('are named in two fields of their own', async () => {
		await readTwoDays();
		await editor.chooseOption('userScope', 'One User');
		await soon(editor.fieldNames, expect.arrayContaining(['user']));
		await editor.chooseOption('userScope', 'Listed Users');
		await soon(editor.fieldNames, expect.arrayContaining(['usersBy', 'userIds']));
		await soon(editor.fieldNames, expect.not.arrayContaining(['user']));
	});

	it('by the identifiers of the client', async () => {
		await editor.chooseOption('usersBy', 'Client User ID');
		await editor.enterText('userIds', listed.map((user) => user.client_user_id).join('\n'));
		await editor.executeStep();
		const { rows } = await editor.outputTable();
		expect(rows.map((row) => row[0])).toEqual(listed.flatMap((user) => asText(user).map((row) => row[0])));
		expect([...rows].sort()).toEqual(listed.flatMap((user) => asText(user)).sort());
	});

	it('by those of the service; an unknown one is named by its position', async () => {
		await editor.chooseOption('usersBy', 'User ID');
		const [first, second] = listed;
		await editor.enterText('userIds', `${first.user_id}, ${second.user_id.replace(/^.{8}/, '00000000')}`);
		await editor.executeStep();
		expect((await editor.outputError()).message).toContain("Entry 2 of 'User IDs' is an identifier that no user has");
		await editor.enterText('userIds', `${first.user_id}, ${second.user_id}`);
		await editor.executeStep();
		const { columns, rows } = await editor.outputTable();
		expect([...new Set(rows.map((row) => row[columns.indexOf('user_id')]))]).toEqual([first.user_id, second.user_id]);
	});
});

it('a provider is picked, then all providers again', async () => {
	await readTwoDays();
	await editor.chooseOption('userScope', 'One User');
	await editor.openList('user');
	await editor.searchList(severalProviders.client_user_id);
	await editor.pickFromList(severalProviders.client_user_id);
	const readings = readingsOf(severalProviders);
	const { provider } = readings[0].source;

	await editor.openList('provider');
	await editor.pickFromList(`(${provider})`);
	await editor.executeStep();
	const ofOne = readings.filter(({ source }) => source.provider === provider);
	expect((await editor.outputTable()).rows.sort()).toEqual(asText(severalProviders, ofOne).sort());

	await editor.openList('provider');
	await editor.pickFromList('All Providers');
	await editor.executeStep();
	expect((await editor.outputTable()).rows.sort()).toEqual(asText(severalProviders).sort());
});

describe('the trigger', () => {
	it('offers the options of its event', async () => {
		await editor.openNodesPanel();
		await editor.searchNodes(NODE);
		await editor.pickNode(NODE);
		await editor.pickAction('On new mindfulness session');
		await soon(editor.optionsToAdd, [
			...['Concurrent Requests', 'Lookback Hours', 'Only Connected Users'],
			...['Requests per Second', 'Source Types'],
		]);
		await editor.seeOneLimit();
		await editor.chooseOption('userScope', 'One User');
		await soon(editor.optionsToAdd, expect.not.arrayContaining(['Only Connected Users']));
		await editor.chooseOption('event', 'New User');
		await soon(editor.fieldNames, expect.not.arrayContaining(['userScope']));
		await editor.chooseOption('event', 'New Blood Pressure Reading');
		await soon(editor.limitsToAdd, ['Reading At or Above', 'Reading At or Below']);
	});

	it('watches listed users for readings that reach a limit', async () => {
		const withOmron = users.find((user) => user.connected_sources.some(({ source }) => source.slug === 'omron'))!;
		await editor.chooseOption('userScope', 'Listed Users');
		await editor.chooseOption('usersBy', 'Client User ID');
		await editor.enterText('userIds', `${withOmron.client_user_id}, ${users[0].client_user_id}`);
		await editor.addLimit('Reading At or Above');
		await editor.enterText('systolic', '110');
		await editor.enterText('diastolic', '100');
		await editor.fetchTestEvent();
		const { columns, rows } = await editor.outputTable();
		const event = Object.fromEntries(columns.map((column, index) => [column, rows[0][index]]));
		expect(rows).toHaveLength(1);
		expect([withOmron.client_user_id, users[0].client_user_id]).toContain(event.client_user_id);
		expect(Number(event.systolic)).toBeGreaterThanOrEqual(110);
		await editor.enterText('systolic', '900');
		await editor.enterText('diastolic', '900');
		await editor.fetchTestEvent();
		expect((await editor.outputError()).message).toContain("reaches 'Limits'");
	});
});
