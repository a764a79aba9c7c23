/**
 * A round over all users, or as much of it as one poll may take: what is new, and what to remember of it. A user who cannot be
 * read is set aside; only what concerns everybody is thrown.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/client';
import { userPrefix } from '../service/readingId';
import { allFailed, type Problems } from './failedUsers';
import type { EventResult, ReadOptions, Selection, TriggerEvent } from './events';
import { toItem } from './detectChanges';
import { Gathering, type GatheringOptions } from './gathering';
import { counted, remainingUsers, OVERLAP, unlistedUsers } from './resume';
import type { TriggerState } from './state';

export interface RoundOptions extends GatheringOptions {
	/** By `performance.now()`: no user is begun after that. */
	deadline: number;
	/** How long this poll may take, in ms. */
	budgetMs: number;
}

export interface RoundResult {
	/** In the order of time. */
	items: IDataObject[];
	/** To remember once the items are handed on. */
	state: TriggerState;
	/** Why users could not be read. */
	problems: Problems;
	/** How many of those who were behind have been read. */
	recovered: number;
	/** Set, and nothing else of use, when these are the users of another team than before. */
	otherTeam?: string;
}

/** @throws Problem when nobody could be read, or the list could not */
export async function readRound(
	get: Get,
	event: TriggerEvent,
	scope: Selection,
	state: TriggerState,
	options: RoundOptions,
): Promise<RoundResult> {
	const { deadline, budgetMs } = options;
	const gathering = new Gathering(event, scope, state, options);
	const { members, problems } = gathering;
	const begin = state.round?.at ?? 0;
	const isTimeUp = () => performance.now() >= deadline;
	/** Somebody whom the end of the budget cut off is read in the next poll, unless they alone took most of it. */
	const wasCutOff = ({ problem, tookMs = 0 }: EventResult) =>
		problem !== undefined && isTimeUp() && tookMs < budgetMs / 2;

	const readOptions: ReadOptions = {
		windowStartOf: gathering.windowStartOf,
		window: { offset: Math.max(0, begin - OVERLAP) },
		hasFailed: ({ user_id }) => user_id in state.behind,
		// Whoever is known to be trouble must not use up the poll of the others.
		isTooSlow: ({ user_id }, tookMs) => isTimeUp() || (tookMs > budgetMs / 2 && user_id in state.behind),
		isTimeUp,
	};
	const list = counted(members.recovering(remainingUsers(scope.selection, state.round)));
	for await (const result of event.read(get, { ...scope, selection: list }, readOptions)) {
		// Of the first of the list only: a key may be shown several teams.
		const isFirst = gathering.count === 0 && (begin === 0 || result.place <= OVERLAP);
		const team = isFirst && result.team !== undefined ? userPrefix(result.team) : gathering.team;
		if (gathering.team !== undefined && team !== gathering.team)
			return { items: [], state, problems, recovered: 0, otherTeam: team };
		gathering.team = team;
		if (wasCutOff(result)) break;
		gathering.take(result);
		if (gathering.isFull) break;
	}
	const isWhole = !gathering.isFull && (!isTimeUp() || list.count === gathering.count);
	if (isWhole) {
		if (members.isGiven) members.forgetOthers();
		const left = gathering.notMet();
		const gone = left.length > 0 ? event.read(get, { ...scope, selection: unlistedUsers(left) }, readOptions) : [];
		for await (const result of gone) if (!wasCutOff(result)) gathering.take({ ...result, place: begin });
		if (gathering.isNobodyFine) throw allFailed(problems);
	}
	const { handed, recovered, state: after } = gathering.finish(isWhole);
	return { items: handed.map((row) => toItem(event, row)), state: after, problems, recovered };
}
