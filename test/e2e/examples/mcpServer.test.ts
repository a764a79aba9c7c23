/** The example "Ask from an AI assistant" in a real n8n, as an assistant uses it: login, tools, answers and their size. */
import { DateTime } from 'luxon';
import type { IDataObject, INode, INodeTypeDescription } from 'n8n-workflow';
import { fetchAlone } from '../../../dev/host/restClient';
import { defaultSwitches } from '../../../dev/sandbox/switches';
import { useHost } from '../n8n';
import { bloodPressure, KEY, History } from '../../helpers/people';
import { LAST_MONDAY, TODAY, ZONE } from './exampleWorld';
import { readExample } from './files';
import { connectMcp } from './mcpClient';
import { prepare, type Credentials, type Example } from './run';

const TOKEN = 'a long random token';
const monday = DateTime.fromISO(LAST_MONDAY, { zone: ZONE });
const week = { start_date: LAST_MONDAY, end_date: monday.plus({ days: 6 }).toISODate()! };

const history = new History();
/** Four readings on each of three days of last week, or of the week before. */
function addUser(name: string, systolic: number, diastolic: number, ...weeks: number[]) {
	const user = history.addUser(name);
	for (const days of weeks.flatMap((ago) => [0, 2, 4].map((day) => day - 7 * ago)))
		for (const hours of [7, 8, 19, 20])
			history.add(user, bloodPressure(monday.plus({ days, hours }).toUTC().toISO()!, systolic, diastolic));
	return user;
}
const [HIGH, DIASTOLIC] = [addUser('app-user-0001', 148, 94, 0, 1), addUser('app-user-0002', 120, 85, 0)];
const [NORMAL, BROKEN] = [addUser('app-user-0003', 134, 84, 0), addUser('app-user-0004', 150, 95, 0)];
const users = [HIGH, DIASTOLIC, NORMAL, BROKEN];

const host = useHost(history);
let types: INodeTypeDescription[];
let credentials: Credentials;
beforeAll(async () => {
	types = await host.rest.get('/types/nodes.json');
	credentials = {
		healthDataServiceApi: await host.credential(KEY),
		httpBearerAuth: await host.rest.createCredential({ name: 'token', type: 'httpBearerAuth', data: { token: TOKEN } }),
	};
});
beforeEach(() => {
	Object.assign(host.sandbox.switches, defaultSwitches(), { pageSize: 3 });
	host.sandbox.switches.users = { [BROKEN.user_id]: 'refused' };
});

/** The example, with these fields of its trigger in place of its own. Gives its address. */
async function publish(changed: { path: string; authentication?: string }) {
	const { nodes, ...example } = readExample('mcp-server.json') as Example;
	const change = (node: INode): INode =>
		node.name === 'MCP Server Trigger' ? { ...node, parameters: { ...node.parameters, ...changed } } : node;
	const workflow = prepare({ ...example, nodes: nodes.map(change) }, types, credentials, ZONE);
	await host.rest.activate(await host.rest.importWorkflow(workflow));
	return `${host.url}/mcp/${changed.path}`;
}

let address: string;
let client: Awaited<ReturnType<typeof connectMcp>>;
beforeAll(async () => {
	address = await publish({ path: 'with-token', authentication: 'bearerAuth' });
	client = await connectMcp(address, TOKEN);
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
	const ofAll = ['end_date', 'start_date'];
	const ofUser = ['client_user_id', ...ofAll];
	expect(required).toEqual({
		Users: expect.any(Array),
		Blood_Pressure_Summary: ofUser,
		Blood_Pressure_Readings: ofUser,
		High_Means_of_All_Users: ofAll,
		Single_Readings_of_All_Users: ofAll,
	});
	// Every tool that the instructions name is there.
	const named = String(client.getInstructions()).match(/\b[A-Z]\w+_\w+/g) ?? [];
	expect(Object.keys(required)).toEqual(expect.arrayContaining(named));
	expect(named).toHaveLength(4);
	const weekday = DateTime.fromISO(TODAY).toFormat('cccc');
	expect(client.getInstructions()).toContain(
		`Today is ${weekday}, ${TODAY}. Days and times are those of the time zone ${ZONE}.`,
	);
});

it('gives users, a summary that compares with the week before, and readings', async () => {
	expect((await call('Users', { skip: 0 })).rows()).toMatchObject(
		users.map(({ client_user_id }) => ({ client_user_id })),
	);
	const ofUser = { client_user_id: HIGH.client_user_id, ...week };
	expect((await call('Blood_Pressure_Summary', ofUser)).rows()).toMatchObject([
		{ client_user_id: HIGH.client_user_id, status: 'high', readings: 12, days: 3, mean_before: '148.0/94.0' },
	]);
	expect((await call('Blood_Pressure_Readings', ofUser)).rows()).toHaveLength(12);
});

/** The answer of one call about all users: how often it names a user, how many people it counts, its size. */
async function askAll(tool: string, days: object) {
	const { text, rows } = await call(tool, days);
	const [row, ...others] = rows();
	expect(others).toEqual([]);
	// GPT-5 reads such texts at 2.86 characters a token.
	expect(text.length / 2.86).toBeLessThan(1_500);
	expect(row.text).toContain(ZONE);
	const named = String(row.text).match(/app-user-\d{4}/g) ?? [];
	expect(named).toEqual([...new Set(named)]);
	return { ...row, named };
}

describe('one call about all users, of 240 with 20 that are high', () => {
	const yesterday = DateTime.fromISO(TODAY, { zone: ZONE }).minus({ days: 1 });
	const onlyYesterday = { start_date: yesterday.toISODate(), end_date: yesterday.toISODate() };
	beforeAll(() => {
		for (let i = 5; i <= 240; i++)
			addUser(`app-user-${String(i).padStart(4, '0')}`, i <= 22 ? 140 + i : 120, 80, ...(i > 230 ? [1] : [0, 1]));
		const noon = yesterday.plus({ hours: 12 }).toUTC().toISO()!;
		for (const user of history.team.users.slice(5, 11)) history.add(user, bloodPressure(noon, 188, 96));
	});
	afterAll(() => void (history.team.users = users));

	it('says who was high last week, and who could not be read', async () => {
		const { named, ...row } = await askAll('High_Means_of_All_Users', week);
		expect(row).toMatchObject({ people: 240, not_read: 1, high: 20 });
		expect(named).toHaveLength(20 + 1);
	});

	it('says who was above 180 yesterday', async () => {
		const { named, ...row } = await askAll('Single_Readings_of_All_Users', onlyYesterday);
		expect(row).toMatchObject({ people: 240, reached: 6 });
		expect(named).toEqual(expect.arrayContaining(history.team.users.slice(5, 11).map((user) => user.client_user_id)));
	});
});

describe('access', () => {
	it('leads a client to the login of n8n', async () => {
		const login = await publish({ path: 'health-data-service' });
		const { status, headers } = await fetchAlone(login, { method: 'POST' });
		const metadata = `${host.url}/.well-known/oauth-protected-resource/mcp/health-data-service`;
		expect(status).toBe(401);
		expect(headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`);
		expect(await (await fetchAlone(metadata)).json()).toMatchObject({
			resource: login,
			authorization_servers: [host.url],
		});
	});

	it.each(['', 'a wrong token'])('takes a token instead, and not "%s"', async (token) => {
		await expect(connectMcp(address, token)).rejects.toThrow(/40[13]|Authorization/);
	});
});
