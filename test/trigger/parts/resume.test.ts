/**
 * Where a round goes on, by itself: behind those who are done, whoever came or left meanwhile.
 */
import type { SelectedUser, ListEntry, UserSelection } from '../../../nodes/HealthDataService/service/userSelection';
import {
	counted,
	remainingUsers,
	OVERLAP,
	checkpointAfter,
	unlistedUsers,
} from '../../../nodes/HealthDataService/trigger/resume';
import { fingerprintOf } from '../../../nodes/HealthDataService/trigger/watchList';

const names = (count: number) => Array.from({ length: count }, (_, i) => `u${i}`);
const get = undefined as never;

/** A list of these users, and where it was begun. */
function listOf(ids: string[], entries?: ListEntry[]) {
	const begun: number[] = [];
	const selection: UserSelection = {
		entries,
		async *users(_, skip = 0) {
			begun.push(skip);
			for (let at = skip; at < ids.length; at++) {
				yield {
					user: { user_id: ids[at], client_user_id: null },
					place: at + 1,
					...(entries && { entry: entries[at] }),
				};
			}
		},
		whenMissing: async () => await Promise.reject(new Error('missing')),
	};
	return { selection, begun };
}
const all = async (selection: UserSelection): Promise<SelectedUser[]> => {
	const found = [];
	for await (const one of selection.users(get)) found.push(one);
	return found;
};
const idsOf = async (selection: UserSelection) => (await all(selection)).map(({ user }) => user.user_id);
const traces = (...ids: string[]) => ids.map((user_id) => fingerprintOf({ user: { user_id, client_user_id: null } }));
const round = (at: number, ...last: string[]) => ({ at, last: traces(...last), began: 0 });

describe('the users behind those who are done', () => {
	it('are all where none is done', async () => {
		const { selection, begun } = listOf(names(3));
		expect(await idsOf(remainingUsers(selection))).toEqual(names(3));
		expect(await idsOf(remainingUsers(selection, round(0)))).toEqual(names(3));
		// Each read once: nobody has to be looked for.
		expect(begun).toEqual([0, 0]);
	});

	it('follow the last of these that is found, a little further back than it was', async () => {
		const { selection, begun } = listOf(names(500));
		const found = await idsOf(remainingUsers(selection, round(300, 'u297', 'u299', 'gone')));
		expect(found).toEqual(names(500).slice(300));
		// Looked for from 100 before; read on behind what was looked through.
		expect(begun).toEqual([200, 400]);
	});

	it.each([
		['80 have left before them', names(500).slice(80)],
		['80 have come before them', [...names(80).map((id) => `new ${id}`), ...names(500)]],
	])('are the same when %s', async (_, ids) => {
		const { selection } = listOf(ids);
		expect(await idsOf(remainingUsers(selection, round(300, 'u299')))).toEqual(names(500).slice(300));
	});

	it('are all of them, from the beginning, when none of these is found any more', async () => {
		const { selection } = listOf(names(500).slice(OVERLAP + 1));
		expect(await idsOf(remainingUsers(selection, round(300, 'u150')))).toEqual(names(500).slice(OVERLAP + 1));
	});

	it('each come once where the list ends before what is looked through', async () => {
		const { selection, begun } = listOf(names(12));
		expect(await idsOf(remainingUsers(selection, round(10, 'u9')))).toEqual(['u10', 'u11']);
		expect(begun).toEqual([0]);
		expect(await idsOf(remainingUsers(selection, round(12, 'u11')))).toEqual([]);
	});

	it('keep their places, and what becomes of one who is missing', async () => {
		const { selection } = listOf(names(250));
		const going = remainingUsers(selection, round(200, 'u199'));
		expect((await all(going)).map(({ place }) => place)).toEqual(Array.from({ length: 50 }, (_, i) => 201 + i));
		await expect(going.whenMissing(get, {} as never)).rejects.toThrow('missing');
	});

	it('of a list that was given are found in the list itself', async () => {
		const entries = names(300).map((id, index) => ({ id, at: index + 1 }));
		const { selection, begun } = listOf(names(300), entries);
		const last = [fingerprintOf({ entry: entries[149] })];
		expect(await idsOf(remainingUsers(selection, { at: 150, last, began: 0 }))).toEqual(names(300).slice(150));
		expect(await idsOf(remainingUsers(selection, { at: 150, last: ['gone'], began: 0 }))).toEqual(names(300));
		expect(begun).toEqual([150, 0]);
	});
});

describe('what is remembered', () => {
	const finished = (count: number) => names(count).map((trace, index) => ({ trace, place: index + 1 }));

	it('is the place of the last who is done, and the last twenty of them', () => {
		const { at, last, began } = checkpointAfter({ at: 3, last: ['x'], began: 7 }, finished(50));
		expect([at, last, began]).toEqual([50, names(50).slice(30), 7]);
	});

	it('is what it was when nobody got done', () => {
		expect(checkpointAfter({ at: 3, last: ['x'], began: 7, newest: 5 }, [])).toEqual({
			at: 3,
			last: ['x'],
			began: 7,
			newest: 5,
		});
	});
});

it('counts the users, and says so only once the list has come to its end', async () => {
	const list = counted(listOf(names(3)).selection);
	for await (const one of list.users(get)) {
		expect(list.count).toBeUndefined();
		if (one.place === 2) break;
	}
	expect(list.count).toBeUndefined();
	expect(await idsOf(list)).toEqual(names(3));
	expect(list.count).toBe(3);
});

it('who is on the list no more is asked for by user ID, and whoever is gone is no error', async () => {
	const left = unlistedUsers(['u1', 'u2']);
	expect((await all(left)).map(({ user, place }) => [user, place])).toEqual([
		[{ user_id: 'u1', client_user_id: null }, 0],
		[{ user_id: 'u2', client_user_id: null }, 0],
	]);
	expect(await left.whenMissing(get, {} as never)).toBeUndefined();
});
