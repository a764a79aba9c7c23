/**
 * Changing user list that records its permanent users and its requests. Answers requests in their order, some later than others;
 * users move between two requests.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get, RequestOptions } from '../../nodes/HealthDataService/http/client';
import { Problem } from '../../nodes/HealthDataService/shared/problem';

/** What happens before a request is answered: places are counted modulo the length of the list. */
export type Move = { leaves: number } | { joins: number };

export interface TeamOptions {
	size: number;
	/** Most users on a page, of each request or in turn. */
	cap?: number | number[];
	/** What the page says, from the right total, the users of the page and the number of the request. */
	total?: (right: number, onPage: number, request: number, offset: number) => unknown;
	/** Per request. */
	moves?: Move[][];
	ignores?: { offset?: boolean; limit?: boolean };
	/** Status of the answer to a page that begins after the last user. */
	failsAtEnd?: number;
	/** Turns of the event loop that an answer takes, request by request. */
	turns?: number[];
}

export interface Asked {
	offset: number;
	limit: number;
	once?: RequestOptions;
}

export function movingTeam({
	size,
	cap = 500,
	total = (right) => right,
	moves = [],
	ignores = {},
	failsAtEnd,
	turns = [],
}: TeamOptions) {
	const first = Array.from({ length: size }, (_, i) => `u${i}`);
	const places = new Map(first.map((id, at) => [id, { lowest: at, highest: at }]));
	let team = first;
	let joined = 0;
	const asked: Asked[] = [];

	const move = (one: Move) => {
		if ('leaves' in one) team = team.filter((_, at) => at !== one.leaves % team.length);
		else {
			const at = one.joins % (team.length + 1);
			team = [...team.slice(0, at), `j${joined++}`, ...team.slice(at)];
		}
		for (const id of places.keys()) if (!team.includes(id)) places.delete(id);
		team.forEach((id, at) => {
			const place = places.get(id);
			if (place) places.set(id, { lowest: Math.min(place.lowest, at), highest: Math.max(place.highest, at) });
		});
	};

	const get = (async (_: string, query: { offset: number; limit: number }, __: unknown, once?: RequestOptions) => {
		const request = asked.push({ ...query, once });
		for (const one of moves[request - 1] ?? []) move(one);
		const offset = ignores.offset ? 0 : query.offset;
		const isBehind = offset >= team.length && offset > 0;
		const users = team
			.slice(
				offset,
				ignores.limit ? undefined : offset + Math.min(query.limit, [cap].flat()[(request - 1) % [cap].flat().length]),
			)
			.map((user_id): IDataObject => ({ user_id }));
		// An empty first page with another total is an error.
		const answer = { users, total: team.length === 0 ? 0 : total(team.length, users.length, request, offset) };
		for (let turn = turns[request % turns.length] ?? 0; turn > 0; turn--) await null;
		if (failsAtEnd && isBehind) throw new Problem('Refused', '', { httpCode: String(failsAtEnd) });
		return answer;
	}) as unknown as Get;

	return {
		get,
		asked,
		/** Users on the list all the time, and never outside these places, in order. */
		stayed: (from = 0, to = Infinity) =>
			first.filter((id) => places.has(id) && places.get(id)!.lowest >= from && places.get(id)!.highest < to),
	};
}

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
