/**
 * Watch list: added, removed and unresolved entries, and what is saved of them.
 */
import { userPrefix } from '../../../nodes/HealthDataService/service/readingId';
import type { ListEntry } from '../../../nodes/HealthDataService/service/userSelection';
import type { SavedWatchList } from '../../../nodes/HealthDataService/trigger/state';
import {
	doneKeyOf,
	failedUserKey,
	fingerprintOf,
	labelOf,
	unresolvedKey,
	WatchList,
} from '../../../nodes/HealthDataService/trigger/watchList';

const entry = (id: string): ListEntry => ({ id, at: 1 });
const user = (user_id: string) => ({ user_id, client_user_id: null });
const unresolved = (id: string) => unresolvedKey(entry(id));
const list = (ids: string[], saved?: SavedWatchList) => new WatchList(ids.map(entry), saved);
const owners = (of: Record<string, string>): SavedWatchList =>
	Object.fromEntries(
		Object.entries(of).map(([id, owner]) => [fingerprintOf({ entry: entry(id) }), owner && userPrefix(owner)]),
	);

it('the key is the user ID, or a hash of an unresolved entry that is no user ID', () => {
	expect(failedUserKey({ user: user('u1'), entry: entry('a') })).toBe('u1');
	expect(unresolved('a')).toMatch(/^\?[0-9a-f]{12}$/);
	expect(failedUserKey({ user: user(''), entry: entry('a') })).toBe(unresolved('a'));
	expect(failedUserKey({ entry: entry('a') })).toBe(unresolved('a'));
	expect(failedUserKey({})).toBeUndefined();
	expect([labelOf('u1'), labelOf(unresolved('a'))]).toEqual(['u1', "one of 'User IDs'"]);
});

it('the fingerprint is of the entry of a list, else of the user', () => {
	expect(fingerprintOf({ user: user('u1'), entry: entry('a') })).toBe(unresolved('a').slice(1));
	expect(fingerprintOf({ user: user('u1') })).toBe(userPrefix('u1'));
	expect(fingerprintOf({ user: user('u2') })).not.toBe(userPrefix('u1'));
	expect(fingerprintOf({})).toBe(userPrefix(undefined));
});

it('a round knows the users it has read by more of the hash than a checkpoint', () => {
	expect(doneKeyOf({ user: user('u1'), entry: entry('a') })).toBe(fingerprintOf({ entry: entry('a') }));
	expect(doneKeyOf({ user: user('u1') })).toMatch(/^[0-9a-f]{12}$/);
	expect(doneKeyOf({ user: user('u1') })).toContain(userPrefix('u1'));
	expect(doneKeyOf({})).toBe(doneKeyOf({ user: user('') }));
	expect(doneKeyOf({})).toContain(userPrefix(''));
});

describe('watching starts', () => {
	const isNew = (saved: SavedWatchList | undefined, user_id = 'u1') =>
		list(['a'], saved).isNew({ user: user(user_id), entry: entry('a') });

	it('for an entry that was added, or names another user than before', () => {
		expect(isNew({})).toBe(true);
		expect(isNew(owners({ b: 'u1' }))).toBe(true);
		expect(isNew(owners({ a: 'u2' }))).toBe(true);
		expect(isNew({}, '')).toBe(true);
		expect(list(['a'], {}).isNew({ entry: entry('a') })).toBe(true);
	});

	it('for no other user: neither in the first poll, nor for an entry that was there, resolved or not', () => {
		expect(isNew(undefined)).toBe(false);
		expect(isNew(owners({ a: 'u1' }))).toBe(false);
		expect(isNew(owners({ a: '' }))).toBe(false);
		// An unresolved entry does not name another user.
		expect(isNew(owners({ a: 'u2' }), '')).toBe(false);
		expect(list(['a'], owners({ a: 'u2' })).isNew({ entry: entry('a') })).toBe(false);
		expect(list(['a'], {}).isNew({ user: user('u1') })).toBe(false);
	});
});

describe('the saved list', () => {
	it('is missing where users are not listed', () => {
		const none = new WatchList(undefined, undefined);
		expect([none.isGiven, none.toSave()]).toEqual([false, undefined]);
		none.add({ user: user('u1') });
		expect(none.toSave()).toBeUndefined();
	});

	it('has the user of each entry, as a hash', () => {
		const watched = list(['a', 'b']);
		watched.add({ user: user('u1'), entry: entry('a') });
		expect(watched.isGiven).toBe(true);
		// No user matched b yet.
		expect(watched.toSave()).toEqual(owners({ a: 'u1', b: '' }));
	});

	it('has the entries of before, without those removed and those added and not read', () => {
		const watched = list(['a', 'b', 'c'], owners({ a: 'u1', b: '', gone: 'u9' }));
		expect(watched.toSave()).toStrictEqual(owners({ a: 'u1', b: '' }));
		watched.add({ user: user('u3'), entry: entry('c') });
		expect(watched.toSave()).toEqual(owners({ a: 'u1', b: '', c: 'u3' }));
	});

	it('has the last user of an unresolved entry', () => {
		const watched = list(['a', 'b'], owners({ a: 'u1' }));
		watched.add({ user: user(''), entry: entry('a') });
		watched.add({ user: user(''), entry: entry('b') });
		expect(watched.toSave()).toEqual(owners({ a: 'u1', b: '' }));
		const first = list(['a']);
		first.add({ entry: entry('a') });
		expect(first.toSave()).toEqual(owners({ a: '' }));
	});
});

it('knows which user an entry named', () => {
	const watched = list(['a', 'b', 'c'], owners({ a: 'u1', b: '' }));
	const named = (id: string, userId: string) => watched.hasNamed(entry(id), userId);
	expect([named('a', 'u1'), named('a', 'u2'), named('b', ''), named('c', 'u1')]).toEqual([true, false, false, false]);
	expect(list(['a']).hasNamed(entry('a'), 'u1')).toBe(false);
});

it('knows each user on the list, resolved or not', () => {
	const isListed = list(['a', 'b'], owners({ a: 'u1', b: '', gone: 'u9' })).membership();
	const keys = ['u1', 'u9', unresolved('b'), unresolved('gone')];
	expect(keys.map(isListed)).toEqual([true, false, true, false]);
});

it('knows how the keys of a user’s readings start', () => {
	const watched = list(['a', 'b'], owners({ a: 'u1' }));
	expect(watched.prefixOf('u5')).toBe(userPrefix('u5'));
	expect(watched.prefixOf(unresolved('a'))).toBe(userPrefix('u1'));
	expect(watched.prefixOf(unresolved('b'))).toBe('');
	expect(list(['a']).prefixOf(unresolved('a'))).toBe('');
});
