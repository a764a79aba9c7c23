/** Switches of the sandbox, on every route that they change. Requested with axios, and compared as text. */
import axios from 'axios';
import { isStraight } from '../../dev/sandbox/quirks';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { defaultSwitches, type Switches } from '../../dev/sandbox/switches';
import { NOT_FOUND, type NotFoundBody } from '../../dev/sandbox/troubles';
import { TEAMS } from '../../dev/sandbox/world';

const [, { key }] = TEAMS;
const DAYS = { start_date: '2026-03-01', end_date: '2026-03-10' };
let sandbox: Sandbox;
beforeAll(async () => void (sandbox = await startSandbox()));
afterEach(() => void Object.assign(sandbox.switches, defaultSwitches()));
afterAll(async () => await sandbox.close());

const users = () => sandbox.world.teams.find((team) => team.key === key)!.users;
const readingsOf = (userId: string) => `/v2/timeseries/${userId}/blood_pressure/grouped`;
const ROUTES: Record<string, () => string> = {
	'the user list': () => '/v2/user',
	Resolve: () => `/v2/user/resolve/${users()[0].client_user_id}`,
	readings: () => readingsOf(users()[0].user_id),
};
const get = async (path: string, switches: Partial<Switches> = {}) => {
	Object.assign(sandbox.switches, switches);
	return await axios.get<string>(sandbox.baseUrl + path, {
		params: path.includes('timeseries') ? DAYS : {},
		headers: { 'x-service-api-key': key },
		validateStatus: () => true,
		transformResponse: (text: string) => text,
	});
};

it('the default switches change no response, so none is parsed and written a second time', () => {
	expect(isStraight(defaultSwitches())).toBe(true);
	expect(isStraight({ ...defaultSwitches(), oddUserIds: { user: '..' } })).toBe(false);
	expect(isStraight({ ...defaultSwitches(), hasNaN: true })).toBe(false);
});

describe.each(Object.keys(NOT_FOUND) as NotFoundBody[])('a 404 with the body %s', (notFound) => {
	it.each<[string, string, Partial<Switches>]>([
		['the user list after its end', '/v2/user?offset=1000', { failsAtEnd: 404 }],
		['Resolve', '/v2/user/resolve/unknown', {}],
		['readings', readingsOf('00000000-0000-4000-8000-000000000000'), {}],
		['a path that does not exist', '/v3/user', {}],
	])('%s', async (_, path, more) => {
		const { status, data, headers } = await get(path, { notFound, ...more });
		const { body, type } = NOT_FOUND[notFound] as { body: unknown; type?: string };
		expect(status).toBe(404);
		if (notFound === 'detail') expect(Object.keys(JSON.parse(data) as object)).toEqual(['detail']);
		else expect(data).toBe(typeof body === 'string' ? body : JSON.stringify(body));
		expect(headers['content-type']).toContain(type ?? (typeof body === 'string' ? 'text/plain' : 'application/json'));
	});

	it('readings of a user who was removed', async () => {
		const [gone] = users();
		const { status, data } = await get(readingsOf(gone.user_id), { notFound, users: { [gone.user_id]: 'removed' } });
		expect([status, data.includes('"detail":')]).toEqual([404, ['detail', 'nullDetail'].includes(notFound)]);
	});
});

describe.each(Object.entries(ROUTES))('%s', (_, path) => {
	it('has times with 20,000 digits', async () => {
		const { data: right } = await get(path());
		const { data } = await get(path(), { timestamps: 'endless' });
		expect(data.length - right.length).toBeGreaterThan(20_000);
		// Not compared by `toBe`: the difference of texts of megabytes takes minutes.
		const zeros = '0'.repeat(20_000);
		expect(data.split(`${zeros}1Z"`).join('+00:00"') === right).toBe(true);
	});
});

it('readings of one user fail in every second attempt, of each page', async () => {
	const [other, , user] = users();
	const switches: Partial<Switches> = { pageSize: 3, users: { [user.user_id]: 'failsAtFirst' } };
	const right = await get(readingsOf(user.user_id), { pageSize: 3 });
	const statuses = [];
	for (let attempt = 1; attempt <= 4; attempt++) {
		const { status, data } = await get(readingsOf(user.user_id), switches);
		statuses.push(status);
		if (status === 200) expect(data.split('"next_cursor"')[0]).toBe(right.data.split('"next_cursor"')[0]);
	}
	expect(statuses).toEqual([500, 200, 500, 200]);
	expect((await get(readingsOf(other.user_id), switches)).status).toBe(200);
});

it('readings have IDs beyond 2^53, as numbers and as text', async () => {
	const { data } = await get(readingsOf(users()[1].user_id), { largeIds: true });
	const ids = data.match(/"id":"?\d+"?/g)!;
	expect(ids.slice(0, 2)).toEqual(['"id":9007199254740993', '"id":"9007199254740995"']);
});
