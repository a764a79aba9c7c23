/** Results of a poll: the rows to emit, and the state to save. */
import type { IDataObject } from 'n8n-workflow';
import { pollRow } from '../service/readings/pollRow';
import type { UserResult } from '../service/readings/readUsers';
import { localTimeIn } from '../shared/dateTime';
import type { Problem } from '../shared/problem';
import type { Clock } from './clock';
import type { Cursors } from './cursors';
import {
	detectChanges,
	SeenReadings,
	toItem,
	type ChangedRow,
	type TimeWindow,
} from './seen';
import type { Settings } from './settings';
import type { Cursor, TriggerState } from './state';

/** Most rows of one poll: n8n and every node after the trigger keep them in memory. */
const MAX_ROWS_PER_POLL = 10_000;

export interface PollResult {
	/** Oldest first. The state is saved once they are emitted. */
	items: IDataObject[];
	state: TriggerState;
	/** Whether a first pass is complete, or a user was read for the first time since watched. */
	hasFirstRead: boolean;
	/** Whether any user was read. */
	hasRead: boolean;
	isListRead: boolean;
	isPassComplete: boolean;
	/** What cut the poll short. */
	throttle?: Problem;
	/** Why else users were not reached. */
	cause: string;
	/** How many users who had failed were read. */
	recovered: number;
	/** Whether the key has changed to one of another team: the results are invalid. */
	isOtherTeam: boolean;
	cursors: Cursors;
}

const POLL_TOO_SHORT = 'The polls end before their turn';
const RATE_TOO_LOW = "'Requests per Second' lets a poll read a part of the users only";

interface Options {
	clock: Clock;
	/** Time zone of `local_time`. */
	zone: string;
}

export interface FoundRow {
	row: ChangedRow;
	result: UserResult;
}

export class PollResults {
	/** Whether the user list was read to its end. */
	isListRead = false;
	/** Whether the users aside had their turn. */
	isAsideDone = false;
	/** A limit of the service for all requests. */
	throttle?: Problem;
	/** Until when nothing is sent (ms since 1970). */
	pausedUntil?: number;
	/** How many users who had failed were read. */
	recovered = 0;
	/** Hash of the team; another one than before makes all results invalid. */
	team?: string;
	/** Users who were read. */
	private readonly reads: UserResult[] = [];
	private readonly found: FoundRow[] = [];
	private readonly seen: SeenReadings;
	/** Time of the newest reading (ms). */
	private newest?: number;
	private hasFirstRead = false;

	constructor(
		private readonly settings: Settings,
		private readonly cursors: Cursors,
		private readonly before: TriggerState,
		private readonly options: Options,
	) {
		this.seen = new SeenReadings(before.seen);
		this.team = before.team;
		this.pausedUntil = before.pausedUntil;
	}

	get isOtherTeam(): boolean {
		const { team } = this.before;
		return team !== undefined && this.team !== team;
	}

	/** Whether no user was read. */
	readonly isEmpty = () => this.reads.length === 0;
	readonly isFull = () => this.found.length >= MAX_ROWS_PER_POLL;

	/** Notes a user who was read: what is old is seen, the rest is emitted. @throws an error for rows that cannot be compared */
	detect(result: UserResult) {
		const { seen } = this;
		const { event, isWanted } = this.settings;
		const cursor = this.cursors.of(result);
		// A user who was read once is not new any more.
		const rows = event.metric || cursor.read === undefined ? result.rows : [];
		const window = this.windowOf(cursor);
		const { changes, old, newest } = detectChanges(event, rows, seen, window, isWanted);
		for (const row of old) seen.remember(row, 'o');
		for (const row of changes) this.found.push({ row, result });
		this.reads.push(result);
		if (newest !== undefined) this.newest = Math.max(this.newest ?? newest, newest);
	}

	private windowOf(cursor: Cursor): TimeWindow {
		const { since } = cursor;
		const { clock } = this.options;
		const start = this.cursors.windowStart(cursor);
		const end = clock.earliest;
		if (since === undefined) return { start, end };
		// Watching begins with this poll: either clock may be the wrong one.
		if (since === clock.time)
			return { start, end, watchingSince: clock.latest, readAt: Date.now() };
		return { start, end, watchingSince: since, readAt: clock.latestNow };
	}

	/**
	 * Moves the cursors of the users whose rows all go out; the others are read again by the next poll.
	 *
	 * @param lastThrottle which may have left so little time that no request of a user was sent
	 */
	finish(lastThrottle?: Problem): PollResult {
		const { before, cursors, isListRead, recovered, isOtherTeam } = this;
		const { target } = this.settings;
		const emitted = this.emit();
		cursors.settle(isListRead);
		const isPassComplete = isListRead && cursors.isPassComplete(this.isAsideDone);
		const state = this.stateAfter(isPassComplete);
		const hasRead = !this.isEmpty();
		const isCutShort = !isPassComplete || !hasRead;
		return {
			items: itemsOf(this.settings, emitted, this.options.zone),
			state,
			hasFirstRead: this.hasFirstRead || (before.pass === 0 && state.pass > 0),
			hasRead,
			isListRead,
			isPassComplete,
			throttle: this.throttle ?? (isCutShort ? lastThrottle : undefined),
			cause: target.requestsPerSecond === undefined ? POLL_TOO_SHORT : RATE_TOO_LOW,
			recovered,
			isOtherTeam,
			cursors,
		};
	}

	/** @returns the rows that go out */
	private emit(): FoundRow[] {
		const { now } = this.options.clock;
		const timeOf = ({ row }: FoundRow) => row.time ?? now;
		const sorted = this.found.sort((a, b) => timeOf(a) - timeOf(b));
		const emitted = sorted.slice(0, MAX_ROWS_PER_POLL);
		for (const { row } of emitted) this.seen.remember(row, 'e');
		const unfinished = new Set(
			sorted.slice(MAX_ROWS_PER_POLL).map(({ result }) => result),
		);
		for (const result of this.reads) {
			if (!unfinished.has(result)) this.moveOn(result);
		}
		return emitted;
	}

	private moveOn(result: UserResult) {
		const { since } = this.cursors.of(result);
		const isUnread = result.isGone && since !== undefined;
		if (isUnread) return this.cursors.skip(result);
		this.hasFirstRead ||= since !== undefined;
		this.cursors.move(result, this.newest);
	}

	private stateAfter(isPassComplete: boolean): TriggerState {
		const { before, cursors, seen, pausedUntil, team } = this;
		const poll = before.poll + 1;
		return {
			...before,
			team,
			poll,
			pass: isPassComplete ? poll + 1 : cursors.pass,
			since: cursors.sinceNext(isPassComplete),
			cursors: cursors.toSave(),
			seen: seen.toSave(cursors.windows),
			pausedUntil,
		};
	}
}

/** The items of *Output*, in the order of the rows. @param zone of `local_time` */
export function itemsOf(
	settings: Settings,
	found: FoundRow[],
	zone: string,
): IDataObject[] {
	const { event, output, limits } = settings;
	const { metric } = event;
	const localTimeOf = localTimeIn(zone);
	if (output === 'readings' || !metric)
		return found.map(({ row }) => toItem(event, row, localTimeOf));
	const byUser = new Map<UserResult, ChangedRow[]>();
	for (const { row, result } of found) {
		const rows = byUser.get(result) ?? [];
		byUser.set(result, rows);
		rows.push(row);
	}
	return [...byUser].map(([{ user, rows }, emitted]) =>
		pollRow(metric, user, { emitted, inLookback: rows, limits, localTimeOf }),
	);
}
