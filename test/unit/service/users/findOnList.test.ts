/** Many client user IDs over a fake team: from the user list or one by one, whichever takes fewer requests. */
import { listedUsers } from '../../../../nodes/HealthDataService/service/users/selection';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';
import { movingTeam, type TeamOptions } from '../../../helpers/movingTeam';
import { resolved } from '../../../helpers/selected';

const team = (size: number, options: Partial<TeamOptions> = {}) => movingTeam({ size, ...options });
const range = (letter: string, from: number, to: number) =>
	Array.from({ length: to - from }, (_, i) => `${letter}${from + i}`);
const ids = (from: number, to: number) => range('c', from, to);

async function idsOf({ get }: ReturnType<typeof team>, names: string[], isLazy = false) {
	const entries = names.map((id, index) => ({ id, at: index + 1 }));
	const users = await resolved(listedUsers('clientUserId', entries, { isLazy, whenNotFound: 'empty' }), get);
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
	['nine are', 5000, ids(4990, 5000), { lists: 12, resolves: 0 }],
	['only the pages ahead are read once all users are found', 20_000, ids(500, 600), { lists: 9, resolves: 0 }],
])('%s', async (_, size, names, count) => {
	const one = team(size);
	expect(await idsOf(one, names)).toEqual(names.filter((id) => id.startsWith('c')).map((id) => `u${id.slice(1)}`));
	expect(one.count()).toEqual(count);
});

it('with fewer users wanted the list is never read', async () => {
	const one = team(500);
	expect(await idsOf(one, ids(0, 100), true)).toEqual(range('u', 0, 100));
	expect(one.count()).toEqual({ lists: 0, resolves: 100 });
});

it('users who leave meanwhile do not end the list, which is asked once', async () => {
	const one = team(3000, { moves: [[], [{ leaves: 0 }]] });
	expect(await idsOf(one, ids(2000, 2100))).toEqual(range('u', 2000, 2100));
	expect(one.count().resolves).toBe(0);
	for (const { once } of one.asked) expect(once).toMatchObject({ maxAttempts: 1, ignoreFailure: true });
});

it('a page that fails ends the list', async () => {
	const one = team(3000, { fails: ({ offset }) => offset > 1000 && new Problem('Broken', '') });
	expect(await idsOf(one, [...ids(600, 610), ...ids(2000, 2010)])).toHaveLength(20);
	expect(one.count().resolves).toBe(10);
});
