/**
 * Selection of users by identifier, over a fake service: one user, a list, the team, and the number of requests.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get, RequestOptions, Query } from '../../nodes/HealthDataService/http/client';
import {
	listedUsers,
	oneUser,
	throwIfUserExists,
	toSelectedUser,
	wholeTeam,
	type SelectedUser,
	type UserSelection,
} from '../../nodes/HealthDataService/service/userSelection';
import { resolveMany } from '../../nodes/HealthDataService/service/resolveMany';
import {
	connectedSources,
	isClientUserId,
	isConnectedTo,
	resolveUser,
} from '../../nodes/HealthDataService/service/users';
import { Problem } from '../../nodes/HealthDataService/shared/problem';
import { nextTurn } from '../helpers/machine';

/** A team whose users have client user IDs `c0`, `c1` and so on; each answer may be replaced. */
function team(size: number, answers: Record<string, () => unknown> = {}, cap = 500) {
	const asked: Array<{ path: string; once?: RequestOptions }> = [];
	const users = Array.from({ length: size }, (_, i): IDataObject => ({ user_id: `u${i}`, client_user_id: `c${i}` }));
	const get = (async (
		path: string,
		{ offset = 0, limit = 0 }: Query,
		onMissing: () => unknown,
		once?: RequestOptions,
	) => {
		asked.push({ path, once });
		const [, name] = /resolve\/(.*)$/.exec(path) ?? [];
		const key = name ?? 'list';
		if (answers[key]) return await answers[key]();
		if (name === undefined) {
			const from = Number(offset);
			return { users: users.slice(from, from + Math.min(Number(limit), cap)), total: size };
		}
		return users.find(({ client_user_id }) => client_user_id === decodeURIComponent(name)) ?? (await onMissing());
	}) as unknown as Get;
	const count = () => ({
		lists: asked.filter(({ path }) => path === '/v2/user').length,
		resolves: asked.filter(({ path }) => path.includes('/resolve/')).length,
	});
	return { get, asked, count };
}
const all = async <T>(source: Iterable<T> | AsyncIterable<T>): Promise<T[]> => {
	const found: T[] = [];
	for await (const one of source) found.push(one);
	return found;
};
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `c${from + i}`);
const entriesOf = (names: string[]) => names.map((id, index) => ({ id, at: index + 1 }));
const broken = new Problem('Broken', 'Advice');
const rejects = (error: Error) => async () => await Promise.reject(error);
const found = (users: SelectedUser[]) => users.map(({ user, place }) => [user.user_id, user.client_user_id, place]);

describe('looking up', () => {
	const look = async (get: Get, names: string[], isLazy = false) =>
		await all(
			resolveMany(
				get,
				names.map((id) => ({ id })),
				isLazy,
			),
		);
	const idsOf = async (get: Get, names: string[], isLazy = false) =>
		(await look(get, names, isLazy)).map(({ user }) => user?.user_id);

	it('up to seven are requested one by one, for eight the list is read', async () => {
		const seven = team(500);
		expect(await idsOf(seven.get, ids(0, 7))).toEqual(['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6']);
		expect(seven.count()).toEqual({ lists: 0, resolves: 7 });
		const eight = team(500);
		expect(await idsOf(eight.get, ids(0, 8))).toHaveLength(8);
		expect(eight.count()).toEqual({ lists: 1, resolves: 0 });
	});

	it('reads further pages of the list only while that takes fewer requests', async () => {
		// Nine more pages for ten users who are not on the first; ten for ten are not worth it.
		const worth = team(5000);
		await look(worth.get, ids(4990, 5000));
		expect(worth.count()).toEqual({ lists: expect.any(Number), resolves: 0 });
		expect(worth.count().lists).toBeLessThanOrEqual(11);
		// Nor are more, once all users are found.
		const soon = team(20_000);
		await look(soon.get, ids(500, 600));
		expect(soon.count().lists).toBeLessThan(20);
		const not = team(5001);
		await look(not.get, ids(4990, 5000));
		expect(not.count()).toEqual({ lists: 1, resolves: 10 });
	});

	it('only users missing from the list are requested one by one', async () => {
		const { get, count } = team(20);
		expect(await idsOf(get, ['x1', ...ids(0, 8), 'x2'])).toEqual([
			undefined,
			...ids(0, 8).map((id) => `u${id.slice(1)}`),
			undefined,
		]);
		expect(count().resolves).toBe(2);
	});

	it('with fewer users wanted never reads the list, and requests few at a time', async () => {
		const { get, asked, count } = team(500);
		for await (const { user } of resolveMany(
			get,
			ids(0, 100).map((id) => ({ id })),
			true,
		))
			if (user?.user_id === 'u1') break;
		expect(count().lists).toBe(0);
		expect(asked.length).toBeLessThanOrEqual(6);
		expect(asked.at(-1)!.once?.isCancelled?.()).toBe(true);
	});

	it.each([
		[true, 4],
		[false, 64],
	])('where fewer may be wanted (%p), %i are requested concurrently', async (isLazy, width) => {
		const waits = Object.fromEntries(ids(0, 100).map((id) => [id, async () => await new Promise(() => {})]));
		const { get, count } = team(0, { ...waits, list: rejects(broken) });
		void resolveMany(
			get,
			ids(0, 100).map((id) => ({ id })),
			isLazy,
		).next();
		await nextTurn();
		expect(count().resolves).toBe(width);
	});

	it('an unreadable list only costs more requests', async () => {
		const { get, count } = team(20, { list: rejects(broken) });
		expect(await idsOf(get, ids(0, 10))).toEqual(ids(0, 10).map((id) => `u${id.slice(1)}`));
		expect(count()).toEqual({ lists: 1, resolves: 10 });
		const fault = new Error('A fault of the code');
		await expect(look(team(20, { list: rejects(fault) }).get, ids(0, 10))).rejects.toBe(fault);
	});

	it('a failed lookup is a problem of that entry; an error that concerns all ends the read', async () => {
		expect(await look(team(9, { c1: rejects(broken) }).get, ids(0, 3))).toMatchObject([
			{ user: { user_id: 'u0' } },
			{ problem: broken },
			{ user: { user_id: 'u2' } },
		]);
		const concerningAll = new Problem('Key', '', { concernsAll: true });
		await expect(look(team(9, { c1: rejects(concerningAll) }).get, ids(0, 3))).rejects.toBe(concerningAll);
		const fault = new Error('A fault of the code');
		await expect(look(team(9, { c1: rejects(fault) }).get, ids(0, 3))).rejects.toBe(fault);
	});

	it('allows fewer attempts for some', async () => {
		const { get, asked } = team(9);
		await all(resolveMany(get, [{ id: 'c0', hasFailed: true }, { id: 'c1' }], false));
		expect(asked.map(({ once }) => once?.maxAttempts)).toEqual([1, undefined]);
	});
});

describe('a list', () => {
	it('by user ID takes no request, and keeps order and places', async () => {
		const { get, asked } = team(0);
		const entries = entriesOf(['a', 'b', 'c']);
		const list = listedUsers('userId', entries);
		expect(found(await all(list.users(get)))).toEqual([
			['a', null, 1],
			['b', null, 2],
			['c', null, 3],
		]);
		expect(found(await all(list.users(get, 2)))).toEqual([['c', null, 3]]);
		expect((await all(list.users(get)))[1].entry).toBe(entries[1]);
		expect([asked, list.entries]).toEqual([[], entries]);
	});

	it('by client user ID gives each user once, with their place', async () => {
		const same = async () => ({ user_id: 'u1', client_user_id: 'c1' });
		const entries = entriesOf(['c0', 'c1', 'C1', 'c2']);
		const list = listedUsers('clientUserId', entries);
		const { get } = team(5, { C1: same });
		expect(found(await all(list.users(get)))).toEqual([
			['u0', 'c0', 1],
			['u1', 'c1', 2],
			['u2', 'c2', 4],
		]);
		expect(found(await all(list.users(get, 2)))).toEqual([
			['u1', 'c1', 3],
			['u2', 'c2', 4],
		]);
		expect((await all(list.users(get)))[2].entry).toBe(entries[3]);
	});

	it('requests each user with the given maximum of attempts', async () => {
		const { get, asked } = team(5);
		await all(listedUsers('clientUserId', entriesOf(['c0', 'c1'])).users(get, 0, ({ at }) => at === 2));
		expect(asked.map(({ once }) => once?.maxAttempts)).toEqual([undefined, 1]);
	});

	describe('an entry without a user', () => {
		const entries = entriesOf(['c0', 'unknown', 'c1', 'unknown too']);

		it('is a problem of that entry, which names its place', async () => {
			const users = await all(listedUsers('clientUserId', entries).users(team(5).get));
			expect(found(users)).toEqual([
				['u0', 'c0', 1],
				['', 'unknown', 2],
				['u1', 'c1', 3],
				['', 'unknown too', 4],
			]);
			expect(users[1]).toMatchObject({
				entry: entries[1],
				problem: {
					message: "Entry 2 of 'User IDs' is an identifier that no user has",
					description: expect.stringMatching(/^Check it, including upper and lower case.*team of this user$/),
					httpCode: '404',
					concernsAll: false,
				},
			});
		});

		it('gives no user with When Not Found set to empty, unless the lookup itself failed', async () => {
			const list = listedUsers('clientUserId', entries, { whenNotFound: 'empty' });
			expect(found(await all(list.users(team(5).get)))).toEqual([
				['u0', 'c0', 1],
				['u1', 'c1', 3],
			]);
			const users = await all(list.users(team(5, { unknown: rejects(broken) }).get));
			expect(users[1]).toMatchObject({ user: { user_id: '', client_user_id: 'unknown' }, place: 2, problem: broken });
		});
	});

	describe('a 404 for the readings of a listed user', () => {
		const listed = (id: string, at = 1): SelectedUser => ({
			user: { user_id: 'u0', client_user_id: 'c0' },
			place: at,
			entry: { id, at },
		});
		const missing = async (list: ReturnType<typeof listedUsers>, get: Get, one: SelectedUser) =>
			await list.whenMissing(get, one).then(
				() => 'passed over',
				({ message }: Error) => message,
			);

		it('by user ID means an entry without a user, without another request', async () => {
			const { get, asked } = team(5);
			const words = "Entry 3 of 'User IDs' is a user whom the service does not know";
			expect(await missing(listedUsers('userId', []), get, listed('u0', 3))).toBe(words);
			const empty = listedUsers('userId', [], { whenNotFound: 'empty' });
			expect([await missing(empty, get, listed('u0', 3)), asked]).toEqual(['passed over', []]);
		});

		it('by client user ID causes one more lookup, with the ID as the list has it', async () => {
			const list = listedUsers('clientUserId', [], { whenNotFound: 'empty' });
			const { get, asked } = team(5);
			expect(await missing(list, get, listed('c0'))).toMatch(/does not find the readings of a user whom it knows/);
			expect(asked.map(({ path }) => path)).toEqual(['/v2/user/resolve/c0']);
			expect(await missing(list, get, listed('gone'))).toBe('passed over');
			expect(await missing(listedUsers('clientUserId', []), get, listed('gone', 2))).toBe(
				"Entry 2 of 'User IDs' is an identifier that no user has",
			);
		});
	});
});

describe('one user', () => {
	const users = async (one: ReturnType<typeof oneUser>, get: Get) => found(await all(one.users(get)));

	it('by user ID takes no request', async () => {
		const { get, asked } = team(5);
		expect(await users(oneUser({ by: 'userId', id: 'x' }), get)).toEqual([['x', null, 1]]);
		expect(asked).toEqual([]);
	});

	it('by client user ID is resolved; a missing user is an error, or no user', async () => {
		const { get } = team(5);
		expect(await users(oneUser({ by: 'clientUserId', id: 'c3' }), get)).toEqual([['u3', 'c3', 1]]);
		const unknown = { by: 'clientUserId', id: 'x' } as const;
		await expect(users(oneUser(unknown), get)).rejects.toMatchObject({
			message: "There is no user with this 'Client User ID'",
			httpCode: '404',
		});
		expect(await users(oneUser(unknown, 'empty'), get)).toEqual([]);
	});

	it('with a 404 for their readings: an error, or skipped if they are removed', async () => {
		const byUserId = { user: { user_id: 'u0', client_user_id: null }, place: 1 };
		const byClientId = { user: { user_id: 'u0', client_user_id: 'c0' }, place: 1 };
		const { get, asked } = team(5);
		const one = oneUser({ by: 'userId', id: 'u0' });
		await expect(one.whenMissing(get, byUserId)).rejects.toMatchObject({
			message: "There is no such user: the service does not know the 'User'",
			httpCode: '404',
		});
		await oneUser({ by: 'userId', id: 'u0' }, 'empty').whenMissing(get, byUserId);
		expect(asked).toEqual([]);
		const still = { message: expect.stringContaining('whom it knows'), httpCode: '404' };
		await expect(oneUser({ by: 'clientUserId', id: 'c0' }, 'empty').whenMissing(get, byClientId)).rejects.toMatchObject(
			still,
		);
		await oneUser({ by: 'clientUserId', id: 'c0' }, 'empty').whenMissing(team(0).get, byClientId);
	});
});

describe('a user picked from the list', () => {
	const picked = { by: 'userId', id: 'u3', shownAs: 'c3' } as const;
	const named = async (one: ReturnType<typeof oneUser>, get: Get, count = 2) => {
		const rows = Array.from({ length: count }, (): IDataObject => ({ client_user_id: null }));
		await one.addClientUserIds!(get, rows);
		return rows.map(({ client_user_id }) => client_user_id);
	};

	it('has its client user ID in each row, for one request, also when several items pick the user', async () => {
		const { get, asked } = team(5);
		const resolved = new Map();
		expect(await named(oneUser(picked, 'error', resolved), get)).toEqual(['c3', 'c3']);
		expect(await named(oneUser(picked, 'error', resolved), get, 1)).toEqual(['c3']);
		expect(asked).toEqual([
			{ path: '/v2/user/resolve/c3', once: expect.objectContaining({ maxAttempts: 2, ignoreFailure: true }) },
		]);
	});

	it('takes no request without rows, or if the list showed no client user ID', async () => {
		const { get, asked } = team(5);
		expect(await named(oneUser(picked), get, 0)).toEqual([]);
		expect(await named(oneUser({ by: 'userId', id: 'u3' }), get)).toEqual([null, null]);
		expect(asked).toEqual([]);
	});

	it('has none if Resolve finds another user or none, or fails', async () => {
		expect(await named(oneUser({ ...picked, shownAs: 'c4' }), team(5).get)).toEqual([null, null]);
		expect(await named(oneUser({ ...picked, shownAs: 'x' }), team(5).get)).toEqual([null, null]);
		expect(await named(oneUser(picked), team(5, { c3: rejects(broken) }).get)).toEqual([null, null]);
		await expect(named(oneUser(picked), team(5, { c3: rejects(new Error('bug')) }).get)).rejects.toThrow('bug');
	});

	it('with a 404 for the readings: an error if Resolve finds the user, else there is no such user', async () => {
		const selected = { user: { user_id: 'u3', client_user_id: null }, place: 1 };
		await expect(oneUser(picked).whenMissing(team(5).get, selected)).rejects.toThrow('whom it knows');
		for (const shownAs of ['c4', 'x'])
			await expect(oneUser({ ...picked, shownAs }).whenMissing(team(5).get, selected)).rejects.toMatchObject({
				message: "There is no such user: the service does not know the 'User'",
				description: "Pick the user from the list, or check that the credential's key belongs to the team of this user",
			});
	});
});

it('a list of eight or more is read by its pages', async () => {
	const { get, count } = team(20);
	await all(listedUsers('clientUserId', entriesOf(ids(0, 9))).users(get));
	expect(count()).toEqual({ lists: 1, resolves: 0 });
});

it('a listed user has all attempts, unless the caller says that the last read failed', async () => {
	const { get, asked } = team(2);
	await all(listedUsers('clientUserId', entriesOf(['c0'])).users(get));
	expect(asked.map(({ once }) => once?.maxAttempts)).toEqual([undefined]);
});

describe('the place of the last user', () => {
	const lastPlace = async (selection: ReturnType<typeof wholeTeam>, get: Get, skip?: number) => {
		await all(selection.users(get, skip));
		return selection.lastPlace!();
	};

	it('is that of the last selected user, over all pages', async () => {
		expect(await lastPlace(wholeTeam(), team(7, {}, 3).get)).toBe(7);
		expect(await lastPlace(wholeTeam({ offset: 1 }), team(7, {}, 3).get, 2)).toBe(6);
		expect(await lastPlace(wholeTeam({}, 'none'), team(7, {}, 3).get)).toBe(0);
		const slugs = ['b', 'a', 'b', 'b', 'b'];
		const users = slugs.map((slug, i) => ({ user_id: `u${i}`, connected_sources: [{ source: { slug } }] }));
		const get = (async (_: string, { offset = 0 }: Query) => ({
			users: users.slice(Number(offset), Number(offset) + 2),
			total: 5,
		})) as never;
		expect(await lastPlace(wholeTeam({}, 'a'), get)).toBe(2);
	});

	it('is the last entry of a list', () => {
		expect(listedUsers('userId', entriesOf(ids(0, 3))).lastPlace!()).toBe(3);
	});
});

describe('the number of users to read', () => {
	/** Before the first user, and after each. */
	const expectedOf = async (selection: UserSelection, get: Get) => {
		const seen = [selection.expected!()];
		for await (const { place } of selection.users(get)) seen[place] = selection.expected!();
		return seen;
	};

	it('of a team is known from the first page on, without users skipped or beyond Max Users', async () => {
		expect(await expectedOf(wholeTeam(), team(4, {}, 2).get)).toEqual([undefined, 4, 4, 4, 4]);
		expect(await expectedOf(wholeTeam({ offset: 3 }), team(4).get)).toEqual([undefined, 1]);
		expect(await expectedOf(wholeTeam({ offset: 1, limit: 2 }), team(4).get)).toEqual([undefined, 2, 2]);
	});

	it('of a team is not below the users found, and is kept where a page does not say it', async () => {
		const { get } = team(4, {}, 2);
		const saying = (first?: number, later?: number) =>
			(async (path: string, query: Query, ...rest: []) => ({
				...((await get(path, query, ...rest)) as IDataObject),
				total: Number(query.offset) > 0 ? later : first,
			})) as Get;
		expect(await expectedOf(wholeTeam(), saying(3, 3))).toEqual([undefined, 3, 3, 3, 4]);
		expect(await expectedOf(wholeTeam(), saying(4))).toEqual([undefined, 4, 4, 4, 4]);
		expect(await expectedOf(wholeTeam(), saying())).toEqual(Array(5).fill(undefined));
	});

	it('is unknown with Only Connected Users, one for User, and the entries of User IDs', async () => {
		const connected = wholeTeam({}, 'a');
		await all(connected.users(team(4).get));
		expect(connected.expected!()).toBeUndefined();
		expect(oneUser({ by: 'userId', id: 'u1' })).toMatchObject({ isOne: true });
		expect(oneUser({ by: 'userId', id: 'u1' }).expected!()).toBe(1);
		expect(listedUsers('userId', entriesOf(ids(0, 3))).expected!()).toBe(3);
	});
});

describe('the team', () => {
	it('is all users in the window, with their places, also after a start offset', async () => {
		const { get } = team(9);
		expect(found(await all(wholeTeam({ offset: 2, limit: 3 }).users(get)))).toEqual([
			['u2', 'c2', 1],
			['u3', 'c3', 2],
			['u4', 'c4', 3],
		]);
		expect(found(await all(wholeTeam({ offset: 2 }).users(get, 5)))).toEqual([
			['u7', 'c7', 6],
			['u8', 'c8', 7],
		]);
	});

	it('with Only Connected Users has those with a connected provider, at their places in the list', async () => {
		const users = ['a', 'b', 'a'].map((slug, i) => ({ user_id: `u${i}`, connected_sources: [{ source: { slug } }] }));
		const get = (async (_: string, { offset = 0 }: Query) => ({
			users: users.slice(Number(offset)),
			total: 3,
		})) as never;
		expect(found(await all(wholeTeam({}, 'a').users(get)))).toEqual([
			['u0', null, 1],
			['u2', null, 3],
		]);
	});

	it('skips removed users, and no user that still exists', async () => {
		const { get } = team(1);
		await expect(
			wholeTeam().whenMissing(get, { user: { user_id: 'u0', client_user_id: 'c0' }, place: 1 }),
		).rejects.toMatchObject({
			message: 'The service does not find the readings of a user whom it knows (status 404)',
			description: 'Try again later. If it stays, ask the people who run the service',
		});
		await wholeTeam().whenMissing(get, { user: { user_id: 'other', client_user_id: 'c0' }, place: 1 });
		// A user known only by user ID cannot be resolved.
		await expect(throwIfUserExists(get, { user_id: 'u0', client_user_id: null })).rejects.toThrow('whom it knows');
	});
});

it.each<[IDataObject, SelectedUser]>([
	[
		{ user_id: 'u', client_user_id: 'c', team_id: 't' },
		{ user: { user_id: 'u', client_user_id: 'c' }, place: 1, team: 't' },
	],
	[
		{ user_id: 'u', client_user_id: ' ' },
		{ user: { user_id: 'u', client_user_id: null }, place: 1 },
	],
	[
		{ user_id: 'u', client_user_id: 7, team_id: 7 },
		{ user: { user_id: 'u', client_user_id: '7' }, place: 1 },
	],
	[{ user_id: 'u' }, { user: { user_id: 'u', client_user_id: null }, place: 1 }],
	// Requested as the list has it, compared in lower case.
	[
		{ user_id: '3F2B8C1E-0D4A-4C6B-9E7F-1A2B3C4D5E6F' },
		{
			user: { user_id: '3f2b8c1e-0d4a-4c6b-9e7f-1a2b3c4d5e6f', client_user_id: null },
			sentId: '3F2B8C1E-0D4A-4C6B-9E7F-1A2B3C4D5E6F',
			place: 1,
		},
	],
])('the record %j is %j', (record, expected) => expect(toSelectedUser(record, 1)).toEqual({ ...expected, record }));

it.each([
	['c', true],
	['a/b', true],
	['...', true],
	['', false],
	['.', false],
	['..', false],
	['\ud800', false],
	['a/../b', false],
	['a\\..', false],
	['./b', false],
	['..;/b', false],
	['a..b/.c', true],
])('%j can be requested: %p', (id, is) => expect(isClientUserId(id)).toBe(is));

it('Resolve ignores a record without an ID', async () => {
	const { get } = team(1, { c: () => ({ client_user_id: 'c' }) });
	await expect(resolveUser(get, 'c')).rejects.toThrow("The service's answer has no 'user_id'");
	expect(await resolveUser(team(1).get, 'unknown')).toBeUndefined();
	const another = (async () => ({ user_id: 'u', client_user_id: 'd' })) as unknown as Get;
	await expect(resolveUser(another, 'c')).rejects.toThrow('the record of another user');
	expect(await resolveUser(another, 'D')).toMatchObject({ user_id: 'u' });
});

it('the sources of a user are those that have a slug, by their names if they have any', () => {
	const user = {
		connected_sources: [
			{ source: { slug: 'a', name: 'A' } },
			{ source: { slug: 'b' } },
			{ source: { name: 'C' } },
			{ source: null },
			{},
			null,
			'd',
		],
	} as unknown as IDataObject;
	expect(connectedSources(user)).toEqual([
		{ slug: 'a', name: 'A' },
		{ slug: 'b', name: 'b' },
	]);
	expect(['b', 'c', 'B'].map((slug) => isConnectedTo(user, slug))).toEqual([true, false, false]);
	for (const none of [null, undefined, {}, 'x']) {
		expect(connectedSources({ connected_sources: none } as unknown as IDataObject)).toEqual([]);
	}
});
