/**
 * Fake team: its user list, which may change while it is read, and Resolve. Records its requests and the users who stay; answers
 * requests in their order, some later than others.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get, RequestOptions } from '../../nodes/HealthDataService/http/client';
import { Problem } from '../../nodes/HealthDataService/shared/problem';

/** What happens before a request is answered: places are counted modulo the length of the list. */
export type Move = { leaves: number } | { joins: number } | { firstToEnd: number };

export interface TeamOptions {
	/** Users `u0`, `u1` and so on with the client user IDs `c0`, `c1`. */
	size: number;
	/** Other users of the list. */
	records?: IDataObject[];
	/** Most users on a page, of each request or in turn. */
	cap?: number | number[];
	/** What the page says, from the right total, the users of the page and the number of the request. */
	total?: (right: number, onPage: number, request: number, offset: number) => unknown;
	/** Per request. */
	moves?: Move[][];
	ignores?: { offset?: boolean; limit?: boolean };
	/** Status of the answer to a page that begins after the last user. */
	failsAtEnd?: number;
	/** An error in place of a page. */
	fails?: (query: { offset: number; limit: number }, request: number) => Error | undefined | false;
	/** Answers of Resolve in place of the record, by client user ID. */
	resolves?: Record<string, () => unknown>;
	/** Turns of the event loop that an answer takes, request by request. */
	turns?: number[];
}

export interface Asked {
	path: string;
	offset: number;
	limit: number;
	once?: RequestOptions;
}

const LIST = '/v2/user';

export function movingTeam({
	size,
	records = Array.from({ length: size }, (_, i): IDataObject => ({ user_id: `u${i}`, client_user_id: `c${i}` })),
	cap = 500,
	total = (right) => right,
	moves = [],
	ignores = {},
	failsAtEnd,
	fails = () => undefined,
	resolves = {},
	turns = [],
}: TeamOptions) {
	const idOf = ({ user_id: id }: IDataObject) => String(id);
	const first = records.map(idOf);
	const places = new Map(first.map((id, at) => [id, { lowest: at, highest: at }]));
	let team = records;
	let joined = 0;
	const asked: Asked[] = [];

	const move = (one: Move) => {
		if ('leaves' in one) team = team.filter((_, at) => at !== one.leaves % team.length);
		else if ('joins' in one) {
			const at = one.joins % (team.length + 1);
			team = [...team.slice(0, at), { user_id: `j${joined++}` }, ...team.slice(at)];
		} else team = [...team.slice(one.firstToEnd), ...team.slice(0, one.firstToEnd)];
		const ids = new Set(team.map(idOf));
		for (const id of places.keys()) if (!ids.has(id)) places.delete(id);
		[...ids].forEach((id, at) => {
			const place = places.get(id);
			if (place) places.set(id, { lowest: Math.min(place.lowest, at), highest: Math.max(place.highest, at) });
		});
	};

	const page = async (query: { offset: number; limit: number }, request: number) => {
		for (const one of moves[request - 1] ?? []) move(one);
		const caps = [cap].flat();
		const offset = ignores.offset ? 0 : query.offset;
		const isBehind = offset >= team.length && offset > 0;
		const length = Math.min(ignores.limit ? Infinity : query.limit, caps[(request - 1) % caps.length]);
		const users = team.slice(offset, offset + length);
		// An empty first page with another total is an error.
		const answer = { users, total: team.length === 0 ? 0 : total(team.length, users.length, request, offset) };
		for (let turn = turns[request % turns.length] ?? 0; turn > 0; turn--) await null;
		const error = fails(query, request);
		if (error) throw error;
		if (failsAtEnd && isBehind) throw new Problem('Refused', '', { httpCode: String(failsAtEnd) });
		return answer;
	};

	const get = (async (path: string, query: Asked, onMissing: () => unknown, once?: RequestOptions) => {
		const request = asked.push({ ...query, path, once });
		if (path === LIST) return await page(query, request);
		const id = decodeURIComponent(path.replace(`${LIST}/resolve/`, ''));
		if (resolves[id]) return await resolves[id]();
		return team.find(({ client_user_id: one }) => one === id) ?? onMissing();
	}) as unknown as Get;

	return {
		get,
		asked,
		/** Number of requests. */
		count: () => {
			const lists = asked.filter(({ path }) => path === LIST).length;
			return { lists, resolves: asked.length - lists };
		},
		/** Users on the list all the time, and never outside these places, in order. */
		stayed: (from = 0, to = Infinity) =>
			first.filter((id) => places.has(id) && places.get(id)!.lowest >= from && places.get(id)!.highest < to),
	};
}

/** A user list that gives these IDs, whatever is asked for. */
export const listOf = (idsOfRequest: (request: number) => unknown[], total?: unknown): Get => {
	let request = 0;
	return (async () => ({ users: idsOfRequest(request++).map((user_id) => ({ user_id })), total })) as unknown as Get;
};

/** All users of the pages. */
export async function idsOf(pages: AsyncIterable<{ users: IDataObject[] }>): Promise<unknown[]> {
	const ids: unknown[] = [];
	for await (const { users } of pages) ids.push(...users.map(({ user_id }) => user_id));
	return ids;
}

/** A total is wrong in one of these ways. */
export const TOTALS: Record<string, NonNullable<TeamOptions['total']>> = {
	right: (right) => right,
	missing: () => undefined,
	zero: () => 0,
	negative: () => -1,
	'of the page': (_, onPage) => onPage,
	'too small': (right) => Math.floor(right / 2),
	'one too small': (right) => right - 1,
	'too large': (right) => right + 1000,
	growing: (right, _, request) => right + request,
	shrinking: (right, _, request) => right - request,
	flickering: (right, _, request) => (request % 2 ? right : 3),
	text: (right) => String(right),
	null: () => null,
	'not whole': (right) => right + 0.5,
	'beyond counting': () => Infinity,
};
