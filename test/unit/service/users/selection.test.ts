/**
 * Selection of users over a fake team: which users, at which places, and the number of requests. What an
 * identifier without a user means is tested through the engine (listedUsers.test.ts, picked.test.ts).
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../../../../nodes/HealthDataService/http/client';
import {
	listedUsers,
	oneUser,
	throwIfUserExists,
	toSelectedUser,
	wholeTeam,
	type SelectedUser,
	type UserSelection,
} from '../../../../nodes/HealthDataService/service/users/selection';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';
import { movingTeam, type TeamOptions } from '../../../helpers/movingTeam';
import { resolved } from '../../../helpers/selected';

const team = (size: number, options: Partial<TeamOptions> = {}) => movingTeam({ size, ...options });
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `c${from + i}`);
const entriesOf = (names: string[]) => names.map((id, index) => ({ id, at: index + 1 }));
const broken = new Problem('Broken', 'Advice');
const rejects = (error: Error) => async () => await Promise.reject(error);
/** User ID, client user ID and place. */
const shown = ({ user, place }: SelectedUser) => `${user.user_id} ${user.client_user_id} ${place}`;
const found = async (selection: UserSelection, get: Get) => (await resolved(selection, get)).map(shown);
const connectedTo = (...slugs: string[]): TeamOptions['records'] =>
	slugs.map((slug, i) => ({ user_id: `u${i}`, connected_sources: [{ source: { slug } }] }));

describe('a list', () => {
	it('by user ID takes no request, and keeps order and places', async () => {
		const { get, asked } = team(0);
		const entries = entriesOf(['a', 'b', 'c']);
		const list = listedUsers('userId', entries);
		expect(await found(list, get)).toEqual(['a null 1', 'b null 2', 'c null 3']);
		expect((await resolved(list, get))[1].entry).toBe(entries[1]);
		expect(asked).toEqual([]);
	});

	it('by client user ID gives each user once, with their place', async () => {
		const entries = entriesOf(['c0', 'c1', 'C1', 'c2']);
		const list = listedUsers('clientUserId', entries);
		const { get } = team(5, { resolves: { C1: () => ({ user_id: 'u1', client_user_id: 'c1' }) } });
		expect(await found(list, get)).toEqual(['u0 c0 1', 'u1 c1 2', 'u2 c2 4']);
		expect((await resolved(list, get))[2].entry).toBe(entries[3]);
	});

	it('of eight or more is read by its pages', async () => {
		const { get, count } = team(20);
		await resolved(listedUsers('clientUserId', entriesOf(ids(0, 9))), get);
		expect(count()).toEqual({ lists: 1, resolves: 0 });
	});

	it('with When Not Found set to empty skips an entry that no user has, not one whose Resolve failed', async () => {
		const list = listedUsers('clientUserId', entriesOf(['c0', 'x', 'c1']), { whenNotFound: 'empty' });
		expect(await found(list, team(5).get)).toEqual(['u0 c0 1', 'u1 c1 3']);
		await expect(resolved(list, team(5, { resolves: { x: rejects(broken) } }).get)).rejects.toBe(broken);
	});

	it('has a problem for an entry that no user has, or that gets the record of another', async () => {
		const list = listedUsers('clientUserId', entriesOf(['c0', 'x']));
		await expect(resolved(list, team(5).get)).rejects.toThrow(
			"Entry 2 of 'User IDs' is an identifier that no user has",
		);
		const resolves = { x: () => ({ user_id: 'u0' }) };
		await expect(resolved(list, team(5, { resolves }).get)).rejects.toThrow('the record of another entry for entry 2');
	});

	it('looks a user with a 404 up once more by the ID as the list has it, by user ID not at all', async () => {
		const { get, asked } = team(5);
		const selected = { user: { user_id: 'u0', client_user_id: 'c0' }, place: 1, entry: { id: 'c0', at: 1 } };
		await listedUsers('userId', [], { whenNotFound: 'empty' }).whenMissing(get, selected);
		expect(asked).toEqual([]);
		await expect(listedUsers('clientUserId', []).whenMissing(get, selected)).rejects.toThrow('whom it knows');
		expect(asked.map(({ path }) => path)).toEqual(['/v2/user/resolve/c0']);
	});
});

describe('one user', () => {
	it.each([
		['by user ID, without a request', 'userId', 'x', ['x null 1'], 0],
		['by client user ID', 'clientUserId', 'c3', ['u3 c3 1'], 1],
		['not found', 'clientUserId', 'x', [], 1],
	] as const)('%s', async (_, by, id, users, requests) => {
		const { get, asked } = team(5);
		expect(await found(oneUser({ by, id }, { whenNotFound: 'empty' }), get)).toEqual(users);
		expect(asked).toHaveLength(requests);
	});

	it('is one', () => expect(oneUser({ by: 'userId', id: 'x' }).isOne).toBe(true));

	it('picked from the list: one quiet Resolve for all items, none without rows', async () => {
		const { get, asked } = team(5);
		const resolved = new Map();
		const rows = [{ client_user_id: null }];
		for (const given of [[], rows, [...rows]])
			await oneUser({ by: 'userId', id: 'u3', shownAs: 'c3' }, { resolved }).addClientUserIds!(get, given);
		expect(rows).toEqual([{ client_user_id: 'c3' }]);
		expect(asked).toEqual([expect.objectContaining({ path: '/v2/user/resolve/c3' })]);
		expect(asked[0].once).toMatchObject({ maxAttempts: 2, ignoreFailure: true });
	});

	it('picked from the list: a fault of the code is thrown', async () => {
		const { get } = team(5, { resolves: { c3: rejects(new Error('bug')) } });
		const picked = oneUser({ by: 'userId', id: 'u3', shownAs: 'c3' });
		await expect(picked.addClientUserIds!(get, [{}])).rejects.toThrow('bug');
	});

	it('picked from the list, with a 404: another user at the row is no such user', async () => {
		const { get } = team(5);
		const missing = { user: { user_id: 'u3', client_user_id: null }, place: 1 };
		const picked = oneUser({ by: 'userId', id: 'u3', shownAs: 'c4' });
		await expect(picked.whenMissing(get, missing)).rejects.toMatchObject({
			message: "There is no such user: the service does not know the 'User'",
			description: expect.stringMatching(/^Pick the user from the list, or check .*team of this user$/),
			httpCode: '404',
		});
	});
});

describe('the place of the last user', () => {
	it.each<[string, UserSelection, Partial<TeamOptions>, number]>([
		['over all pages', wholeTeam(), { cap: 3 }, 7],
		['after a start', wholeTeam({ offset: 1 }), { cap: 3 }, 6],
		['of none', wholeTeam({}, 'none'), { cap: 3 }, 0],
		['of a few', wholeTeam({}, 'a'), { records: connectedTo('b', 'a', 'b', 'b', 'b'), cap: 2 }, 2],
		['of a list', listedUsers('userId', entriesOf(ids(0, 3))), {}, 3],
	])('%s', async (_, selection, options, place) => {
		await resolved(selection, team(7, options).get);
		expect(selection.lastPlace!()).toBe(place);
	});
});

describe('the team', () => {
	it('in a window, with their places', async () => {
		const selection = wholeTeam({ offset: 2, maxUsers: 3 });
		expect(await found(selection, team(9).get)).toEqual(['u2 c2 1', 'u3 c3 2', 'u4 c4 3']);
	});

	it('with Only Connected Users has those with a connected provider, at their places in the list', async () => {
		const { get } = team(3, { records: connectedTo('a', 'b', 'a') });
		expect(await found(wholeTeam({}, 'a'), get)).toEqual(['u0 null 1', 'u2 null 3']);
	});

	it('a 404 of a user known only by user ID, who cannot be resolved, is an error', async () => {
		await expect(throwIfUserExists(team(1).get, { user_id: 'u0', client_user_id: null })).rejects.toMatchObject({
			message: 'The service does not find the readings of a user whom it knows (status 404)',
			description: 'Try again later. If it stays, ask the people who run the service',
			httpCode: '404',
		});
	});

	it('a 404 of a user whose client user ID another one has now is skipped', async () => {
		const selected = { user: { user_id: 'other', client_user_id: 'c0' }, place: 1 };
		expect(await wholeTeam().whenMissing(team(1).get, selected)).toBeUndefined();
	});
});

const UPPER = '3F2B8C1E-0D4A-4C6B-9E7F-1A2B3C4D5E6F';
it.each<[IDataObject, IDataObject]>([
	[
		{ user_id: 'u', client_user_id: 'c', team_id: 't' },
		{ user: { user_id: 'u', client_user_id: 'c' }, sentId: 'u', team: 't' },
	],
	[
		{ user_id: 'u', client_user_id: ' ' },
		{ user: { user_id: 'u', client_user_id: null }, sentId: 'u' },
	],
	[
		{ user_id: 'u', client_user_id: 7, team_id: 7 },
		{ user: { user_id: 'u', client_user_id: '7' }, sentId: 'u' },
	],
	[{ user_id: 'u' }, { user: { user_id: 'u', client_user_id: null }, sentId: 'u' }],
	// Requested as the list has it, compared in lower case.
	[{ user_id: UPPER }, { user: { user_id: UPPER.toLowerCase(), client_user_id: null }, sentId: UPPER }],
])('the record %j is %j', (record, expected) =>
	expect(toSelectedUser(record, 1)).toEqual({ ...expected, record, place: 1 }),
);
