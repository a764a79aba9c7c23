/**
 * Accumulator of a poll round: takes users' results in any order, filters changes, and makes the rows to emit and the state to save.
 */
import type { IDataObject } from 'n8n-workflow';
import type { SelectedUser, UserSelection } from '../service/userSelection';
import {
	detectChanges,
	MAX_ROWS_PER_POLL,
	SeenReadings,
	takeOldest,
	toItem,
	UserWindows,
	type ChangedRow,
	type TimeWindow,
	type WindowOptions,
} from './detectChanges';
import type { EventResult, TriggerEvent } from './events';
import { FailedUsers } from './failedUsers';
import { checkpointAfter, doneUser, type DoneUser } from './resume';
import { isWanted } from './settings';
import { moveWindow, type Checkpoint, type Threshold, type TriggerState } from './state';
import { doneKeyOf, failedUserKey, unresolvedKey, WatchList, type Listed } from './watchList';

export interface ResultOptions extends WindowOptions {
	/** A row that reaches none of them is remembered, not emitted. */
	thresholds: Threshold[];
}

export class RoundResults {
	readonly failedUsers: FailedUsers;
	/** Hash of the team. */
	team?: string;
	private readonly watchList: WatchList;
	private readonly seen: SeenReadings;
	private readonly windows: UserWindows;
	private readonly checkpoint: Checkpoint;
	private readonly done: DoneUser[] = [];
	/** Rows to emit. */
	private readonly found: Array<{ row: ChangedRow; user: DoneUser }> = [];
	/** Places of the users who were listed and have no result yet. */
	private readonly open = new Set<number>();
	/** Hashes of the users that an earlier poll of the round has read, and that this one has not listed. */
	private readonly doneBefore: Set<string>;
	successes = 0;
	/** Failures since the last success. */
	failuresInARow = 0;

	constructor(
		private readonly event: TriggerEvent,
		private readonly selection: UserSelection,
		private readonly before: TriggerState,
		private readonly options: ResultOptions,
	) {
		this.failedUsers = new FailedUsers(before.behind, before.overdue);
		this.watchList = new WatchList(selection.entries, before.members);
		this.seen = new SeenReadings(before.seen);
		this.windows = new UserWindows(this.seen, this.watchList, before, options);
		this.checkpoint = { ...(before.round ?? { at: 0, last: [], began: options.now }) };
		this.doneBefore = new Set(before.round?.done);
		this.team = before.team;
	}

	get isEmpty() {
		return this.done.length === 0;
	}

	get isFull() {
		return this.found.length >= MAX_ROWS_PER_POLL;
	}

	/** How many results of listed users are missing. */
	get openCount() {
		return this.open.size;
	}

	/** Whether the round is that of one user, who failed: there is no other to go on with. */
	get isOnlyUserFailed() {
		const isAlone = !this.before.round && this.openCount === 0 && new Set(this.done.map(({ key }) => key)).size === 1;
		return isAlone && this.successes === 0 && this.failedUsers.problemCount > 0;
	}

	/** Whether a limit, while others were answered later, or its end kept the last poll from reading this user too. */
	wasStopped = (listed: Listed) => this.before.round?.limited?.includes(doneKeyOf(listed)) ?? false;

	/** Notes a user who is going to be read. An entry that is resolved again is read from where its failure began. */
	expect(listed: SelectedUser) {
		const { entry, user, place } = listed;
		this.open.add(place);
		this.windows.expect(listed);
		if (!entry || !user.user_id) return;
		this.failedUsers.rename(unresolvedKey(entry), this.watchList.isNew(listed) ? undefined : user.user_id);
	}

	/** Of the reads (ms). */
	windowStartOf = (userId = ''): number => this.failedUsers.get(userId)?.from ?? this.windows.startOf(userId);

	/** Notes a user that an earlier poll of the round has read. */
	skip(listed: SelectedUser) {
		this.doneBefore.delete(this.pass(listed).doneKey());
	}

	/** Notes a failed user, who is read after the others: the round goes on without a result. */
	hold(listed: SelectedUser): SelectedUser {
		this.failedUsers.meet(failedUserKey(listed)!, this.checkpoint.began);
		this.watchList.add(listed);
		this.pass(listed);
		return listed;
	}

	/** The round goes on after this user. */
	private pass(listed: Pick<EventResult, 'user' | 'entry' | 'place'>, hasRecovered = false): DoneUser {
		const done = doneUser(listed, hasRecovered);
		this.open.delete(listed.place);
		this.done.push(done);
		return done;
	}

	/** Detects and filters the changes of a user who was read; notes a user who could not be read. */
	take(result: EventResult) {
		const { failedUsers, windows } = this;
		const { rows, problem, isGone } = result;
		this.noteEntry(result);
		const key = failedUserKey(result);
		const failed = key === undefined ? undefined : failedUsers.get(key);
		const done = this.pass(result, Boolean(failed && !problem && !isGone));
		this.failuresInARow = problem ? this.failuresInARow + 1 : 0;
		if (problem) return failedUsers.fail(key!, problem, windows.afterFailure(result), this.checkpoint.began);
		this.successes++;
		const newest = this.detect(rows, done, windows.of(result, failed));
		if (newest !== undefined && !failed) this.checkpoint.newest = Math.max(this.checkpoint.newest ?? newest, newest);
		if (isGone && failed) failedUsers.remove(key!);
	}

	/** Moves a limited user behind the others, with an own time window, so that the round can end. */
	setAside(result: EventResult) {
		this.watchList.add(result);
		this.failedUsers.setAside(failedUserKey(result)!, this.windows.afterFailure(result), this.checkpoint.began);
		this.pass(result);
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

	/** @returns the time of the newest reading */
	private detect(rows: IDataObject[], user: DoneUser, window: TimeWindow): number | undefined {
		const { event, seen, options, before } = this;
		const { changes, old, newest } = detectChanges(event, rows, seen, window);
		for (const row of old) seen.remember(row);
		for (const row of changes) {
			if (isWanted(row, options.thresholds, before.past)) this.found.push({ row, user });
			else seen.remember(row);
		}
		return newest;
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

	/**
	 * @param isComplete whether the list came to its end
	 * @param stopped users with a limit of the service while others were answered, or cut off by the end of the poll
	 */
	emitAndSave(
		isComplete: boolean,
		{ hangs = false, stopped = [] }: { hangs?: boolean; stopped?: EventResult[] } = {},
	): { items: IDataObject[]; recovered: number; state: TriggerState } {
		const { failedUsers, seen, watchList, before, team, checkpoint } = this;
		const { now, lookback } = this.options;
		const { emitted, left } = takeOldest(this.found, now);
		for (const { row } of emitted) seen.remember(row);
		const unfinished = new Set(left.map(({ user }) => user));
		const finished = this.done.filter((user) => !unfinished.has(user));
		const recovered = finished.filter(({ hasRecovered }) => hasRecovered);
		for (const { key } of recovered) failedUsers.remove(key!);

		// The next poll resumes at the first user without a result or with rows left.
		const openPlaces = [...this.open, ...[...unfinished].map(({ place }) => place)];
		const firstOpen = openPlaces.reduce((first, place) => Math.min(first, place), Infinity);
		const passed = this.done.filter(({ place }) => place < firstOpen).sort((a, b) => a.place - b.place);
		const behind = finished.filter(({ place }) => place > firstOpen && place < Infinity);
		const more = {
			done: [...this.doneBefore, ...behind.map(({ doneKey }) => doneKey())],
			limited: stopped.filter(({ place }) => this.open.has(place)).map(doneKeyOf),
			hangs,
		};
		// Rows that are left of a user who is not on the list, or was read after it, are found by the user's own window.
		const isDone = isComplete && firstOpen === Infinity;
		const sure = (checkpoint.sure = Math.min(checkpoint.sure ?? checkpoint.began, this.options.clock.confirmedNow()));
		const past = before.past?.filter(({ until }) => !isDone || until > checkpoint.began);
		const { from, kept } = isDone ? moveWindow(before, { now: sure, newest: checkpoint.newest }, lookback) : before;
		const begun = isDone && this.selection.isConnectedOnly ? before.since : undefined;
		const published = before.published ?? (begun === undefined ? -Infinity : Math.min(begun, sure));
		const state: TriggerState = {
			version: 1,
			node: before.node,
			of: before.of,
			...(team !== undefined && { team }),
			turn: before.turn + (emitted.length > 0 ? 1 : 0),
			from,
			kept,
			...(!isDone && { since: before.since, round: checkpointAfter(checkpoint, passed, more) }),
			seen: seen.toSave(kept, failedUsers.windows(watchList.prefixOf)),
			behind: failedUsers.toSave(),
			...(failedUsers.isOverdue && { overdue: true as const }),
			...(watchList.isGiven && { members: watchList.toSave() }),
			...(before.minimums && { minimums: before.minimums }),
			...(past?.length && { past }),
			...(published > kept && { published }),
			...(before.told !== undefined && { told: before.told }),
		};
		return { items: emitted.map(({ row }) => toItem(this.event, row)), recovered: recovered.length, state };
	}
}
