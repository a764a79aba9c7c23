/** `row_id`: the same text for the same reading in every operation and form, and never the same for two readings. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import type { Reading } from '../../dev/sandbox/world';
import { useRunner } from '../helpers/engine';
import { at, History, bloodPressure, mindfulness } from '../helpers/people';
import { PollingHost } from '../helpers/pollingHost';
import { bloodPressureOf, byUserId } from '../helpers/requests';

const history = new History();
const used = useRunner(() => ({ world: history, switches: { now: () => NOW } }));
const START = at('2026-03-02T00:00:00');
const NOW = at('2026-03-04T00:00:00');
let anna: User;
let users: User[];

/** At the same instant, of the same source, with values of their own. */
const sameTime = (time: string, ...systolic: number[]) => systolic.map((value) => bloodPressure(time, value, 80));

beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(START);
	history.entries = [];
	history.team.users = [];
	users = ['anna', 'ben', 'cleo', 'dora', 'eve'].map((name) => history.addUser(name));
	[anna] = users;
});
afterEach(() => jest.restoreAllMocks());

function addHistory() {
	for (const [index, user] of users.entries()) {
		for (let hour = 1; hour < 8; hour++) {
			const time = `2026-03-02T${String(hour).padStart(2, '0')}:0${index}:00.12345${index}Z`;
			history.add(user, bloodPressure(time, 110 + hour, 80, hour % 3 ? 'omron' : 'withings'));
			history.add(user, mindfulness(time, hour), { metric: 'mindfulness_minutes' });
		}
		for (const reading of sameTime(`2026-03-03T0${index}:00:00Z`, 140, 120, 130)) history.add(user, reading);
	}
}

const read = async (parameters: INodeParameters) => {
	const { rows, error } = await used.run(parameters, { timezone: 'UTC' });
	expect(error).toBeUndefined();
	return rows;
};
const allUsers = (options: INodeParameters = {}, more: INodeParameters = {}) =>
	bloodPressureOf('', { userScope: 'all', options, ...more });
const idsOf = (rows: IDataObject[]) => rows.map(({ row_id }) => row_id as string).sort();
/** What is read, with its id. */
const readingsById = (rows: IDataObject[]) =>
	Object.fromEntries(rows.map((row) => [row.row_id as string, { ...row, change: undefined }]));

/** All rows that the trigger emits from `START` to `NOW`. */
async function triggered(event = 'bloodPressure'): Promise<IDataObject[]> {
	const entries = history.entries.splice(0);
	const host = new PollingHost(used.credential, { event, userScope: 'all' });
	await host.start();
	history.entries = entries;
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	return (await host.tick())!;
}

it.each(['bloodPressure', 'mindfulnessMinutes'])(
	'%s has the same ids by trigger, for all users, in windows of users and user by user',
	async (operation) => {
		addHistory();
		used.sandbox.switches.pageSize = 4;
		const all = await read(allUsers({}, { operation }));
		expect(new Set(idsOf(all)).size).toBe(operation === 'bloodPressure' ? 5 * (7 + 3) : 5 * 7);

		const windows = [0, 2, 4].map((userOffset) => allUsers({ userOffset, userLimit: 2 }, { operation }));
		expect((await Promise.all(windows.map(read))).flat()).toEqual(all);

		const one = users.map(({ user_id }) => bloodPressureOf(byUserId(user_id), { operation }));
		expect(idsOf((await Promise.all(one.map(read))).flat())).toEqual(idsOf(all));

		const heard = await triggered(operation);
		expect(heard.map(({ change }) => change)).toEqual(all.map(() => 'created'));
		expect(readingsById(heard)).toEqual(readingsById(all));
	},
);

const TIME = '2026-03-03T08:00:00Z';
const bySystolic = (rows: IDataObject[]) => Object.fromEntries(rows.map(({ systolic, row_id }) => [systolic, row_id]));
const readOf = async (readings: Reading[], more: INodeParameters = {}) => {
	history.entries = [];
	for (const one of readings) history.add(anna, one);
	return await read(bloodPressureOf(byUserId(anna.user_id), more));
};

it('readings of one instant have ids of their own, in any order and on any pages', async () => {
	const [first, second, third] = sameTime(TIME, 120, 130, 140);
	const before = bloodPressure('2026-03-03T07:00:00Z', 111, 80);
	const expected = bySystolic(await readOf([before, first, second, third]));
	expect(new Set(Object.values(expected)).size).toBe(4);
	for (const pageSize of [1, 3]) {
		for (const overlap of [false, true]) {
			Object.assign(used.sandbox.switches, { pageSize, overlap });
			expect(bySystolic(await readOf([before, third, first, second]))).toEqual(expected);
			expect(bySystolic(await readOf([before, second, third, first]))).toEqual(expected);
		}
	}
});

describe('Limit changes no id', () => {
	const twins = [...sameTime(TIME, 140, 120, 130), bloodPressure('2026-03-03T09:00:00Z', 111, 80)];

	it.each([
		[1, 2, { overlap: true }],
		[2, 1, { emptyPages: true }],
		[3, 2, {}],
	])('Limit %i, pages of %i, %j', async (limit, pageSize, more) => {
		const all = await readOf(twins);
		Object.assign(used.sandbox.switches, { pageSize, ...more });
		const read = await readOf(twins, { returnAll: false, limit });
		const expected = bySystolic(all.filter(({ systolic }) => read.some((row) => row.systolic === systolic)));
		expect(bySystolic(read)).toEqual(expected);
	});
});

describe('a user ID in upper case', () => {
	const upper = () => anna.user_id.toUpperCase();
	const listed = (more: INodeParameters = {}) =>
		bloodPressureOf('', { userScope: 'listed', userIds: upper(), ...more });
	const idsOfDays = (rows: IDataObject[]) => rows.map(({ row_id, user_id }) => [row_id, user_id]);
	beforeEach(() => {
		addHistory();
		users = [anna];
		history.team.users = [anna];
	});

	it.each([{}, { output: 'summary' }])('gives the same rows as in lower case: %j', async (more) => {
		const rows = await read(bloodPressureOf(byUserId(anna.user_id), more));
		used.sandbox.requests.length = 0;
		expect(await read(bloodPressureOf(byUserId(upper()), more))).toEqual(rows);
		expect(await read(bloodPressureOf(upper(), more))).toEqual(rows);
		expect(await read(listed(more))).toEqual(rows);
		for (const url of used.sandbox.requests) expect(url).toContain(`/${anna.user_id}/`);
	});

	it('of the service is requested as given, and gives the same ids in every selection and in the trigger', async () => {
		const rows = await read(allUsers());
		const days = await read(allUsers({}, { output: 'daily' }));
		const written = upper();
		history.team.users = [{ ...anna, user_id: written }];
		for (const entry of history.entries) if (entry.user === anna) entry.user = history.team.users[0];
		used.sandbox.requests.length = 0;
		expect(await read(allUsers())).toEqual(rows);
		expect(idsOfDays(await read(allUsers({}, { output: 'daily' })))).toEqual(idsOfDays(days));
		const byName = { usersBy: 'clientUserId', userIds: 'anna' };
		expect(await read(bloodPressureOf('', { userScope: 'listed', ...byName }))).toEqual(rows);
		const picked = { __rl: true, mode: 'list', value: written, cachedResultName: 'anna (Omron)' };
		expect(await read(bloodPressureOf(picked))).toEqual(rows);
		const timeseries = used.sandbox.requests.filter((url) => url.includes('/timeseries/'));
		expect(timeseries.map((url) => url.includes(written))).toEqual(timeseries.map(() => true));

		expect(await read({ resource: 'user', operation: 'list' })).toMatchObject([{ user_id: written }]);
		expect(readingsById(await triggered())).toEqual(readingsById(rows));
	});
});

it('n8n rounds an ID of the service beyond 2^53; an ID that is text is kept', async () => {
	for (const hour of [7, 8]) history.add(anna, bloodPressure(`2026-03-03T0${hour}:00:00Z`, 120, 80));
	used.sandbox.switches.largeIds = true;
	const rows = await read(bloodPressureOf(byUserId(anna.user_id)));
	expect(rows.map((row) => row.id)).toEqual([2 ** 53, '9007199254740995']);
});
