/**
 * Reader: one poll, from top to bottom. Users in the order of the list, from the saved offset on → without a cursor: a new one →
 * unreadable: aside → read in this pass: done → else read → each result moves the cursor of its user → until the deadline, the
 * maximum of rows, a throttle of the service or an outage → the users aside, the oldest try first → emit the oldest rows, save.
 * Users who were not reached stay where they are, and are read by the next poll.
 */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, type Get } from '../http/client';
import type { AdaptiveTimeout } from '../http/deadlines';
import { userPrefix } from '../service/readingId';
import type { SelectedUser } from '../service/userSelection';
import { Problem } from '../shared/problem';
import { Cursors, hasFailed, keyOf } from './cursors';
import type { EventResult, ReadOptions, TriggerEvent, WatchTarget } from './events';
import { everyReadFailed, isThrottle, labelOf, type Failures } from './report';
import { detectChanges, SeenReadings, toItem, type ChangedRow, type TimeWindow } from './seen';
import { isWanted } from './settings';
import type { Cursor, ServiceClock, TriggerState } from './state';

export interface PollOptions {
	/** n8n's time at the start of the poll (ms). */
	now: number;
	clock: ServiceClock;
	/** ms */
	lookback: number;
	/** By `performance.now()`: no user is started after it. */
	deadline: number;
	/** By `performance.now()`: every request ends. */
	end: number;
	/** How long this poll may take, in ms. */
	budgetMs: number;
	/** Of one answer. */
	timeout: AdaptiveTimeout;
}

export interface PollResult {
	/** Oldest first. */
	items: IDataObject[];
	/** To save once the items are emitted. */
	state: TriggerState;
	failures: Failures;
	/** How many unreadable users were read again. */
	recovered: number;
	/** Whether a user was read for the first time since watching of this user began. */
	hasFirstRead: boolean;
	/** The throttle of the service that cut this poll short. */
	throttle?: Problem;
	/** Whether every user has been read since the pass began. */
	isPassComplete: boolean;
	/** Set, and all other values invalid, if these users are of another team than before: its hash. */
	otherTeam?: string;
}

/** Users of the list that a resumed pass looks at again: the list may have become shorter since. */
const OVERLAP = 100;

/** Most rows of one poll: n8n and every node after the trigger keep them in memory. */
export const MAX_ROWS_PER_POLL = 10_000;

/** Part of the budget for users who could not be read before, after the others. */
const SHARE_OF_UNREADABLE = 0.3;

/** Failures in a poll before the requests of the others get a single attempt. */
const FAILURES_WITH_RETRIES = 3;

/** Failures in a row after which the user list tells whether the service fails as a whole. */
const FAILURES_TO_PROBE = 20;

/** @throws Problem when the list cannot be read, the service does not answer, or the field that names the only user may be wrong */
export async function readPoll(...given: ConstructorParameters<typeof PollReader>): Promise<PollResult> {
	return await new PollReader(...given).read();
}

/** A user who was read, with the rows to emit. */
interface Read {
	result: EventResult;
	changes: ChangedRow[];
}

class PollReader {
	private readonly poll: number;
	private readonly cursors: Cursors;
	private readonly seen: SeenReadings;
	/** Users started and without a result: key → place on the list. */
	private readonly open = new Map<string, number>();
	private readonly started = new Set<string>();
	private readonly aside = new Map<string, SelectedUser>();
	/** Whether the last poll had no time for some of them: this one keeps a part of its time. */
	private hasOverdue = false;
	private readonly reads: Read[] = [];
	private readonly failures: Failures = { problems: new Map(), users: 0 };
	private rows = 0;
	private newest?: number;
	private failuresInARow = 0;
	private throttle?: Problem;
	/** ms since 1970 */
	private pausedUntil?: number;
	/** How far the list was read. */
	private place: number;
	private isListRead = false;
	/** Whether the list was read from its beginning to its end. */
	private isWholeListRead = false;
	/** Whether the poll ends before its deadline. */
	private isOver = false;
	private team?: string;
	private otherTeam?: string;

	constructor(
		private readonly get: Get,
		private readonly event: TriggerEvent,
		private readonly target: WatchTarget,
		private readonly before: TriggerState,
		private readonly options: PollOptions,
	) {
		this.poll = before.poll + 1;
		this.place = before.offset;
		this.team = before.team;
		this.cursors = new Cursors(before, { ...options, entries: target.selection.entries });
		this.seen = new SeenReadings(before.seen);
	}

	async read(): Promise<PollResult> {
		await this.takeAll(this.dueUsers(), { isTimeUp: this.isTimeUp });
		if (!this.isOver) await this.readAside();
		this.throwIfOnlyUserFailed();
		return this.finish();
	}

	/** Users from the saved offset on; then from the beginning, unless this pass has found every user with a cursor. */
	private async *dueUsers(): AsyncGenerator<SelectedUser> {
		const start = Math.max(0, this.before.offset - OVERLAP);
		if (start > 0 && (yield* this.dueFrom(start)) && !this.cursors.hasUnmet) return;
		this.cursors.forgetMet();
		this.isWholeListRead = yield* this.dueFrom(0);
	}

	/** @returns whether the list was read to its end; false at once if it is not the list of before */
	private async *dueFrom(start: number): AsyncGenerator<SelectedUser, boolean> {
		const { cursors, started, aside } = this;
		const isUnresolved = (entry: SelectedUser['entry']) => hasFailed(cursors.of({ user: NOBODY, entry }));
		const begunAt = performance.now();
		let isFirst = true;
		for await (const user of this.target.selection.users(this.get, start, isUnresolved)) {
			if (isFirst && !this.continuesAt(user, start)) return false;
			this.place = isFirst && start === 0 ? user.place : Math.max(this.place, user.place);
			if (isFirst) this.options.timeout.begin(performance.now() - begunAt, cursors.failed(this.before.poll));
			isFirst = false;
			cursors.meet(user);
			const key = keyOf(user);
			const cursor = cursors.of(user);
			if (hasFailed(cursor) && !user.problem && cursor.tried < this.poll) {
				aside.set(key, user);
				this.hasOverdue ||= cursor.tried < this.before.poll;
			} else if (!cursors.isDone(user) && !started.has(key)) {
				started.add(key);
				this.open.set(key, user.place);
				yield user;
			}
		}
		return (this.isListRead = true);
	}

	/** Whether the list goes on with its first user: a key may see users of several teams, so only that one tells the team. */
	private continuesAt(user: SelectedUser, start: number): boolean {
		if (start > 0) return this.cursors.isDone(user) || hasFailed(this.cursors.of(user));
		const { before } = this;
		if (user.team !== undefined) this.team = userPrefix(user.team);
		if (before.team !== undefined && this.team !== before.team) this.otherTeam = this.team;
		this.isOver ||= this.otherTeam !== undefined;
		return this.otherTeam === undefined;
	}

	/** Users aside, the oldest try first, with one attempt each. */
	private async readAside() {
		const { cursors, aside, options } = this;
		const { timeout, end, budgetMs } = options;
		if (aside.size === 0) return;
		timeout.halve();
		const until = Math.min(performance.now() + Math.max(budgetMs * SHARE_OF_UNREADABLE, timeout.currentMs), end);
		timeout.endAt(until);
		const users = [...aside.values()].sort((a, b) => cursors.of(a).tried - cursors.of(b).tried);
		await this.takeAll(users, {
			mayRetry: () => false,
			isTooSlow: () => performance.now() > until,
			isTimeUp: () => this.isOver || performance.now() + timeout.currentMs > until,
		});
	}

	private async takeAll(users: Iterable<SelectedUser> | AsyncIterable<SelectedUser>, more: Partial<ReadOptions>) {
		const { get, event, target, options, failures } = this;
		const { budgetMs, timeout } = options;
		const read = event.read(
			get,
			{ ...target, selection: { ...target.selection, users: () => toAsync(users) } },
			{
				windowStartOf: (user) => this.cursors.windowStart(this.cursors.of(user)),
				mayRetry: (tookMs) => tookMs < timeout.ms / 2 && failures.problems.size < FAILURES_WITH_RETRIES,
				isTooSlow: (tookMs) => this.isTimeUp() || tookMs > budgetMs / 2,
				isTimeUp: this.isTimeUp,
				...more,
			},
		);
		try {
			for await (const result of read) await this.take(result);
		} catch (error) {
			const isLate = this.started.size > 0 && this.isTimeUp() && error instanceof Problem && error.isTransient;
			if (!isThrottle(error) && !isLate) throw error;
			this.endBy(error);
		}
	}

	private readonly isTimeUp = () => {
		const { deadline, budgetMs } = this.options;
		const reservedMs = this.hasOverdue ? budgetMs * SHARE_OF_UNREADABLE : 0;
		return this.isOver || performance.now() >= deadline - reservedMs;
	};

	private async take(result: EventResult) {
		const { problem, tookMs } = result;
		if (isThrottle(problem)) return await this.takeThrottled(result, problem);
		if (problem && this.isCutOff(result)) return this.miss(result);
		this.open.delete(keyOf(result));
		this.options.timeout.note(problem !== undefined, tookMs);
		this.failuresInARow = problem ? this.failuresInARow + 1 : 0;
		if (problem) this.fail(result, problem);
		else this.detect(result);
		if (this.rows >= MAX_ROWS_PER_POLL) this.isOver = true;
		if (problem) await this.endAtOutage();
	}

	/** Whether only the end of the poll has kept this user from being read. The end of two polls in a row is a failure. */
	private isCutOff(result: EventResult): boolean {
		const { timeout, budgetMs } = this.options;
		const isShort = result.tookMs < Math.min(timeout.ms, budgetMs / 2);
		return isShort && this.isTimeUp() && this.cursors.of(result).missed === undefined;
	}

	/**
	 * A throttle ends the poll, and the user stays open, unless it seems to be of this user alone: the user list is answered meanwhile.
	 * In each poll it may take the requests of all others, too: so a user with whom polls begin in vain is missed as well.
	 */
	private async takeThrottled(result: EventResult, problem: Problem) {
		const isAside = this.aside.has(keyOf(result));
		const isAnnounced = problem.retryAfterMs !== undefined;
		const isOwn = isAside || (!isAnnounced && !this.isOver && (await this.probe()) === undefined);
		if (isOwn || this.reads.length === 0) this.miss(result);
		if (!isOwn) this.endBy(problem);
	}

	/** Ends the poll, and those after it until the time that a throttle names. */
	private endBy(problem: Error) {
		this.isOver = true;
		if (!isThrottle(problem)) return;
		this.throttle = problem;
		if (problem.retryAfterMs !== undefined) this.pausedUntil = Date.now() + problem.retryAfterMs;
	}

	private miss(result: EventResult) {
		this.cursors.miss(result, this.poll);
		if (this.cursors.isDone(result)) this.open.delete(keyOf(result));
	}

	private fail(result: EventResult, problem: Problem) {
		this.cursors.fail(result, this.poll);
		this.failures.problems.set(labelOf(result), problem);
	}

	private detect(result: EventResult) {
		const { event, seen, before } = this;
		const { changes, old, newest } = detectChanges(event, result.rows, seen, this.windowOf(this.cursors.of(result)));
		const isDue = (row: ChangedRow) => isWanted(row, before.minimums);
		for (const row of [...old, ...changes.filter((one) => !isDue(one))]) seen.remember(row);
		const wanted = changes.filter(isDue);
		this.reads.push({ result, changes: wanted });
		this.rows += wanted.length;
		if (newest !== undefined) this.newest = Math.max(this.newest ?? newest, newest);
	}

	private windowOf(cursor: Cursor): TimeWindow {
		const { from, since } = cursor;
		const { now, clock } = this.options;
		const start = this.cursors.windowStart(cursor);
		const end = clock.earliest();
		if (since === undefined) return { start, end };
		const readAt = since === now ? Date.now() : clock.latest();
		// Of a user who joined later, all from the window on is new.
		return { start, end, watchingSince: clock.corrected(since), ...(since > from && { readAt }) };
	}

	/** Ends the poll if the service fails as a whole. A stretch of failing users does not, while the user list answers. */
	private async endAtOutage() {
		if (this.failuresInARow % FAILURES_TO_PROBE !== 0 || this.isTimeUp()) return;
		const problem = await this.probe();
		if (problem && !isThrottle(problem) && this.reads.length === 0) throw everyReadFailed(this.failures);
		if (problem) this.endBy(problem);
	}

	/** Why the user list cannot be read now, if it cannot. */
	private async probe(): Promise<Error | undefined> {
		const answer = this.get('/v2/user', { limit: 1 }, undefined, SINGLE_ATTEMPT);
		return await answer.then(() => undefined).catch((error: Error) => error);
	}

	/** @throws Problem: the field that names this user may be wrong */
	private throwIfOnlyUserFailed() {
		const { isOne, entries } = this.target.selection;
		if (this.reads.length > 0 || this.failures.problems.size === 0) return;
		const failure = everyReadFailed(this.failures);
		if (isOne || (entries?.length === 1 && !failure.isTransient)) throw failure;
	}

	private finish(): PollResult {
		const { before, poll, cursors, seen, failures, reads, open } = this;
		const { now, clock } = this.options;
		const found = reads.flatMap(({ changes, result }) => changes.map((row) => ({ row, result })));
		found.sort((a, b) => (a.row.time ?? now) - (b.row.time ?? now));
		const emitted = found.slice(0, MAX_ROWS_PER_POLL);
		for (const { row } of emitted) seen.remember(row);
		const unfinished = new Set(found.slice(MAX_ROWS_PER_POLL).map(({ result }) => result));
		let recovered = 0;
		let hasFirstRead = false;
		for (const { result } of reads) {
			const { from, since = -Infinity } = cursors.of(result);
			if (unfinished.has(result)) {
				if (!this.aside.has(keyOf(result))) open.set(keyOf(result), result.place);
				continue;
			}
			if (hasFailed(cursors.of(result)) && !result.isGone) recovered++;
			hasFirstRead ||= since > from;
			cursors.move(result, poll, this.newest);
		}
		if (this.isWholeListRead) cursors.removeUnmet();
		failures.users = cursors.failed();
		const isPassComplete = this.isListRead && open.size === 0;
		const firstOpen = Math.min(...open.values());
		const kept = cursors.kept();
		const { told, minimums, node, of } = before;
		const state: TriggerState = {
			version: 2,
			node,
			of,
			...(this.team !== undefined && { team: this.team }),
			poll,
			pass: isPassComplete ? poll + 1 : before.pass,
			offset: isPassComplete ? 0 : firstOpen === Infinity ? this.place : firstOpen - 1,
			since: clock.corrected(before.since),
			kept,
			cursors: cursors.toSave(),
			seen: seen.toSave(kept, cursors.earlierThan(kept)),
			minimums,
			...(told !== undefined && { told }),
			...(this.pausedUntil !== undefined && { pausedUntil: this.pausedUntil }),
		};

			console.log(
				JSON.stringify({
					offset: state.offset,
					pass: state.pass - (globalThis as any).B,
					poll: poll - (globalThis as any).B,
					c: state.cursors.map((c) => ({
						...c,
						from: 0,
						tried: c.tried - (globalThis as any).B,
						users: c.users.length / 12,
					})),
					th: !!this.throttle,
				}),
			);
		const items = emitted.map(({ row }) => toItem(this.event, row));
		const { throttle, otherTeam } = this;
		return { items, state, failures, recovered, hasFirstRead, throttle, isPassComplete, otherTeam };
	}
}

const NOBODY = { user_id: '', client_user_id: null };

async function* toAsync(users: Iterable<SelectedUser> | AsyncIterable<SelectedUser>): AsyncGenerator<SelectedUser> {
	yield* users;
}
