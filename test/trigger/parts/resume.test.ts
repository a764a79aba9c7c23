/**
 * Checkpoint of a round: which users remain after it, also where the list has moved.
 */
import type { SelectedUser, ListEntry, UserSelection } from '../../../nodes/HealthDataService/service/userSelection';
import {
	checkpointAfter,
	doneBefore,
	doneUser,
	inOrderOf,
	OVERLAP,
	remainingUsers,
	unlistedUsers,
	urgentFirst,
	usersById,
} from '../../../nodes/HealthDataService/trigger/resume';
import { doneKeyOf, fingerprintOf } from '../../../nodes/HealthDataService/trigger/watchList';
import { nextTurn } from '../../helpers/machine';
import { useVirtualTime } from '../../helpers/virtualTime';

const time = useVirtualTime();

const names = (count: number) => Array.from({ length: count }, (_, i) => `u${i}`);
const get = undefined as never;

/** A list of these users, and the positions from which it was read. */
function listOf(ids: string[], entries?: ListEntry[]) {
	const starts: number[] = [];
	const selection: UserSelection = {
		entries,
		async *users(_, skip = 0) {
			starts.push(skip);
			for (let at = skip; at < ids.length; at++) {
				yield {
					user: { user_id: ids[at], client_user_id: null },
					place: at + 1,
					...(entries && { entry: entries[at] }),
				};
			}
		},
		whenMissing: async () => {},
	};
	return { selection, starts };
}
const all = async (users: AsyncIterable<SelectedUser>): Promise<SelectedUser[]> => {
	const found = [];
	for await (const one of users) found.push(one);
	return found;
};

/** A list without an end. */
const withoutEnd = (users: AsyncIterable<SelectedUser>) =>
	async function* () {
		yield* users;
		await new Promise(() => undefined);
	};
const idsOf = async (users: AsyncIterable<SelectedUser>) => (await all(users)).map(({ user }) => user.user_id);
const traces = (...ids: string[]) => ids.map((user_id) => fingerprintOf({ user: { user_id, client_user_id: null } }));
const round = (at: number, ...last: string[]) => ({ at, last: traces(...last), began: 0 });

describe('the users after the checkpoint', () => {
	it('are all users where none is done', async () => {
		const { selection, starts } = listOf(names(3));
		expect(await idsOf(remainingUsers(get, selection))).toEqual(names(3));
		expect(await idsOf(remainingUsers(get, selection, round(0)))).toEqual(names(3));
		// Each list is read once, without a search.
		expect(starts).toEqual([0, 0]);
	});

	it('follow the last fingerprint that is found near the old position', async () => {
		const { selection, starts } = listOf(names(500));
		const found = await idsOf(remainingUsers(get, selection, round(300, 'u297', 'u299', 'gone')));
		expect(found).toEqual(names(500).slice(300));
		// The search starts 100 users before; the list is read on after it.
		expect(starts).toEqual([200, 400]);
	});

	it.each([
		['80 have left before them', names(500).slice(80)],
		['80 have come before them', [...names(80).map((id) => `new ${id}`), ...names(500)]],
		['100 have come before them', [...names(OVERLAP).map((id) => `new ${id}`), ...names(500)]],
	])('are the same when %s', async (_, ids) => {
		const { selection } = listOf(ids);
		expect(await idsOf(remainingUsers(get, selection, round(300, 'u299')))).toEqual(names(500).slice(300));
	});

	it('are all users where no fingerprint is found', async () => {
		const { selection } = listOf(names(500).slice(OVERLAP + 1));
		expect(await idsOf(remainingUsers(get, selection, round(300, 'u150')))).toEqual(names(500).slice(OVERLAP + 1));
	});

	it('come once each where the list ends inside the search', async () => {
		const { selection, starts } = listOf(names(12));
		expect(await idsOf(remainingUsers(get, selection, round(10, 'u9')))).toEqual(['u10', 'u11']);
		expect(starts).toEqual([0]);
		expect(await idsOf(remainingUsers(get, selection, round(12, 'u11')))).toEqual([]);
		expect(await idsOf(remainingUsers(get, selection, round(10, 'u8', 'gone')))).toEqual(['u9', 'u10', 'u11']);
		// The list is read once by each.
		expect(starts).toEqual([0, 0, 0]);
	});

	it('come before the end of the list, because its last page may be slow', async () => {
		const { selection } = listOf(names(12));
		const users = remainingUsers(get, { ...selection, users: withoutEnd(selection.users(get)) }, round(10, 'u9'));
		expect((await users.next()).value.user.user_id).toBe('u10');
	});

	it('keep their places', async () => {
		const { selection } = listOf(names(250));
		const users = await all(remainingUsers(get, selection, round(200, 'u199')));
		expect(users.map(({ place }) => place)).toEqual(Array.from({ length: 50 }, (_, i) => 201 + i));
	});

	it('of listed users are found in the list itself', async () => {
		const entries = names(300).map((id, index) => ({ id, at: index + 1 }));
		const { selection, starts } = listOf(names(300), entries);
		const last = [fingerprintOf({ entry: entries[149] })];
		expect(await idsOf(remainingUsers(get, selection, { at: 150, last, began: 0 }))).toEqual(names(300).slice(150));
		expect(await idsOf(remainingUsers(get, selection, { at: 150, last: ['gone'], began: 0 }))).toEqual(names(300));
		expect(starts).toEqual([150, 0]);
		const early = { at: 50, last: [fingerprintOf({ entry: entries[49] })], began: 0 };
		expect(await idsOf(remainingUsers(get, selection, early))).toEqual(names(300).slice(50));
	});
});

describe('the checkpoint', () => {
	const finished = (count: number) => names(count).map((fingerprint, index) => ({ fingerprint, place: index + 1 }));

	it('is the place of the last user done, and the fingerprints of the last twenty', () => {
		const { at, last, began } = checkpointAfter({ at: 3, last: ['x'], began: 7 }, finished(50));
		expect([at, last, began]).toEqual([50, names(50).slice(30), 7]);
	});

	it('stays where no user was done', () => {
		expect(checkpointAfter({ at: 3, last: ['x'], began: 7, newest: 5 }, [])).toEqual({
			at: 3,
			last: ['x'],
			began: 7,
			newest: 5,
		});
	});

	it('holds what is not empty', () => {
		const empty = { at: 3, last: ['x'], began: 7 };
		expect(checkpointAfter({ ...empty, sure: 7 }, [], { done: [], limited: [], hangs: false })).toStrictEqual(empty);
		expect(checkpointAfter({ ...empty, sure: 6 }, [], { done: ['d'], limited: ['l'], hangs: true })).toStrictEqual({
			...empty,
			sure: 6,
			done: ['d'],
			limited: ['l'],
			hangs: true,
		});
	});

	it('knows the users that were read before their turn', async () => {
		const [first, second] = await all(listOf(names(2)).selection.users(get));
		const isDone = doneBefore({ ...round(0), done: [doneKeyOf(second)] });
		expect([isDone(first), isDone(second), doneBefore()(first)]).toEqual([false, true, false]);
		expect([doneUser(first).hasRecovered, doneUser(first, true).hasRecovered]).toEqual([false, true]);
		expect(doneUser(second).doneKey()).toBe(doneKeyOf(second));
	});
});

describe('failed users', () => {
	it('are found by ID, and the list is read no further than to the last of them', async () => {
		const users = withoutEnd(listOf(names(4)).selection.users(get));
		expect(await idsOf(usersById(get, { users, whenMissing: async () => {} }, ['u3', 'u1']))).toEqual(['u1', 'u3']);
		expect(await idsOf(usersById(get, listOf(names(4)).selection, ['u1', 'gone']))).toEqual(['u1']);
	});

	it('come in the order of their keys, after the list', async () => {
		const users = await all(listOf(names(3)).selection.users(get));
		const ordered = [...inOrderOf(['u2', 'u0', 'u1'], users)];
		expect(ordered.map(({ user, place }) => [user.user_id, place])).toEqual([
			['u2', Infinity],
			['u0', Infinity],
			['u1', Infinity],
		]);
	});
});

describe('urgent users', () => {
	async function* asGenerator(users: SelectedUser[]) {
		yield* users;
	}
	const listed = (count: number, ...urgent: number[]) =>
		names(count).map((user_id, i) => ({
			user: { user_id, client_user_id: null },
			place: urgent.includes(i) ? Infinity : i + 1,
		}));
	const ordered = async (count: number, users: SelectedUser[]) => await idsOf(urgentFirst(asGenerator(users), count));

	it('come first, also where one of them is not on the list', async () => {
		expect(await ordered(2, listed(5, 1, 3))).toEqual(['u1', 'u3', 'u0', 'u2', 'u4']);
		expect(await ordered(2, listed(5, 3))).toEqual(['u3', 'u0', 'u1', 'u2', 'u4']);
		expect(await ordered(0, listed(3))).toEqual(names(3));
	});

	it('are not waited for once they are there, nor for long', async () => {
		const firstOf = async (...urgent: number[]) => {
			const users = urgentFirst(withoutEnd(asGenerator(listed(4, ...urgent)))(), 2);
			const first = [];
			for (let i = 0; i < 4; i++) first.push((await users.next()).value.user.user_id);
			return first;
		};
		expect(await firstOf(1, 2)).toEqual(['u1', 'u2', 'u0', 'u3']);
		expect(await firstOf(1)).toEqual(['u1', 'u0', 'u2', 'u3']);
	});

	it('delay the others for 200 ms at most, from the first of the others on', async () => {
		const delayOf = async (count: number, ...urgent: number[]) => {
			const begun = time.elapsed;
			const users = urgentFirst(withoutEnd(asGenerator(listed(3, ...urgent)))(), count);
			for (let i = 0; i < 3; i++) await users.next();
			return time.elapsed - begun;
		};
		expect([await delayOf(2, 1, 2), await delayOf(2, 1)]).toEqual([0, 200]);
		async function* slowPage() {
			const [other, urgent] = listed(2, 1);
			await time.pass(300);
			yield other;
			await time.pass(100);
			yield urgent;
		}
		expect(await idsOf(urgentFirst(slowPage(), 1))).toEqual(['u1', 'u0']);
	});

	it('are no reason to read the list further than needed, or to lose users when it fails', async () => {
		let isEnded = false;
		async function* failing() {
			try {
				yield* listed(2);
				throw new Error('Down');
			} finally {
				isEnded = true;
			}
		}
		const users = urgentFirst(failing(), 1);
		expect([(await users.next()).value.place, (await users.next()).value.place]).toEqual([1, 2]);
		await expect(users.next()).rejects.toThrow('Down');
		expect(isEnded).toBe(true);
		isEnded = false;
		for await (const one of urgentFirst(failing(), 0)) if (one.place === 1) break;
		await nextTurn();
		expect(isEnded).toBe(true);
	});
});

it('users who left the list are read by user ID, and a missing one is no error', async () => {
	const left = unlistedUsers(['u1', 'u2']);
	expect((await all(left.users(get))).map(({ user, place }) => [user, place])).toEqual([
		[{ user_id: 'u1', client_user_id: null }, Infinity],
		[{ user_id: 'u2', client_user_id: null }, Infinity],
	]);
	expect(await left.whenMissing(get, {} as never)).toBeUndefined();
});
