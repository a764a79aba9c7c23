/** Each operation in a real n8n, its rows compared with the sandbox's data. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { WITHOUT_EDITOR } from '../../dev/host/n8nEnvironment';
import type { User } from '../../dev/sandbox/schemas';
import { startSandbox } from '../../dev/sandbox/server';
import type { Reading } from '../../dev/sandbox/world';
import { BERLIN, byTime, expectedRows, KEY, people, readingsOf, SPECIAL, SPECIAL_ID, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, listUsers, resolve } from '../helpers/requests';
import { LARGE_KEY, requestNode, useHost, worldOfTests } from './n8n';

const world = worldOfTests();

const host = useHost(world, { env: WITHOUT_EDITOR });
let credential: string;
beforeAll(async () => {
	host.sandbox.switches.pageSize = 7;
	credential = await host.credential(KEY);
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
