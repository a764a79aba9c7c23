/** Use Each User's Time Zone: days, local times and the range of each user, in n8n's engine. */
import { Settings } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';
import { useRunner } from '../helpers/engine';
import { bloodPressure, createUser, fixedWorld } from '../helpers/people';
import { bloodPressureOf, byClientId, byUserId, queryOf } from '../helpers/requests';

const zoneOf = (id: string) => ({ id, source_slug: 'omron', updated_at: '2026-01-01T00:00:00Z' });
const KOLKATA = { ...createUser('kolkata', ['omron']), fallback_time_zone: zoneOf('Asia/Kolkata') };
const NOWHERE = { ...createUser('nowhere', ['omron']), fallback_time_zone: zoneOf('Middle/Earth') };
// 19:00 UTC is 00:30 of the next day in Kolkata.
const late = bloodPressure('2026-03-02T19:00:00Z', 120, 80);
const HONOLULU = { ...createUser('honolulu', []), fallback_time_zone: zoneOf('Pacific/Honolulu') };
const users = [KOLKATA, NOWHERE];
const readings = Object.fromEntries(users.map(({ user_id }) => [user_id, { blood_pressure: [late] }]));
const used = useRunner(() => ({ world: fixedWorld([...users, HONOLULU], readings) }));
const run = async (parameters: INodeParameters) => await used.run(parameters, { timezone: 'UTC' });

const options = { userTimeZone: true };
const day = { startDate: '2026-03-03', endDate: '2026-03-03', options };
const read = async (more: INodeParameters, user: INodeParameters[string] = '') =>
	(await run(bloodPressureOf(user, { ...(user === '' && { userScope: 'all' }), ...day, ...more }))).rows;

it('sets days, times and the range, where it is known', async () => {
	expect(await read({})).toMatchObject([
		{ client_user_id: 'kolkata', local_time: '2026-03-03 00:30:00', time_zone: 'Asia/Kolkata' },
	]);
	expect(Object.keys((await read({}))[0]).slice(-3)).toEqual(['time_zone', 'user_id', 'row_id']);
	expect(await read({ output: 'daily' })).toMatchObject([
		{ date: '2026-03-03', readings: 1, time_zone: 'Asia/Kolkata' },
	]);
	expect(await read({ output: 'summary' })).toMatchObject([
		{ readings: 1, time_zone: 'Asia/Kolkata', from: '2026-03-03' },
		{ readings: 0, time_zone: 'UTC' },
		{ readings: 0, time_zone: 'Pacific/Honolulu' },
	]);
	expect(await read({ output: 'grouped' })).toMatchObject([
		{ groups: { omron: [{}] } },
		{ groups: {} },
		{ groups: {} },
	]);
	expect(used.sandbox.requests.map(queryOf).filter(({ start_date }) => start_date?.includes('+05:30'))).not.toEqual([]);
});

it('is known for a client user ID, a list of them and a picked user, resolved before the readings', async () => {
	const expected = [{ local_time: '2026-03-03 00:30:00', time_zone: 'Asia/Kolkata', client_user_id: 'kolkata' }];
	expect(await read({}, byClientId('kolkata'))).toMatchObject(expected);
	expect(await read({ userScope: 'listed', usersBy: 'clientUserId', userIds: 'kolkata, nowhere' })).toMatchObject(
		expected,
	);
	used.sandbox.requests.length = 0;
	const picked = { __rl: true, mode: 'list', value: KOLKATA.user_id, cachedResultName: 'kolkata (Omron)' };
	expect(await read({}, picked)).toMatchObject(expected);
	expect(used.sandbox.requests.map((url) => url.includes('resolve'))).toEqual([true, false]);
	// By user ID it is not known.
	expect(await read({}, byUserId(KOLKATA.user_id))).toEqual([]);
});

it('a range that has not begun for a user gives that user no readings', async () => {
	const clock = jest.spyOn(Settings, 'now').mockImplementation(() => Date.UTC(2026, 2, 3, 6));
	const rows = await read({ endDate: '', output: 'summary' }, byClientId('honolulu'));
	clock.mockRestore();
	expect(rows).toMatchObject([{ readings: 0, from: '2026-03-03', time_zone: 'Pacific/Honolulu' }]);
	expect(used.sandbox.requests.filter((url) => url.includes('timeseries'))).toEqual([]);
});

it('typed times without an offset are of that zone', async () => {
	const times = { dateRange: 'times', startDate: '2026-03-03T00:30:00', endDate: '2026-03-03T00:30:00' };
	expect(await read(times)).toHaveLength(1);
	expect(await read({ ...times, options: {} })).toEqual([]);
});
