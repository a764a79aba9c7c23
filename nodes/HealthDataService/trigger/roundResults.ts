/**
 * Accumulator of a poll round: takes the result of each user, in any order, detects and filters changes, and makes the rows to emit
 * and the state to save.
 */
import type { IDataObject } from 'n8n-workflow';
import type { SelectedUser, UserSelection } from '../service/userSelection';
import { detectChanges, SeenReadings, toItem, type ChangedRow } from './detectChanges';
import type { EventResult, TriggerEvent } from './events';
import { FailedUsers } from './failedUsers';
import { checkpointAfter } from './resume';
import { reachesThreshold } from './settings';
import {
	moveWindow,
	withThresholds,
	type Checkpoint,
	type FailedUser,
	type Threshold,
	type TriggerState,
} from './state';
import { failedUserKey, fingerprintOf, unresolvedKey, WatchList } from './watchList';

/** Most rows of one poll: n8n and every node after the trigger keep them in memory. */
export const MAX_ROWS_PER_POLL = 10_000;

export interface ResultOptions {
	/** Before anything is read (ms): readings that arrive meanwhile must stay inside the window. */
	now: number;
	/** ms */
	lookback: number;
	/** Whether watching starts with this poll. */
	isFirst: boolean;
	/** A row that reaches none of them is remembered, not emitted. */
	thresholds: Threshold[];
}

/** One user, or one page of the user list, whose result was taken. */
interface DoneUser {
	/** Key in the saved state. */
	key?: string;
	/** Infinity for a user who is not on the list. */
	place: number;
	fingerprint: string;
	hasRecovered: boolean;
}

/** A row to emit, and its user. */
export interface FoundRow {
	row: ChangedRow;
	user: DoneUser;
}

export class RoundResults {
	readonly failedUsers: FailedUsers;
	/** Hash of the team. */
	team?: string;
	private readonly watchList: WatchList;
	private readonly seen: SeenReadings;
	private readonly checkpoint: Checkpoint;
	private readonly done: DoneUser[] = [];
	private readonly found: FoundRow[] = [];
	/** Places of the users who were listed and have no result yet. */
	private readonly open = new Set<number>();
	private successes = 0;

	constructor(
		private readonly event: TriggerEvent,
		{ entries }: UserSelection,
		private readonly before: TriggerState,
		private readonly options: ResultOptions & { windowStart: number },
	) {
		this.failedUsers = new FailedUsers(before.behind);
		this.watchList = new WatchList(entries, before.members);
		this.seen = new SeenReadings(before.seen);
		this.checkpoint = { ...(before.round ?? { at: 0, last: [], began: options.now }) };
		this.team = before.team;
	}

	get isEmpty() {
		return this.done.length === 0;
	}

	get isFull() {
		return this.found.length >= MAX_ROWS_PER_POLL;
	}

	/** Whether results of listed users are missing. */
	get hasOpen() {
		return this.open.size > 0;
	}

	/** Whether every user of a whole round failed: then the cause is not a single user. */
	get hasNoSuccess() {
		return this.successes === 0 && this.failedUsers.hasProblems && !this.before.round;
	}

	/** Notes a user who is going to be read. An entry that is resolved again is read from where its failure began. */
	expect(listed: SelectedUser) {
		const { entry, user, place } = listed;
		this.open.add(place);
		if (!entry || !user.user_id) return;
		this.failedUsers.rename(unresolvedKey(entry), this.watchList.isNew(listed) ? undefined : user.user_id);
	}

	/** Detects and filters the changes of a user who was read; notes a user who could not be read. */
	take(result: EventResult) {
		const { failedUsers, watchList, before } = this;
		const { place, rows, problem, isGone } = result;
		const isNew = watchList.isNew(result);
		this.noteEntry(result);
		const key = failedUserKey(result);
		const failed = key === undefined ? undefined : failedUsers.get(key);
		const since = failed ? failed.since : isNew ? this.options.now : before.since;
		const hasRecovered = Boolean(failed && !problem && !isGone);
		const done = { key, place, fingerprint: fingerprintOf(result), hasRecovered };
		this.open.delete(place);
		this.done.push(done);
		if (problem) {
			// From `kept`: a clock that was ahead may have moved the window too far.
			failedUsers.fail(key!, problem, { from: before.kept, since }, this.checkpoint.began);
			return;
		}
		this.successes++;
		this.detect(rows, done, { failed, since, isNew });
		if (isGone && failed) failedUsers.remove(key!);
	}

	/** A failed user whose entry is unresolved now stays failed, under the entry's key. */
	private noteEntry(result: EventResult) {
		const { failedUsers, watchList } = this;
		const { entry, user } = result;
		watchList.add(result);
		if (!entry || user?.user_id) return;
		const userId = failedUsers.keys.find((key) => watchList.hasNamed(entry, key));
		failedUsers.rename(userId, unresolvedKey(entry));
	}

	private detect(
		rows: IDataObject[],
		user: DoneUser,
		{ failed, since, isNew }: { failed?: FailedUser; since?: number; isNew: boolean },
	) {
		const { event, seen, checkpoint, options } = this;
		const readAt = options.isFirst || isNew ? Date.now() : undefined;
		const window = { start: failed?.from ?? options.windowStart, watchingSince: since, readAt };
		const { changes, old, newest } = detectChanges(event, rows, seen, window);
		for (const row of old) seen.remember(row);
		for (const row of changes) {
			if (this.isWanted(row.row)) this.found.push({ row, user });
			else seen.remember(row);
		}
		if (newest !== undefined && !failed) checkpoint.newest = Math.max(checkpoint.newest ?? newest, newest);
	}

	/** Thresholds of before a change filter too: in memory, n8n does not save that a row was skipped. */
	private isWanted(row: IDataObject): boolean {
		const { thresholds, isFirst } = this.options;
		return reachesThreshold(thresholds, row) && (isFirst || reachesThreshold(this.before.minimums ?? [], row));
	}

	/** At the end of the list: IDs of failed users who left it. Entries removed from 'User IDs' are forgotten instead. */
	unlisted(): string[] {
		const { failedUsers, watchList, before, checkpoint } = this;
		if (watchList.isGiven) {
			const isListed = watchList.membership();
			for (const key of failedUsers.keys) if (!isListed(key)) failedUsers.remove(key);
			return [];
		}
		const done = new Set(this.done.map(({ key }) => key));
		const wasListed = (id: string) => before.round !== undefined && failedUsers.get(id)!.met === checkpoint.began;
		return failedUsers.keys.filter((id) => !done.has(id) && !wasListed(id));
	}

	/** @param isComplete whether the list came to its end */
	emitAndSave(isComplete: boolean): { emitted: IDataObject[]; recovered: number; state: TriggerState } {
		const { failedUsers, seen, watchList, before, team, checkpoint } = this;
		const { now, lookback, thresholds, isFirst } = this.options;
		const { emitted, left } = takeOldest(this.found, now);
		for (const { row } of emitted) seen.remember(row);

		const unfinished = new Set(left.map(({ user }) => user));
		const finished = this.done.filter((user) => !unfinished.has(user));
		const recovered = finished.filter(({ hasRecovered }) => hasRecovered);
		for (const { key } of recovered) failedUsers.remove(key!);

		// The next poll resumes at the first user without a result or with rows left.
		const firstOpen = [...this.open, ...[...unfinished].map(({ place }) => place)].reduce(
			(first, place) => Math.min(first, place),
			Infinity,
		);
		const passed = this.done.filter(({ place }) => place < firstOpen).sort((a, b) => a.place - b.place);
		const isDone = isComplete && left.length === 0;
		const { began, newest } = checkpoint;
		const { from, kept } = isDone ? moveWindow(before, { now: began, newest }, lookback) : before;
		const state: TriggerState = {
			version: 1,
			node: before.node,
			of: before.of,
			...(team !== undefined && { team }),
			turn: before.turn + (emitted.length > 0 ? 1 : 0),
			from,
			kept,
			...(!isDone && { since: before.since, round: checkpointAfter(checkpoint, passed) }),
			seen: seen.toSave(kept, failedUsers.windows(watchList.prefixOf)),
			behind: failedUsers.toSave(),
			...(watchList.isGiven && { members: watchList.toSave() }),
		};
		return {
			emitted: emitted.map(({ row }) => toItem(this.event, row)),
			recovered: recovered.length,
			state: withThresholds(state, before, thresholds, isFirst),
		};
	}
}

/** The rows to emit, oldest first, and those left, which the next poll finds again. @param now for rows without a time (ms) */
export function takeOldest(found: FoundRow[], now: number): { emitted: FoundRow[]; left: FoundRow[] } {
	const sorted = [...found].sort((a, b) => (a.row.time ?? now) - (b.row.time ?? now));
	return { emitted: sorted.slice(0, MAX_ROWS_PER_POLL), left: sorted.slice(MAX_ROWS_PER_POLL) };
}
