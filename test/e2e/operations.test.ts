/**
 * Each operation in a real n8n, its rows compared with the sandbox's data.
 */
import type { INodeParameters } from 'n8n-workflow';
import { WITHOUT_EDITOR } from '../../dev/host/n8nEnvironment';
import { startSandbox } from '../../dev/sandbox/server';
import {
	BERLIN,
	byTime,
	expectedRows,
	KEY,
	OTHER_KEY,
	people,
	readingsOf,
	SPECIAL,
	SPECIAL_ID,
	STEADY,
} from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, listUsers, resolve } from '../helpers/requests';
import { LARGE_KEY, startHost, worldOfTests, type Host } from './n8n';

const world = worldOfTests();

let host: Host;
let credential: string;
beforeAll(async () => {
	host = await startHost(world, { env: WITHOUT_EDITOR });
	host.sandbox.switches.pageSize = 7;
	credential = await host.credential(KEY);
});
afterAll(async () => await host?.stop());

const run = async (parameters: INodeParameters, timezone?: string) => {
	const result = await host.run(credential, parameters, timezone);
	expect(result.error).toBeUndefined();
	expect(result.status).toBe('success');
	return result.rows;
};

describe('User', () => {
	it('List gives all 1,200 users', async () => {
		const { rows, error } = await host.run(await host.credential(LARGE_KEY), listUsers({ returnAll: true }));
		expect(error).toBeUndefined();
		expect(rows).toEqual(world.teams.find(({ key }) => key === LARGE_KEY)!.users);
	});

	it('List stops at a Limit beyond one page', async () => {
		const { rows } = await host.run(await host.credential(LARGE_KEY), listUsers({ limit: 620 }));
		expect(rows).toEqual(world.teams.find(({ key }) => key === LARGE_KEY)!.users.slice(0, 620));
	});

	it('Resolve finds an identifier with spaces, ?, #, %, / and letters beyond ASCII', async () => {
		expect(await run(resolve(SPECIAL_ID))).toEqual([SPECIAL]);
	});
});

describe('Timeseries', () => {
	const steady = readingsOf(people(), STEADY);

	it('Blood Pressure gives 61 readings over pages of 7', async () => {
		expect(byTime(await run(bloodPressureOf(byUserId(STEADY.user_id))))).toEqual(byTime(expectedRows(STEADY, steady)));
	});

	it('keeps the columns in their order', async () => {
		const [row] = await run(bloodPressureOf(byUserId(STEADY.user_id), { returnAll: false, limit: 1 }));
		expect(Object.keys(row)).toEqual([
			'client_user_id',
			'timestamp',
			'systolic',
			'diastolic',
			'unit',
			'provider',
			'source_type',
			'user_id',
			'id',
		]);
	});

	it.each([5, 7, 20, 50])('stops at a Limit of %i', async (limit) => {
		expect(await run(bloodPressureOf(byUserId(STEADY.user_id), { returnAll: false, limit }))).toHaveLength(limit);
	});

	it('filters by provider', async () => {
		const rows = await run(
			bloodPressureOf(byUserId(STEADY.user_id), { provider: { __rl: true, mode: 'slug', value: 'withings' } }),
		);
		expect(byTime(rows)).toEqual(
			byTime(
				expectedRows(
					STEADY,
					steady.filter(({ source }) => source.provider === 'withings'),
				),
			),
		);
	});

	it('takes a client user ID with any characters', async () => {
		const rows = await run(bloodPressureOf(byClientId(SPECIAL_ID)));
		expect(byTime(rows)).toEqual(byTime(expectedRows(SPECIAL, readingsOf(people(), SPECIAL), SPECIAL_ID)));
	});

	it.each([
		['2026-03-28', 1, 3],
		['2026-03-29', 3, 7],
		['2026-03-30', 7, 8],
	])('the whole %s in Berlin, around the change of clocks', async (day, first, end) => {
		const rows = await run(
			bloodPressureOf(byUserId(BERLIN.user_id), { startDate: day, endDate: day }),
			'Europe/Berlin',
		);
		expect(rows).toEqual(expectedRows(BERLIN, readingsOf(people(), BERLIN)).slice(first, end));
	});

	it('takes dates from expressions, evaluated in the isolate of production', async () => {
		const date = "={{ DateTime.fromISO('2026-03-29', { zone: 'Europe/Berlin' }) }}";
		const rows = await run(
			bloodPressureOf(byUserId(BERLIN.user_id), { startDate: date, endDate: date }),
			'Europe/Berlin',
		);
		expect(rows).toHaveLength(4);
	});

	it('Mindfulness Minutes', async () => {
		const rows = await run({ ...bloodPressureOf(byUserId(STEADY.user_id)), operation: 'mindfulnessMinutes' });
		expect(rows).toEqual(expectedRows(STEADY, readingsOf(people(), STEADY, 'mindfulness_minutes')));
	});

	it('One Item per User', async () => {
		const rows = await run(bloodPressureOf(byUserId(STEADY.user_id), { output: 'grouped' }));
		expect(rows).toHaveLength(1);
		const groups = rows[0].groups as Record<string, Array<{ data: object[] }>>;
		expect(
			Object.values(groups)
				.flat()
				.flatMap(({ data }) => data),
		).toHaveLength(61);
	});

	it('All Users', async () => {
		const rows = await run(bloodPressureOf('', { userScope: 'all' }));
		expect(rows).toHaveLength(61 + 3 + 8);
		expect([...new Set(rows.map(({ client_user_id }) => client_user_id))]).toEqual(['steady', SPECIAL_ID, 'berlin']);
	});
});

describe('error messages', () => {
	it.each([
		['The service did not accept the API key (status 401)', 'wrong', listUsers()],
		[
			"There is no such user: the service does not know the 'User'",
			KEY,
			bloodPressureOf(byUserId('00000000-0000-4000-8000-000000000000')),
		],
		[
			"There is no such user: the service does not know the 'User'",
			OTHER_KEY,
			bloodPressureOf(byUserId(STEADY.user_id)),
		],
		["'Start Date' is not a date", KEY, bloodPressureOf(byUserId(STEADY.user_id), { startDate: 'soon' })],
		["'User' is not a user ID", KEY, bloodPressureOf(byUserId("={{ 'app-user-0001' }}"))],
	])('%s', async (message, key, parameters) => {
		const { status, error } = await host.run(await host.credential(key), parameters);
		expect(status).toBe('error');
		expect(error?.message).toBe(message);
		expect(error?.description).toBeTruthy();
	});
});

describe.each(['', '/', '/v2', '/v2/'])('Base URL with "%s" at its end', (ending) => {
	it('means the same to the node and to the credential test', async () => {
		const baseUrl = host.sandbox.baseUrl + ending;
		expect(await host.testCredential(KEY, baseUrl)).toMatchObject({ status: 'OK' });
		const { rows } = await host.run(await host.credential(KEY, baseUrl), listUsers());
		expect(rows).toHaveLength(4);
	});
});

it('the credential test refuses a wrong key, and names the fields', async () => {
	expect(await host.testCredential('wrong')).toEqual({
		status: 'Error',
		message: expect.stringContaining("Check 'API Key' and 'Base URL' together"),
	});
});

describe("the credential in n8n's HTTP Request node", () => {
	/** Reads `/v2/user` with it, in the form without a slash, which the service may redirect. */
	async function request() {
		const workflow = await host.rest.importWorkflow({
			name: 'HTTP Request',
			settings: { executionOrder: 'v1' },
			nodes: [
				{
					id: 'a',
					name: 'Start',
					type: 'n8n-nodes-base.manualTrigger',
					typeVersion: 1,
					position: [0, 0],
					parameters: {},
				},
				{
					id: 'b',
					name: 'Node',
					type: 'n8n-nodes-base.httpRequest',
					typeVersion: 4.2,
					position: [200, 0],
					parameters: {
						url: `${host.sandbox.baseUrl}/v2/user`,
						authentication: 'predefinedCredentialType',
						nodeCredentialType: 'healthDataServiceApi',
						options: { redirect: { redirect: { followRedirects: true } } },
					},
					credentials: { healthDataServiceApi: { id: credential, name: 'credential' } },
				},
			],
			connections: { Start: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
		});
		return await host.rest.runWorkflow(workflow.id);
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
