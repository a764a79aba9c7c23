/**
 * What a real n8n makes of the package: its nodes and icons, each operation with its rows, the pickers, the tool for agents, and the
 * credential in n8n's HTTP Request node.
 */
import type { IDataObject, INodeListSearchResult, INodeParameters, INodeTypeDescription } from 'n8n-workflow';
import { CREDENTIAL_TYPE, node, NODE_TYPE, PACKAGE, START } from '../../dev/host/workflow';
import type { User } from '../../dev/sandbox/schemas';
import { startSandbox } from '../../dev/sandbox/server';
import type { Reading } from '../../dev/sandbox/world';
import { fromAI } from '../helpers/agent';
import { BERLIN, byTime, expectedRows, KEY, people, readingsOf, SPECIAL, SPECIAL_ID, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, listUsers, resolve } from '../helpers/requests';
import { LARGE_KEY, requestNode, useHost, worldOfTests } from './n8n';

const world = worldOfTests();
const host = useHost(world);
let credential: string;
beforeAll(async () => {
	host.sandbox.switches.pageSize = 7;
	credential = await host.credential(KEY);
});

it('offers the node, the tool for AI agents and the trigger, each with its icons', async () => {
	const nodes: INodeTypeDescription[] = await host.rest.get('/types/nodes.json');
	const ours = nodes.filter(({ name }) => name.startsWith(`${PACKAGE}.`));
	const names = ['healthDataService', 'healthDataServiceTool', 'healthDataServiceTrigger'];
	expect(ours.map(({ name }) => name).sort()).toEqual(names.map((name) => `${PACKAGE}.${name}`));
	for (const { iconUrl } of ours) {
		const { light, dark } = iconUrl as { light: string; dark: string };
		for (const url of [light, dark]) expect(await host.rest.get(`/${url}`)).toContain('<svg');
	}
});

const large = [...world.teams.find(({ key }) => key === LARGE_KEY)!.users];
const rowsOf = (user: User, readings: Reading[], clientUserId: string | null = null) =>
	expectedRows(user, readings, clientUserId, 'Europe/Berlin');
const berlin = rowsOf(BERLIN, readingsOf(people(), BERLIN));
const steady = readingsOf(people(), STEADY);
const ofSteady = (more: INodeParameters = {}) => bloodPressureOf(byUserId(STEADY.user_id), more);
const ofBerlin = (date: string) => bloodPressureOf(byUserId(BERLIN.user_id), { startDate: date, endDate: date });

it.each<[string, INodeParameters, IDataObject[], string?]>([
	['User → List', listUsers({ returnAll: true }), large, LARGE_KEY],
	['User → List with a Limit beyond one page', listUsers({ limit: 620 }), large.slice(0, 620), LARGE_KEY],
	['User → Resolve, with any characters', resolve(SPECIAL_ID), [SPECIAL]],
	['Blood Pressure, over pages of 7', ofSteady(), rowsOf(STEADY, steady)],
	[
		'Blood Pressure of a client user ID with any characters',
		bloodPressureOf(byClientId(SPECIAL_ID)),
		rowsOf(SPECIAL, readingsOf(people(), SPECIAL), SPECIAL_ID),
	],
	[
		'Mindfulness Minutes',
		{ ...ofSteady(), operation: 'mindfulnessMinutes' },
		rowsOf(STEADY, readingsOf(people(), STEADY, 'mindfulness_minutes')),
	],
	['a day of 23 hours', ofBerlin('2026-03-29'), berlin.slice(3, 7)],
	[
		'a date from an expression, evaluated in the isolate of production',
		ofBerlin("={{ DateTime.fromISO('2026-03-29', { zone: 'Europe/Berlin' }) }}"),
		berlin.slice(3, 7),
	],
])('%s', async (_, parameters, expected, key = KEY) => {
	const { rows, status, error } = await host.run(await host.credential(key), parameters, 'Europe/Berlin');
	expect(error).toBeUndefined();
	expect(status).toBe('success');
	expect(byTime(rows)).toEqual(byTime(expected));
	expect(Object.keys(rows[0])).toEqual(Object.keys(expected[0]));
});

/** The editor's request to n8n while a user types. */
const search = async (methodName: string, filter: string): Promise<INodeListSearchResult> =>
	await host.rest.post('/rest/dynamic-node-parameters/resource-locator-results', {
		nodeTypeAndVersion: { name: NODE_TYPE, version: 1 },
		path: 'parameters.user',
		methodName,
		filter,
		currentNodeParameters: { resource: 'timeseries', operation: 'bloodPressure' },
		credentials: { [CREDENTIAL_TYPE]: { id: credential, name: 'credential' } },
	});

it('pickers list', async () => {
	expect(await search('searchUsers', SPECIAL_ID)).toEqual({
		results: [{ name: `${SPECIAL_ID} (Omron)`, value: SPECIAL.user_id }],
	});
	expect((await search('searchProviders', '')).results.map(({ value }) => value)).toEqual(['', 'omron', 'withings']);
});

it('as a tool it answers an agent', async () => {
	// n8n's own way to call a tool without a model.
	const given = { query: JSON.stringify({ Readings: { User: 'steady' } }) };
	const parameters = bloodPressureOf(byClientId(fromAI('User')), { returnAll: false, limit: 1 });
	const workflow = await host.rest.importWorkflow({
		nodes: [
			START,
			node('Agent', '@n8n/n8n-nodes-langchain.toolExecutor', 1, given),
			node('Readings', `${NODE_TYPE}Tool`, 1, parameters, credential),
		],
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Readings: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
	});
	const { status, runData } = await host.rest.runWorkflow(workflow.id);
	expect(status).toBe('success');
	const [{ json }] = runData.Readings[0].data.ai_tool[0];
	expect(json.response).toMatchObject([
		{ client_user_id: 'steady', systolic: 110, diastolic: 70 },
		{ note: expect.stringContaining('there may be more') },
	]);
});

describe("the credential in n8n's HTTP Request node", () => {
	/** Reads `/v2/user` with it, in the form without a slash, which the service may redirect. */
	async function request() {
		const options = { redirect: { redirect: { followRedirects: true } } };
		const workflow = requestNode(`${host.sandbox.baseUrl}/v2/user`, options, credential);
		return await host.rest.runWorkflow((await host.rest.importWorkflow(workflow)).id);
	}

	it('reads an operation that this node does not have', async () => {
		const { status, runData } = await request();
		expect(status).toBe('success');
		expect(runData.Node[0].data.main[0]).toMatchObject([{ json: { users: expect.arrayContaining([STEADY]) } }]);
	});

	it('does not follow a redirect with the key, although n8n would', async () => {
		const elsewhere = await startSandbox({ world: people() });
		Object.assign(host.sandbox.switches, { redirect: 'otherOrigin', otherOrigin: elsewhere.baseUrl });
		expect((await request()).error?.message).toContain('307');
		expect(elsewhere.requests).toEqual([]);
		host.sandbox.switches.redirect = 'none';
		await elsewhere.close();
	});
});
