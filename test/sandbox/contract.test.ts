/**
 * The sandbox is the service of docs/contract.md: its answers fit the schemas, its refusals look like FastAPI's.
 * Asked with axios, so that nothing of the node's own request code is between.
 */
import axios from 'axios';
import { FormatRegistry, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { METRICS } from '../../dev/sandbox/metrics';
import { User, UserList } from '../../dev/sandbox/schemas';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { TEAMS } from '../../dev/sandbox/world';

const [clinic, studio] = TEAMS;
let sandbox: Sandbox;
beforeAll(async () => {
	FormatRegistry.Set('uuid', (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text));
	FormatRegistry.Set('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/.test(text));
	FormatRegistry.Set('date', (text) => /^\d{4}-\d\d-\d\d$/.test(text));
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());

const get = async (path: string, params = {}, key: string | undefined = studio.key) =>
	await axios.get(sandbox.baseUrl + path, {
		params,
		headers: key ? { 'x-service-api-key': key } : {},
		validateStatus: () => true,
	});
const users = async () => (await get('/v2/user')).data.users;
const fits = (schema: TSchema, data: unknown) => expect([...Value.Errors(schema, data)]).toEqual([]);

it('lists users', async () => {
	const { data } = await get('/v2/user', { limit: 500 }, clinic.key);
	fits(UserList, data);
	expect(data).toMatchObject({ total: clinic.users, offset: 0, limit: 500 });
	expect(data.users).toHaveLength(clinic.users);
	expect((await get('/v2/user/', { offset: 239 }, clinic.key)).data.users).toEqual([data.users[239]]);
});

it('resolves a user of the own team only', async () => {
	const { data } = await get('/v2/user/resolve/app-user-0003');
	fits(User, data);
	expect((await get('/v2/user/resolve/app-user-0100')).status).toBe(404);
	expect((await get('/v2/user/resolve/app-user-0100', {}, clinic.key)).status).toBe(200);
});

it.each(Object.entries(METRICS))('reads %s over its pages', async (metric, { answer }) => {
	sandbox.switches.pageSize = 10;
	let total = 0;
	for (const { user_id } of await users()) {
		let next_cursor: string | null = null;
		do {
			const { data, status } = await get(`/v2/timeseries/${user_id}/${metric}/grouped`, {
				start_date: '2026-03-01',
				end_date: '2026-03-10',
				next_cursor,
			});
			expect(status).toBe(200);
			fits(answer, data);
			total += Object.values(data.groups as Record<string, Array<{ data: object[] }>>)
				.flat()
				.flatMap((group) => group.data).length;
			({ next_cursor } = data);
		} while (next_cursor);
	}
	expect(total).toBeGreaterThan(50);
});

it('refuses a cursor of another query', async () => {
	sandbox.switches.pageSize = 1;
	const path = `/v2/timeseries/${(await users())[0].user_id}/blood_pressure/grouped`;
	const { data } = await get(path, { start_date: '2026-03-01', end_date: '2026-03-10' });
	expect(data.next_cursor).toBeTruthy();
	expect(
		(await get(path, { start_date: '2026-03-02', end_date: '2026-03-10', next_cursor: data.next_cursor })).status,
	).toBe(422);
});
