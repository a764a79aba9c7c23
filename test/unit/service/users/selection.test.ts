/**
 * Selection of users over a fake team: which users, at which places, and the number of requests. What an
 * identifier without a user means is tested through the engine (users.test.ts, pickers.test.ts).
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../../../../nodes/HealthDataService/http/client';
import {
	listedUsers,
	oneUser,
	throwUnlessSkipped,
	toSelectedUser,
	wholeTeam,
	type SelectedUser,
	type UserSelection,
} from '../../../../nodes/HealthDataService/service/users/selection';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';
import { movingTeam, type TeamOptions } from '../../../helpers/movingTeam';

const team = (size: number, options: Partial<TeamOptions> = {}) => movingTeam({ size, ...options });
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `c${from + i}`);
const entriesOf = (names: string[]) => names.map((id, index) => ({ id, at: index + 1 }));
const broken = new Problem('Broken', 'Advice');
const rejects = (error: Error) => async () => await Promise.reject(error);
/** User ID, client user ID and place. */
const shown = ({ user, place }: SelectedUser) => `${user.user_id} ${user.client_user_id} ${place}`;
/** Users as a read finds them: those of entries are resolved one by one. */
async function resolved(selection: UserSelection, get: Get): Promise<SelectedUser[]> {
	const users: SelectedUser[] = [];
	for await (const one of selection.users(get)) {
		const user = one.resolve ? await one.resolve(one, get) : one;
		if (user) users.push(user);
	}
	return users;
}
const found = async (selection: UserSelection, get: Get) => (await resolved(selection, get)).map(shown);
describe('a list', () => {
	it('by user ID takes no request, and keeps order and places', async () => {
		const { get, asked } = team(0);
		const entries = entriesOf(['a', 'b', 'c']);
		const list = listedUsers('userId', entries);
		expect(await found(list, get)).toEqual(['a null 1', 'b null 2', 'c null 3']);
		expect((await resolved(list, get))[1].entry).toBe(entries[1]);
		expect(asked).toEqual([]);
	});

	it('with When Not Found set to empty skips an entry that no user has, not one whose Resolve failed', async () => {
		const list = listedUsers('clientUserId', entriesOf(['c0', 'x', 'c1']), { whenNotFound: 'empty' });
		expect(await found(list, team(5).get)).toEqual(['u0 c0 1', 'u1 c1 3']);
		await expect(resolved(list, team(5, { resolves: { x: rejects(broken) } }).get)).rejects.toBe(broken);
	});
});

it('picked from the list: one quiet Resolve', async () => {
	const { get, asked } = team(5);
	expect(await found(oneUser({ by: 'userId', id: 'u3', shownAs: 'c3' }), get)).toEqual(['u3 c3 1']);
	expect(asked).toEqual([expect.objectContaining({ path: '/v2/user/resolve/c3' })]);
	expect(asked[0].once).toMatchObject({ maxAttempts: 2 });
});

describe('the team', () => {
	const gone = async (selected: SelectedUser) => await throwUnlessSkipped(team(1).get, wholeTeam(), selected);

	it('a 404 of a user known only by user ID, who cannot be resolved, is an error', async () => {
		await expect(gone(toSelectedUser({ user_id: 'u0' }, 1))).rejects.toMatchObject({
			message: 'The service does not find the readings of a user whom it knows (status 404)',
			description: 'Try again later. If it stays, ask the people who run the service',
			httpCode: '404',
		});
	});

	it('a 404 of a user whose client user ID another one has now is skipped', async () => {
		expect(await gone({ user: { user_id: 'other', client_user_id: 'c0' }, place: 1 })).toBeUndefined();
	});
});

const UPPER = '3F2B8C1E-0D4A-4C6B-9E7F-1A2B3C4D5E6F';
it.each<[IDataObject, IDataObject]>([
	[
		{ user_id: 'u', client_user_id: 'c' },
		{ user: { user_id: 'u', client_user_id: 'c' }, sentId: 'u' },
	],
	[
		{ user_id: 'u', client_user_id: ' ' },
		{ user: { user_id: 'u', client_user_id: null }, sentId: 'u' },
	],
	[
		{ user_id: 'u', client_user_id: 7 },
		{ user: { user_id: 'u', client_user_id: '7' }, sentId: 'u' },
	],
	// A number that has lost digits could be that of another user.
	[
		{ user_id: 'u', client_user_id: 2 ** 53 },
		{ user: { user_id: 'u', client_user_id: null }, sentId: 'u' },
	],
	[{ user_id: 'u' }, { user: { user_id: 'u', client_user_id: null }, sentId: 'u' }],
	// Requested as the list has it, compared in lower case.
	[{ user_id: UPPER }, { user: { user_id: UPPER.toLowerCase(), client_user_id: null }, sentId: UPPER }],
])('the record %j is %j', (record, expected) =>
	expect(toSelectedUser(record, 1)).toEqual({ ...expected, record, place: 1 }),
);

/** From the user list or one by one, whichever takes fewer requests. */
async function foundIds({ get }: ReturnType<typeof team>, names: string[], isLazy = false) {
	const list = listedUsers('clientUserId', entriesOf(names), { isLazy, whenNotFound: 'empty' });
	const users = await resolved(list, get);
	return users.map(({ user }) => user.user_id);
}

it.each([
	['up to seven are requested one by one', 500, ids(0, 7), { lists: 0, resolves: 7 }],
	['for eight the list is read', 500, ids(0, 8), { lists: 1, resolves: 0 }],
	[
		'only users missing from the list are requested one by one',
		20,
		['x1', ...ids(0, 8), 'x2'],
		{ lists: 1, resolves: 2 },
	],
	['ten more pages are not worth ten users', 5001, ids(4990, 5000), { lists: 1, resolves: 10 }],
	['nine are', 5000, ids(4990, 5000), { lists: 11, resolves: 0 }],
	['no page more is read once all users are found', 20_000, ids(500, 600), { lists: 2, resolves: 0 }],
])('%s', async (_, size, names, count) => {
	const one = team(size);
	expect(await foundIds(one, names)).toEqual(names.filter((id) => id.startsWith('c')).map((id) => `u${id.slice(1)}`));
	expect(one.count()).toEqual(count);
});

it('users who leave meanwhile do not end the list, which is asked once', async () => {
	const one = team(3000, { moves: [[], [{ leaves: 0 }]] });
	expect(await foundIds(one, ids(2000, 2100))).toEqual(ids(2000, 2100).map((id) => id.replace('c', 'u')));
	expect(one.count().resolves).toBe(0);
	for (const { once } of one.asked) expect(once).toMatchObject({ maxAttempts: 1 });
});

it('a page that fails ends the list', async () => {
	const one = team(3000, { fails: ({ offset }) => offset > 1000 && new Problem('Broken', '') });
	expect(await foundIds(one, [...ids(600, 610), ...ids(2000, 2010)])).toHaveLength(20);
	expect(one.count().resolves).toBe(10);
});

it('with fewer users wanted the list is never read', async () => {
	const one = team(500);
	expect(await foundIds(one, ids(0, 100), true)).toEqual(ids(0, 100).map((id) => id.replace('c', 'u')));
	expect(one.count()).toEqual({ lists: 0, resolves: 100 });
});
