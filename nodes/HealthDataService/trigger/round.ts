/**
 * Poll round: reads all users, or as many as one poll may, and passes on what changed. Users → read → detect → filter → emit → save:
 * the first two steps are here, the others in roundResults.ts. Results are taken in any order.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get } from '../http/client';
import { userPrefix } from '../service/readingId';
import type { ListEntry, SelectedUser, UserSelection } from '../service/userSelection';
import type { EventResult, ReadOptions, TriggerEvent, WatchTarget } from './events';
import type { FailedUsers } from './failedUsers';
import { OVERLAP, remainingUsers, unlistedUsers } from './resume';
import { RoundResults, type ResultOptions } from './roundResults';
import { windowStart, type TriggerState } from './state';
import { unresolvedKey } from './watchList';

export interface RoundOptions extends ResultOptions {
	/** By `performance.now()`: no user is started after it. */
	deadline: number;
	/** How long this poll may take, in ms. */
	budgetMs: number;
}

export interface RoundResult {
	/** Oldest first. */
	items: IDataObject[];
	/** To save once the items are emitted. */
	state: TriggerState;
	failedUsers: FailedUsers;
	/** How many failed users were read again. */
	recovered: number;
	/** Set, and all other values invalid, if these users are of another team than before: its hash. */
	otherTeam?: string;
}

/** @throws Problem when no user could be read, or the list could not */
export async function readRound(
	get: Get,
	event: TriggerEvent,
	target: WatchTarget,
	before: TriggerState,
	options: RoundOptions,
): Promise<RoundResult> {
	const { deadline, budgetMs, now, lookback } = options;
	const start = windowStart(before, now, lookback);
	const results = new RoundResults(event, target.selection, before, { ...options, windowStart: start });
	const { failedUsers } = results;
	const position = before.round?.at ?? 0;
	let isListRead = false;

	const isTimeUp = () => performance.now() >= deadline;
	const readOptions: ReadOptions = {
		windowStartOf: (userId = '') => failedUsers.get(userId)?.from ?? start,
		slice: { offset: Math.max(0, position - OVERLAP) },
		hasFailed: ({ user_id }) => user_id in before.behind,
		// A user who failed before must not use up the poll of the others.
		isTooSlow: ({ user_id }, tookMs) => isTimeUp() || (tookMs > budgetMs / 2 && user_id in before.behind),
		isTimeUp,
	};
	/** Whether the end of the poll cut this read off. The next poll repeats it, unless it took most of this one. */
	const isCutOff = ({ problem, tookMs = 0 }: EventResult) =>
		problem !== undefined && isTimeUp() && tookMs < budgetMs / 2;
	/** A key may see users of several teams, so only the first user of the list counts. */
	const teamOf = ({ team, place }: EventResult) =>
		results.isEmpty && (position === 0 || place <= OVERLAP) && team !== undefined ? userPrefix(team) : before.team;

	async function* users(): AsyncGenerator<SelectedUser> {
		const hasFailed = (entry: ListEntry) => failedUsers.get(unresolvedKey(entry)) !== undefined;
		for await (const user of remainingUsers(get, target.selection, before.round, hasFailed)) {
			results.expect(user);
			yield user;
		}
		isListRead = true;
	}
	const read = (selection: UserSelection) => event.read(get, { ...target, selection }, readOptions);

	for await (const result of read({ ...target.selection, users })) {
		const team = teamOf(result);
		if (before.team !== undefined && team !== before.team)
			return { items: [], state: before, failedUsers, recovered: 0, otherTeam: team };
		results.team ??= team;
		if (isCutOff(result)) break;
		results.take(result);
		if (results.isFull) break;
	}
	const isComplete = !results.isFull && (!isTimeUp() || (isListRead && !results.hasOpen));
	if (isComplete) {
		const unlisted = results.unlisted();
		const left = unlisted.length > 0 ? read(unlistedUsers(unlisted)) : [];
		for await (const result of left) if (!isCutOff(result)) results.take(result);
		if (results.hasNoSuccess) throw failedUsers.everyReadFailed();
	}
	const { emitted, recovered, state } = results.emitAndSave(isComplete);
	return { items: emitted, state, failedUsers, recovered };
}
