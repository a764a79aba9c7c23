/**
 * Results of a poll: the rows to emit, the state to save, and the report of trouble that does not stop the poll: a failed execution
 * beside it, at once for the first, then one an hour for all.
 */
import type { IDataObject } from 'n8n-workflow';
import type { ServiceClock } from '../http/serviceClock';
import { localTimeIn } from '../service/readings/identity';
import type { UserResult } from '../service/readings/readUsers';
import type { SelectedUser } from '../service/users/selection';
import { shownUserId } from '../service/users/users';
import { countOfUsers, Problem } from '../shared/problem';
import { hasFailed, keyOf, type Cursors, type Listed } from './cursors';
import type { TriggerEvent } from './events';
import { detectChanges, SeenReadings, toItem, type ChangedRow, type TimeWindow } from './seen';
import { isWanted } from './settings';
import { HOUR_MS, type Cursor, type TriggerState } from './state';

/** Most rows of one poll: n8n and every node after the trigger keep them in memory. */
export const MAX_ROWS_PER_POLL = 10_000;

export interface PollResult extends Pick<Progress, 'throttle' | 'otherTeam'> {
	/** Oldest first. The state is saved once they are emitted. */
	items: IDataObject[];
	state: TriggerState;
	failures: Failures;
	/** How many users who had failed were read. */
	recovered: number;
	/** Whether a first pass is complete, or a user was read for the first time since watched. */
	hasFirstRead: boolean;
	/** Whether readings were seen that reach no threshold: a change of these must not bring them back. */
	hasSkipped: boolean;
	isPassComplete: boolean;
}

export interface Progress {
	/** Users started and without a result: key → place on the list. */
	open: Map<string, number>;
	/** Users who come after all others. */
	aside: Map<string, SelectedUser>;
	/** How far the list was read, and whether to its end. */
	place: number;
	isListRead: boolean;
	/** Hash of the team; another one than before makes all results invalid. */
	team?: string;
	otherTeam?: string;
	/** What cut the poll short, and until when it lasts (ms since 1970). */
	throttle?: Problem;
	pausedUntil?: number;
}

export class PollResults {
	readonly failures: Failures = { problems: new Map(), users: 0 };
	/** Users who were read, each with the rows to emit. */
	private readonly reads: Array<{ result: UserResult; changes: ChangedRow[] }> = [];
	private readonly seen: SeenReadings;
	private rows = 0;
	private hasSkipped = false;
	/** Time of the newest reading (ms). */
	private newest?: number;

	/** @param options.now n8n's time at the start of the poll (ms) @param options.zone of `local_time` */
	constructor(
		private readonly event: TriggerEvent,
		private readonly cursors: Cursors,
		private readonly before: TriggerState,
		private readonly options: { now: number; clock: ServiceClock; zone: string },
	) {
		this.seen = new SeenReadings(before.seen);
	}

	/** Whether no user was read. */
	readonly isEmpty = () => this.reads.length === 0;
	readonly isFull = () => this.rows >= MAX_ROWS_PER_POLL;

	/** Notes a user who was read: what is old, or reaches no threshold, is seen; the rest is emitted. */
	detect(result: UserResult) {
		const { event, seen, before } = this;
		const { changes, old, newest } = detectChanges(
			event,
			result.rows,
			seen,
			this.windowOf(this.cursors.of(result)),
		);
		const isDue = (row: ChangedRow) => isWanted(row, before.minimums);
		const due = changes.filter(isDue);
		for (const row of [...old, ...changes.filter((one) => !isDue(one))]) seen.remember(row);
		this.hasSkipped ||= due.length < changes.length;
		this.reads.push({ result, changes: due });
		this.rows += due.length;
		if (newest !== undefined) this.newest = Math.max(this.newest ?? newest, newest);
	}

	private windowOf(cursor: Cursor): TimeWindow {
		const { from, since } = cursor;
		const { now, clock } = this.options;
		const start = this.cursors.windowStart(cursor);
		const end = clock.earliest();
		if (since === undefined) return { start, end };
		const readAt = since === now ? Date.now() : clock.latest();
		// All readings of a user who joined later are new, from the window on.
		return { start, end, watchingSince: clock.corrected(since), ...(since !== from && { readAt }) };
	}

	/** Moves the cursors of the users whose rows all go out; the others are read again by the next poll. */
	finish(progress: Progress, isConnectedOnly: boolean): PollResult {
		const { before, cursors, failures, reads, hasSkipped } = this;
		const { open, aside, throttle, otherTeam } = progress;
		const found = reads.flatMap(({ changes, result }) => changes.map((row) => ({ row, result })));
		found.sort((a, b) => (a.row.time ?? this.options.now) - (b.row.time ?? this.options.now));
		const emitted = found.slice(0, MAX_ROWS_PER_POLL);
		for (const { row } of emitted) this.seen.remember(row);
		const unfinished = new Set(found.slice(MAX_ROWS_PER_POLL).map(({ result }) => result));
		let recovered = 0;
		let hasFirstRead = false;
		for (const { result } of reads) {
			const cursor = cursors.of(result);
			if (!unfinished.has(result)) {
				if (hasFailed(cursor) && !result.isGone) recovered++;
				hasFirstRead ||= cursor.since !== undefined && cursor.since !== cursor.from;
				cursors.move(result, before.poll + 1, this.newest);
			} else if (!aside.has(keyOf(result))) open.set(keyOf(result), result.place);
		}
		failures.users = cursors.unreadable();
		const isPassComplete = progress.isListRead && open.size === 0;
		// A user who connects the provider later was not read in the first pass.
		const isFirst = before.since !== undefined && (!isPassComplete || isConnectedOnly);
		hasFirstRead ||= before.since !== undefined && !isFirst;
		const localTimeOf = localTimeIn(this.options.zone);
		const items = emitted.map(({ row }) => toItem(this.event, row, localTimeOf));
		const state = this.stateAfter(progress, isPassComplete, isFirst);
		return {
			items,
			state,
			failures,
			recovered,
			hasFirstRead,
			hasSkipped,
			throttle,
			otherTeam,
			isPassComplete,
		};
	}

	/** @param isFirst whether users are still read for the first time */
	private stateAfter(progress: Progress, isPassComplete: boolean, isFirst: boolean): TriggerState {
		const { open, place, team, pausedUntil } = progress;
		const { cursors, seen } = this;
		const { since, ...before } = this.before;
		const poll = before.poll + 1;
		const kept = cursors.kept();
		const firstOpen = Math.min(...open.values());
		return {
			...before,
			...(team !== undefined && { team }),
			poll,
			pass: isPassComplete ? poll + 1 : before.pass,
			offset: isPassComplete ? 0 : Math.min(place, firstOpen - 1),
			...(since !== undefined && isFirst && { since: this.options.clock.corrected(since) }),
			kept,
			cursors: cursors.toSave(),
			seen: seen.toSave(kept, cursors.earlierThan(kept)),
			pausedUntil,
		};
	}
}

export interface Failures {
	/** In this poll: user, as a report names it → why. */
	problems: Map<string, Problem>;
	/** How many users cannot be read, those of other polls included. */
	users: number;
}

/** A user in words: never an entry of the list. */
export const labelOf = ({ user }: Listed) =>
	user.user_id ? shownUserId(user.user_id) : "one of 'User IDs'";

/** Whether the service limits the requests: never a failure of one user. */
export const isThrottle = (problem: unknown): problem is Problem =>
	problem instanceof Problem &&
	(problem.kind === 'rate-limited' || problem.retryAfterMs !== undefined);

export function everyReadFailed({ problems }: Failures): Problem {
	const [[label, problem]] = problems;
	if (problems.size === 1) return problem;
	return problem.reworded(
		`No user's readings can be read. ${problem.message}`,
		`The first of ${problems.size} users is ${label}. ${problem.description}`,
	);
}

/** The report of a poll, if there is one and none was made for an hour. @param now ms */
export function reportOf(
	{ failures, throttle }: { failures?: Failures; throttle?: Problem },
	{ told = -Infinity }: TriggerState,
	now: number,
): Problem | undefined {
	if (Math.abs(now - told) < HOUR_MS) return undefined;
	if (throttle) return throttleReport(throttle);
	return failures && failures.users > 0 ? failureReport(failures) : undefined;
}

function failureReport({ problems, users }: Failures): Problem {
	const [first] = problems;
	const [label, { message, description, kind, httpCode }] = first ?? [
		undefined,
		{} as Partial<Problem>,
	];
	return new Problem(
		`The readings of ${countOfUsers(users)} cannot be read${first ? `. ${message}` : ''}`,
		`${first ? `${users === 1 ? 'It is' : 'The first is'} ${label}. ${description}. ` : ''}` +
			'New readings of all other users go out; the missing ones follow when they can be read again. This report comes once an hour',
		{ kind, httpCode },
	);
}

const throttleReport = (throttle: Problem) =>
	throttle.reworded(
		`The service limits the requests, so one poll does not read all users. ${throttle.message}`,
		"The next polls continue with the other users, and nothing is lost. Poll less often, or set 'Requests per Second' in the options to what the service allows. This report comes once an hour",
	);

/** The throttle of a poll that sends nothing. @param ms how long the next ones send nothing either */
export function pauseOf(ms: number): Problem {
	const minutes = Math.ceil(ms / 60_000);
	const message = `The next request is sent in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`;
	return new Problem(message, '', { kind: 'rate-limited', retryAfterMs: ms });
}
