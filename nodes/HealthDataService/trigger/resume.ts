/**
 * Where a round over all users goes on that takes several polls: behind those who are done, whoever came or left meanwhile.
 */
import type { SelectedUser, UserSelection } from '../service/userSelection';
import { positionAfter, fingerprintOf } from './watchList';
import type { Checkpoint } from './state';

/** So many of the users done last are remembered, and looked for again so far back in the list. */
const REMEMBERED = 20;
export const OVERLAP = 100;

/** Where the next poll goes on when `finished` were read in this one. */
export function checkpointAfter(round: Checkpoint, finished: Array<{ trace: string; place: number }>): Checkpoint {
	const last = finished.slice(-REMEMBERED).map(({ trace }) => trace);
	return { ...round, at: finished.at(-1)?.place ?? round.at, last: finished.length > 0 ? last : round.last };
}

/** The same users, and how many they were once the list has come to its end. */
export function counted(selection: UserSelection): UserSelection & { count?: number } {
	const list: UserSelection & { count?: number } = {
		...selection,
		async *users(get) {
			let count = 0;
			for await (const one of selection.users(get)) {
				count++;
				yield one;
			}
			list.count = count;
		},
	};
	return list;
}

/** The users behind those who are done. The list may have moved since: without a trace of them it is begun again. */
export const remainingUsers = (selection: UserSelection, round?: Checkpoint): UserSelection =>
	!round || round.at === 0
		? selection
		: {
				...selection,
				async *users(get, _, hasFailed) {
					if (selection.entries) {
						const place = positionAfter(selection.entries, round.last, round.at, OVERLAP);
						return yield* selection.users(get, place, hasFailed);
					}
					const near: SelectedUser[] = [];
					const users = selection.users(get, Math.max(0, round.at - OVERLAP));
					for await (const one of users) {
						near.push(one);
						if (near.length >= 2 * OVERLAP) break;
					}
					const done = near.map((one) => round.last.includes(fingerprintOf(one))).lastIndexOf(true);
					if (done === -1) return yield* selection.users(get);
					yield* near.slice(done + 1);
					if (near.length >= 2 * OVERLAP) yield* selection.users(get, near.at(-1)!.place);
				},
			};

/** Those who are behind and on the list no more: whom the service does not know either, has left. */
export const unlistedUsers = (ids: string[]): UserSelection => ({
	async *users() {
		for (const user_id of ids) yield { user: { user_id, client_user_id: null }, place: 0 };
	},
	whenMissing: async () => {},
});
