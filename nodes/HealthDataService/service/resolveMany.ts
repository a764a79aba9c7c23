/**
 * Who has a client user ID, for many at once: each is asked for, or all are looked for in the team's list, whatever takes fewer
 * requests.
 */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, type Get } from '../http/client';
import { mapInOrder } from '../shared/mapInOrder';
import { Problem } from '../shared/problem';
import { text } from '../shared/values';
import { userPage } from './userPage';
import { userPages } from './userPages';
import { resolveUser } from './users';

/** The record of the user, nothing where nobody has the ID, or why that is not known. */
export interface Resolved {
	user?: IDataObject;
	problem?: Problem;
}

export interface ResolveRequest {
	/** The client user ID. */
	id: string;
	/** Whether it could not be resolved the last time: it gets a single attempt. */
	hasFailed?: boolean;
}

/** For fewer, a page of the list only to learn how long it is would be a waste. */
const WORTH_A_LOOK = 8;

/** How many are asked for before the first is wanted, and how many where all may not be wanted. */
const WIDTH = 64;
const LAZY_WIDTH = 4;

/**
 * In the order of the IDs.
 *
 * @param isLazy somebody may stop long before the end
 */
export async function* resolveMany(
	get: Get,
	asked: readonly ResolveRequest[],
	isLazy: boolean,
): AsyncGenerator<Resolved> {
	const isFew = isLazy || asked.length < WORTH_A_LOOK;
	const known = isFew ? new Map<string, IDataObject>() : await fromList(get, asked);
	yield* mapInOrder(
		each(asked),
		{ width: isLazy ? LAZY_WIDTH : WIDTH },
		async ({ id, hasFailed }, isCancelled): Promise<Resolved> => {
			if (known.has(id)) return { user: known.get(id) };
			return await resolveUser(get, id, { isCancelled, ...(hasFailed && SINGLE_ATTEMPT) }).then(
				(user) => ({ user }),
				problemOfOne,
			);
		},
	);
}

/** @throws what every other request would end with, too */
function problemOfOne(error: unknown): Resolved {
	if (error instanceof Problem && !error.concernsAll) return { problem: error };
	throw error;
}

/** As many of them as the list has, as long as reading on takes fewer requests than asking for the others. */
async function fromList(get: Get, asked: readonly ResolveRequest[]) {
	const found = new Map<string, IDataObject>();
	const wanted = new Set(asked.map(({ id }) => id));
	const take = (users: IDataObject[]) => {
		for (const user of users) {
			const id = text(user.client_user_id);
			if (wanted.delete(id)) found.set(id, user);
		}
	};
	await readList(get, take, () => wanted.size).catch(ignoreProblem);
	return found;
}

/** The list is only the shorter way: what concerns everything comes back with the next request. */
function ignoreProblem(error: unknown) {
	if (!(error instanceof Problem)) throw error;
}

async function readList(get: Get, take: (users: IDataObject[]) => void, wanted: () => number) {
	const { users, total = 0 } = await userPage(get, 0);
	const size = users.length;
	let done = size;
	const isWorthIt = () => done < total && Math.ceil((total - done) / size) < wanted();
	take(users);
	if (!isWorthIt()) return;
	for await (const page of userPages(get, { offset: size, limit: total - size })) {
		take(page);
		done += page.length;
		if (!isWorthIt()) return;
	}
}

async function* each<T>(things: Iterable<T>) {
	yield* things;
}
