/**
 * Checkpoint of a round that takes several polls: which users remain. The list may move in between, so the last users done are
 * looked for near their old position.
 */
import { sleep } from 'n8n-workflow';
import type { Get } from '../http/client';
import type { SelectedUser, ListEntry, HasFailed, UserSelection } from '../service/userSelection';
import { quietly } from '../shared/concurrentMap';
import type { Checkpoint } from './state';
import { doneKeyOf, failedUserKey, fingerprintOf, type Listed } from './watchList';

/** Number of saved fingerprints, of the users done last. */
const REMEMBERED = 20;

/** How many users before and after the old position are searched for them. */
export const OVERLAP = 100;

/** A result that was taken: of one user, or of one page of the user list. */
export interface DoneUser {
	/** Key in the saved state. */
	key?: string;
	/** Infinity for a user who is not on the list, or is read after it. */
	place: number;
	/** For the checkpoint. */
	fingerprint: string;
	doneKey: () => string;
	hasRecovered: boolean;
}

export const doneUser = ({ user, entry, place }: Listed & { place: number }, hasRecovered = false): DoneUser => ({
	key: failedUserKey({ user, entry }),
	place,
	fingerprint: fingerprintOf({ user, entry }),
	doneKey: () => doneKeyOf({ user, entry }),
	hasRecovered,
});

/**
 * @param finished in the order of the list: the next poll resumes after the last of them
 * @param more what is not empty of it is saved
 */
export function checkpointAfter(
	checkpoint: Checkpoint,
	finished: Array<{ fingerprint: string; place: number }>,
	{ done = [], limited = [], hangs = false }: { done?: string[]; limited?: string[]; hangs?: boolean } = {},
): Checkpoint {
	const last = finished.slice(-REMEMBERED).map(({ fingerprint }) => fingerprint);
	const { at, began, newest, sure = began } = checkpoint;
	return {
		at,
		last: checkpoint.last,
		began,
		...(newest !== undefined && { newest }),
		...(sure < began && { sure }),
		...(finished.length > 0 && { at: finished.at(-1)!.place, last }),
		...(done.length > 0 && { done }),
		...(limited.length > 0 && { limited }),
		...(hangs && { hangs: true as const }),
	};
}

/** Whether the round has read a user in an earlier poll. */
export function doneBefore(checkpoint?: Checkpoint): (user: SelectedUser) => boolean {
	const done = new Set(checkpoint?.done);
	return (user) => done.has(doneKeyOf(user));
}

/** The users after the position of the checkpoint, in the order of the list; all users where no fingerprint is found. */
export async function* remainingUsers(
	get: Get,
	selection: UserSelection,
	checkpoint?: Checkpoint,
	hasFailed?: HasFailed,
): AsyncGenerator<SelectedUser> {
	const { entries } = selection;
	if (!checkpoint || checkpoint.at === 0) return yield* selection.users(get, 0, hasFailed);
	if (entries) return yield* selection.users(get, positionAfter(entries, checkpoint), hasFailed);

	const near: SelectedUser[] = [];
	let isFound = false;
	for await (const one of selection.users(get, Math.max(0, checkpoint.at - OVERLAP))) {
		// Before the end of the list, because its last page may be slow.
		if (isFound) yield one;
		else near.push(one);
		isFound ||= fingerprintOf(one) === checkpoint.last.at(-1);
		if (near.length >= 2 * OVERLAP) break;
	}
	// The users after the last one done, if any of them are unread: also where the search ended with that one.
	const done = near.map((one) => checkpoint.last.includes(fingerprintOf(one))).lastIndexOf(true);
	if (done === -1) return yield* selection.users(get);
	yield* near.slice(done + 1);
	if (near.length >= 2 * OVERLAP) yield* selection.users(get, near.at(-1)!.place);
}

/** How long the first users of a list wait for the urgent ones. Not for a further page, which may be slow. */
const URGENT_WAIT_MS = 200;

/** Users in their order, but urgent ones, which have the place Infinity, first: others wait shortly for so many of them. */
export async function* urgentFirst(users: AsyncGenerator<SelectedUser>, count: number): AsyncGenerator<SelectedUser> {
	const waiting: SelectedUser[] = [];
	let missing = count;
	let wait: Promise<void> | undefined;
	try {
		for (;;) {
			const next = quietly(users.next());
			if (waiting.length > 0) wait ??= sleep(URGENT_WAIT_MS);
			if (wait && missing > 0 && (await Promise.race([next, wait]).catch(() => undefined)) === undefined) missing = 0;
			if (missing === 0) yield* waiting.splice(0);
			const { done, value } = await next;
			if (done) break;
			if (value.place === Infinity) missing = Math.max(0, missing - 1);
			if (value.place === Infinity) yield value;
			else waiting.push(value);
		}
		yield* waiting;
	} finally {
		// Not awaited: a page of the list may be on its way.
		void quietly(users.return(undefined));
	}
}

/** The users with these IDs. The list is read no further than to the last of them. */
export async function* usersById(get: Get, selection: UserSelection, ids: string[]): AsyncGenerator<SelectedUser> {
	const missing = new Set(ids);
	for await (const one of selection.users(get)) {
		if (missing.delete(one.user.user_id)) yield one;
		if (missing.size === 0) return;
	}
}

/** Failed users in the order of their keys: the oldest attempt first. */
export function* inOrderOf(keys: string[], users: SelectedUser[]): Generator<SelectedUser> {
	const order = new Map(keys.map((key, index) => [key, index]));
	const rankOf = (user: SelectedUser) => order.get(failedUserKey(user)!) ?? 0;
	for (const user of users.sort((a, b) => rankOf(a) - rankOf(b))) yield { ...user, place: Infinity };
}

/** How many entries of a list are done. */
function positionAfter(entries: readonly ListEntry[], { at, last }: Checkpoint): number {
	const start = Math.max(0, at - OVERLAP);
	const near = entries.slice(start, at + OVERLAP).map((entry) => last.includes(fingerprintOf({ entry })));
	const found = near.lastIndexOf(true);
	return found === -1 ? 0 : start + found + 1;
}

/** Failed users who are no longer on the list. The service not knowing them either is no error: they have left the team. */
export const unlistedUsers = (ids: string[]): UserSelection => ({
	async *users() {
		for (const user_id of ids) yield { user: { user_id, client_user_id: null }, place: Infinity };
	},
	whenMissing: async () => {},
});
