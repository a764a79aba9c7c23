/** Lookup of many client user IDs over a fake team: from the user list or one by one, whichever takes fewer requests. */
import type { Get } from '../../../../nodes/HealthDataService/http/client';
import { resolveMany } from '../../../../nodes/HealthDataService/service/users/resolveMany';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';
import { nextTurn } from '../../../helpers/machine';
import { movingTeam, type TeamOptions } from '../../../helpers/movingTeam';

const team = (size: number, options: Partial<TeamOptions> = {}) => movingTeam({ size, ...options });
const range = (letter: string, from: number, to: number) =>
	Array.from({ length: to - from }, (_, i) => `${letter}${from + i}`);
const ids = (from: number, to: number) => range('c', from, to);
const broken = new Problem('Broken', 'Advice');
const rejects = (error: Error) => async () => await Promise.reject(error);

const requestsOf = (names: string[]) => names.map((id) => ({ id }));
async function look(get: Get, names: string[]) {
	const found = [];
	for await (const one of resolveMany(get, requestsOf(names), false)) found.push(one);
	return found;
}
const idsOf = async (get: Get, names: string[]) => (await look(get, names)).map(({ user }) => user?.user_id);

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
	['no further page is read once all users are found', 20_000, ids(500, 600), { lists: 10, resolves: 0 }],
])('%s', async (_, size, names, count) => {
	const one = team(size);
	expect(await idsOf(one.get, names)).toEqual(names.map((id) => (id.startsWith('c') ? `u${id.slice(1)}` : undefined)));
	expect(one.count()).toEqual(count);
});

it.each([
	[true, 4],
	[false, 64],
])('where fewer may be wanted (%p), %i are requested concurrently', async (isLazy, width) => {
	const resolves = Object.fromEntries(ids(0, 100).map((id) => [id, async () => await new Promise(() => {})]));
	const { get, count } = team(0, { resolves, fails: () => broken });
	void resolveMany(get, requestsOf(ids(0, 100)), isLazy).next();
	await nextTurn();
	expect(count().resolves).toBe(width);
});

it('a failed lookup is a problem of that entry', async () => {
	expect(await look(team(9, { resolves: { c1: rejects(broken) } }).get, ids(0, 3))).toMatchObject([
		{ user: { user_id: 'u0' } },
		{ problem: broken },
		{ user: { user_id: 'u2' } },
	]);
});
