/**
 * A watched list by itself: who has come onto it, who has left, who cannot be found, and what is remembered of them.
 */
import { userPrefix } from '../../../nodes/HealthDataService/service/readingId';
import type { SelectedUser, ListEntry, UserSelection } from '../../../nodes/HealthDataService/service/userSelection';
import {
	positionAfter,
	failedUserKey,
	WatchList,
	labelOf,
	fingerprintOf,
} from '../../../nodes/HealthDataService/trigger/watchList';
import type { FailedUser, SavedWatchList } from '../../../nodes/HealthDataService/trigger/state';

const entry = (id: string): ListEntry => ({ id, at: 1 });
const user = (user_id: string) => ({ user_id, client_user_id: null });
const hashOf = (id: string) => fingerprintOf({ entry: entry(id) });
const lost = (id: string) => failedUserKey({ entry: entry(id) })!;
const list = (names: string[], before?: SavedWatchList, behind: Record<string, FailedUser> = {}) =>
	new WatchList(names.map(entry), before, behind);
const owners = (of: Record<string, string>): SavedWatchList =>
	Object.fromEntries(Object.entries(of).map(([id, owner]) => [hashOf(id), owner && userPrefix(owner)]));

it('is called by the user ID, or as long as nobody is found by a hash that no user ID is', () => {
	expect(failedUserKey({ user: user('u1'), entry: entry('a') })).toBe('u1');
	expect(lost('a')).toMatch(/^\?[0-9a-f]{12}$/);
	expect(lost('a')).toBe(failedUserKey({ user: user(''), entry: entry('a') }));
	expect(failedUserKey({})).toBeUndefined();
	expect([labelOf('u1'), labelOf(lost('a'))]).toEqual(['u1', "one of 'User IDs'"]);
});

it('leaves a trace: of the entry on a list, else of the user', () => {
	expect(fingerprintOf({ user: user('u1'), entry: entry('a') })).toBe(hashOf('a'));
	expect(fingerprintOf({ user: user('u1') })).toBe(userPrefix('u1'));
	expect(fingerprintOf({ user: user('u2') })).not.toBe(userPrefix('u1'));
});

describe('how many of a list are done', () => {
	const entries = Array.from({ length: 30 }, (_, i) => entry(`a${i}`));
	const done = (last: string[], place: number) => positionAfter(entries, last.map(hashOf), place, 5);
	it.each<[string, string[], number, number]>([
		['up to the last of these', ['a8', 'a9'], 10, 10],
		['found at the beginning', ['a0'], 0, 1],
		['found a little before', ['a5'], 10, 6],
		['found a little behind', ['a14'], 10, 15],
		['not found too far before', ['a4'], 10, 0],
		['not found too far behind', ['a15'], 10, 0],
		['none', ['x'], 10, 0],
	])('%s', (_, last, place, expected) => expect(done(last, place)).toBe(expected));
});

describe('watching begins', () => {
	const isNew = (before: SavedWatchList | undefined, user_id = 'u1') =>
		list(['a'], before).isNew({ user: user(user_id), entry: entry('a') });

	it('for whoever has come onto the list, or has an ID now that was somebody else’s', () => {
		expect(isNew({})).toBe(true);
		expect(isNew(owners({ b: 'u1' }))).toBe(true);
		expect(isNew(owners({ a: 'u2' }))).toBe(true);
	});

	it('for nobody else: not in the very first poll, nor for who was there, found or not', () => {
		expect(isNew(undefined)).toBe(false);
		expect(isNew(owners({ a: 'u1' }))).toBe(false);
		expect(isNew(owners({ a: '' }))).toBe(false);
		// Who cannot be found at the moment is nobody else.
		expect(isNew(owners({ a: 'u2' }), '')).toBe(false);
		expect(list(['a'], {}).isNew({ user: user('u1') })).toBe(false);
	});
});

describe('what is saved', () => {
	it('is nothing without a list', () => {
		const none = new WatchList(undefined, undefined, {});
		expect([none.isGiven, none.toSave()]).toEqual([false, undefined]);
		none.meet({ user: user('u1') });
		expect(none.toSave()).toBeUndefined();
	});

	it('is who was met, as the beginning of a hash', () => {
		const members = list(['a', 'b']);
		members.meet({ user: user('u1'), entry: entry('a') });
		expect(members.isGiven).toBe(true);
		// Nobody has had b yet.
		expect(members.toSave()).toEqual(owners({ a: 'u1', b: '' }));
	});

	it('is who was there before, without those who have left, nor those who have come and were not read', () => {
		const members = list(['a', 'b', 'c'], owners({ a: 'u1', b: '', gone: 'u9' }));
		expect(members.toSave()).toEqual(owners({ a: 'u1', b: '' }));
		members.meet({ user: user('u3'), entry: entry('c') });
		expect(members.toSave()).toEqual(owners({ a: 'u1', b: '', c: 'u3' }));
	});

	it('of one who cannot be found is whose it was', () => {
		const members = list(['a', 'b'], owners({ a: 'u1' }));
		members.meet({ user: user(''), entry: entry('a') });
		members.meet({ user: user(''), entry: entry('b') });
		expect(members.toSave()).toEqual(owners({ a: 'u1', b: '' }));
	});
});

describe('who is behind', () => {
	const found = async (members: WatchList, users: SelectedUser[]) => {
		const hasFailed: unknown[] = [];
		const source: UserSelection = {
			async *users(_, skip, failed) {
				for (const one of users.slice(skip)) {
					hasFailed.push(one.entry && failed?.(one.entry));
					yield one;
				}
			},
			whenMissing: async () => {},
		};
		for await (const one of members.recovering(source).users(undefined as never, 0)) expect(users).toContain(one);
		return hasFailed;
	};
	const listed = (user_id: string, id: string): SelectedUser => ({ user: user(user_id), place: 1, entry: entry(id) });

	it('and found again goes on where it began, under the user ID', async () => {
		const behind: Record<string, FailedUser> = { [lost('a')]: { from: 5 }, [lost('b')]: { from: 6 } };
		const members = list(['a', 'b', 'c'], owners({ a: 'u1', b: '', c: '' }), behind);
		const failed = await found(members, [listed('u1', 'a'), listed('', 'b'), listed('u3', 'c')]);
		expect(behind).toEqual({ u1: { from: 5 }, [lost('b')]: { from: 6 } });
		// Who is known to be trouble is asked for once.
		expect(failed).toEqual([true, true, false]);
	});

	it('and found again as somebody else begins anew', async () => {
		const behind: Record<string, FailedUser> = { [lost('a')]: { from: 5 } };
		await found(list(['a'], owners({ a: 'u9' }), behind), [listed('u1', 'a')]);
		expect(behind).toEqual({});
	});

	it('keeps the earlier of two points', async () => {
		const behind: Record<string, FailedUser> = { [lost('a')]: { from: 5 }, u1: { from: 3 } };
		await found(list(['a'], owners({ a: 'u1' }), behind), [listed('u1', 'a')]);
		expect(behind).toEqual({ u1: { from: 3 } });
	});

	it('and cannot even be found any more stays so', () => {
		const behind: Record<string, FailedUser> = { u1: { from: 5 }, u2: { from: 6 } };
		const members = list(['a', 'b', 'c'], owners({ a: 'u1', b: '' }), behind);
		for (const id of ['a', 'b', 'c']) members.meet({ user: user(''), entry: entry(id) });
		expect(behind).toEqual({ [lost('a')]: { from: 5 }, u2: { from: 6 } });
	});

	it('and on the list no more is forgotten, found or not', () => {
		const behind: Record<string, FailedUser> = {
			u1: { from: 1 },
			u9: { from: 2 },
			[lost('b')]: { from: 3 },
			[lost('gone')]: { from: 4 },
		};
		list(['a', 'b'], owners({ a: 'u1', b: '', gone: 'u9' }), behind).forgetOthers();
		expect(Object.keys(behind)).toEqual(['u1', lost('b')]);
	});

	it('is known by how the keys of their readings begin', () => {
		const members = list(['a', 'b'], owners({ a: 'u1' }));
		expect(members.prefixOf('u5')).toBe(userPrefix('u5'));
		expect(members.prefixOf(lost('a'))).toBe(userPrefix('u1'));
		expect(members.prefixOf(lost('b'))).toBe('');
		expect(list(['a']).prefixOf(lost('a'))).toBe('');
	});
});
