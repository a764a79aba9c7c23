/**
 * Reader: one poll, from top to bottom. Users in the order of the list, from the saved offset on → without a cursor: a new one →
 * unreadable: aside → read in this pass: done → else read → each result moves the cursor of its user → until the deadline, the
 * maximum of rows, a throttle of the service or an outage → the users aside, the oldest try first → emit the oldest rows, save.
 * Users who were not reached stay where they are, and are read by the next poll.
 */
import { SINGLE_ATTEMPT, type Get } from '../http/client';
import type { AdaptiveTimeout, Deadlines } from '../http/deadlines';
import type { ServiceClock } from '../http/serviceClock';
import { userPrefix } from '../service/readings/identity';
import type { UserResult } from '../service/readings/readUsers';
import type { SelectedUser, SelectedUsers } from '../service/users/selection';
import { Problem } from '../shared/problem';
import { Cursors, hasFailed, isAside, isOftenMissed, KEY_LENGTH, keyOf, NOBODY } from './cursors';
import type { ReadOptions, TriggerEvent, WatchTarget } from './events';
import {
	everyReadFailed,
	isThrottle,
	labelOf,
	PollResults,
	type PollResult,
	type Progress,
} from './results';
import type { TriggerState } from './state';

/** In ms; `now` is n8n's at the start. By `performance.now()`: no user is started after `deadline`. */
export interface PollOptions {
	now: number;
	clock: ServiceClock;
	/** Time zone of `local_time`. */
	zone: string;
	lookback: number;
	deadline: number;
	budgetMs: number;
	timeout: AdaptiveTimeout;
	deadlines: Deadlines;
}

/** Users of the list that a resumed pass looks at again: the list may have become shorter since. */
const OVERLAP = 100;
/** Part of the budget for users who could not be read before, after the others. */
const SHARE_OF_UNREADABLE = 0.3;
/** Problems of a poll after which requests get a single attempt. */
const FEW_PROBLEMS = 3;
/** Failures in a row after which the user list tells whether the service fails as a whole. */
const FAILURES_TO_PROBE = 20;

export class PollReader {
	private readonly poll: number;
	private readonly cursors: Cursors;
	private readonly results: PollResults;
	private readonly progress: Progress;
	private readonly started = new Set<string>();
	private readonly refused: UserResult[] = [];
	/** Whether the last poll had no time for some users aside: this one keeps a part of its own for them. */
	private hasOverdue = false;
	private failuresInARow = 0;
	private isOver = false;

	constructor(
		private readonly get: Get,
		private readonly event: TriggerEvent,
		private readonly target: WatchTarget,
		private readonly before: TriggerState,
		private readonly options: PollOptions,
	) {
		this.poll = before.poll + 1;
		this.progress = {
			open: new Map(),
			aside: new Map(),
			place: before.offset,
			isListRead: false,
			team: before.team,
		};
		this.cursors = new Cursors(before, { ...options, entries: target.selection.entries });
		this.results = new PollResults(event, this.cursors, before, options);
	}

	/** @throws Problem when the list cannot be read, the service does not answer, or the field of the only user may be wrong */
	async read(): Promise<PollResult> {
		await this.takeAll(this.dueUsers());
		if (!this.isOver) await this.readAside(this.progress.aside);
		await this.missRefused();
		this.throwIfOnlyUserFailed();
		return this.results.finish(this.progress, Boolean(this.target.selection.isConnectedOnly));
	}

	/** From the saved offset on; then from the beginning, unless this pass has found every user with a cursor. */
	private async *dueUsers(): AsyncGenerator<SelectedUser> {
		const start = Math.max(0, this.before.offset - OVERLAP);
		if (start > 0 && (yield* this.dueFrom(start)) && !this.cursors.hasUnmet) return;
		this.cursors.forgetMet();
		if (yield* this.dueFrom(0)) this.cursors.removeUnmet();
	}

	/** @returns whether the list was read to its end; false at once if it is not the list of before */
	private async *dueFrom(start: number): AsyncGenerator<SelectedUser, boolean> {
		const { cursors, started, progress } = this;
		const isUnresolved = (entry: SelectedUser['entry']) =>
			hasFailed(cursors.of({ user: NOBODY, entry }));
		const begunAt = performance.now();
		let isFirst = true;
		for await (const user of this.target.selection.users(this.get, start, isUnresolved)) {
			if (isFirst && !this.continuesAt(user, start)) return false;
			progress.place = isFirst && start === 0 ? user.place : Math.max(progress.place, user.place);
			if (isFirst) this.options.timeout.slowestMs ||= performance.now() - begunAt;
			if (isFirst) this.options.timeout.hanging = cursors.unreadable(this.before.poll);
			isFirst = false;
			cursors.meet(user);
			const key = keyOf(user);
			const cursor = cursors.of(user);
			if (isAside(cursor) && !user.problem && cursor.tried < this.poll) {
				progress.aside.set(key, user);
				this.hasOverdue ||= cursor.tried < this.before.poll;
			} else if (!cursors.isDone(user) && !started.has(key)) {
				started.add(key);
				progress.open.set(key, user.place);
				yield user;
			}
		}
		return (progress.isListRead = true);
	}

	/** Whether the list goes on with its first user: a key may see users of several teams, so only that one tells the team. */
	private continuesAt(user: SelectedUser, start: number): boolean {
		if (start > 0) return this.cursors.isDone(user) || hasFailed(this.cursors.of(user));
		const { before } = this;
		if (user.team !== undefined) this.progress.team = userPrefix(user.team);
		if (before.team !== undefined && this.progress.team !== before.team)
			this.progress.otherTeam = this.progress.team;
		return this.progress.otherTeam === undefined;
	}

	/** Users aside, the oldest try first, with one attempt each. */
	private async readAside(aside: Progress['aside']) {
		const { timeout, deadlines, budgetMs } = this.options;
		if (aside.size === 0) return;
		timeout.part = 1 / 2;
		const lastsMs = Math.max(budgetMs * SHARE_OF_UNREADABLE, timeout.currentMs);
		deadlines.endAt = Math.min(performance.now() + lastsMs, deadlines.endAt);
		const users = [...aside.values()].sort(
			(a, b) => this.cursors.of(a).tried - this.cursors.of(b).tried,
		);
		await this.takeAll(users, {
			isTriedOnce: () => false,
			budget: () => ({ retryMs: 0, totalMs: performance.now() > deadlines.endAt ? 0 : Infinity }),
			isTimeUp: () => this.isOver || performance.now() + timeout.currentMs > deadlines.endAt,
		});
	}

	private async takeAll(users: SelectedUsers, more: Partial<ReadOptions> = {}) {
		const { get, event, target, options } = this;
		const { problems } = this.results.failures;
		const { budgetMs, timeout } = options;
		const read = event.read(
			get,
			{ ...target, selection: { ...target.selection, users: () => users } },
			{
				windowStartOf: (user) => this.cursors.windowStart(this.cursors.of(user)),
				isTriedOnce: (user) => isOftenMissed(this.cursors.of(user)),
				// After a few failures in a poll, the requests of the others get a single attempt.
				budget: () => ({
					retryMs: problems.size < FEW_PROBLEMS ? timeout.currentMs / 2 : 0,
					totalMs: this.isTimeUp() ? 0 : budgetMs / 2,
				}),
				isTimeUp: this.isTimeUp,
				...more,
			},
		);
		const takeEach = async () => {
			for await (const result of read) await this.take(result);
		};
		await takeEach().catch((error: Error) => {
			const isLate =
				this.started.size > 0 && this.isTimeUp() && error instanceof Problem && error.isTransient;
			if (!isThrottle(error) && !isLate) throw error;
			this.endBy(error);
		});
	}

	private readonly isTimeUp = () => {
		const { deadline, deadlines, budgetMs } = this.options;
		const reservedMs = this.hasOverdue ? budgetMs * SHARE_OF_UNREADABLE : 0;
		return this.isOver || performance.now() >= Math.min(deadline - reservedMs, deadlines.endAt);
	};

	private async take(result: UserResult) {
		const { problem, tookMs } = result;
		if (isThrottle(problem)) return await this.takeThrottled(result, problem);
		if (problem && this.isCutOff(result)) return this.miss(result);
		this.progress.open.delete(keyOf(result));
		this.options.timeout.note(problem !== undefined, tookMs);
		this.failuresInARow = problem ? this.failuresInARow + 1 : 0;
		if (!problem) this.results.detect(result);
		if (this.results.isFull()) this.isOver = true;
		if (problem) await this.fail(result, problem);
	}

	/** Whether only the end of the poll has kept this user from being read. The end of two polls in a row is a failure. */
	private isCutOff(result: UserResult): boolean {
		const isShort = result.tookMs < this.options.timeout.ms;
		return isShort && this.isTimeUp() && this.cursors.of(result).missed === undefined;
	}

	/** Ends the poll, and the user stays open, unless the throttle seems theirs alone, or keeps this poll from reading anybody. */
	private async takeThrottled(result: UserResult, problem: Problem) {
		const wasAside = this.progress.aside.has(keyOf(result));
		if (!wasAside && isOftenMissed(this.cursors.of(result))) return void this.refused.push(result);
		const mayBeOwn = problem.retryAfterMs === undefined && !this.isOver;
		const isOwn = wasAside || (mayBeOwn && (await this.probe()) === undefined);
		if (isOwn || this.results.isEmpty()) this.miss(result);
		if (!isOwn) this.endBy(problem);
	}

	/**
	 * Misses the often missed users who were refused again, if the throttle is theirs alone. If it is one of all, they stay open, and the
	 * next poll begins with them; only a poll that read nobody misses a half of them, in each poll another.
	 */
	private async missRefused() {
		const { refused, results, progress, poll } = this;
		if (refused.length === 0) return;
		if (!progress.throttle) this.endBy(await this.probe());
		const isOwn = !progress.throttle;
		const half = refused.filter((one) => Number(`0x${keyOf(one).at(poll % KEY_LENGTH)}`) % 2 === 1);
		if (isOwn || results.isEmpty())
			for (const one of isOwn || half.length === 0 ? refused : half) this.miss(one);
	}

	/** Ends the poll, and those after it until the time that a throttle names. */
	private endBy(problem?: Error) {
		this.isOver = true;
		if (!isThrottle(problem)) return;
		this.progress.throttle = problem;
		if (problem.retryAfterMs !== undefined)
			this.progress.pausedUntil = Date.now() + problem.retryAfterMs;
	}

	private miss(result: UserResult) {
		this.cursors.miss(result, this.poll);
		if (this.cursors.isDone(result)) this.progress.open.delete(keyOf(result));
	}

	/** A stretch of failing users does not end a poll while the user list answers: else the service fails as a whole. */
	private async fail(result: UserResult, problem: Problem) {
		const { failures, isEmpty } = this.results;
		this.cursors.fail(result, this.poll);
		failures.problems.set(labelOf(result), problem);
		if (this.failuresInARow % FAILURES_TO_PROBE !== 0 || this.isTimeUp()) return;
		const outage = await this.probe();
		if (outage && !isThrottle(outage) && isEmpty() && !this.isTimeUp())
			throw everyReadFailed(failures);
		if (outage) this.endBy(outage);
	}

	/** Why the user list cannot be read now, if it cannot. */
	private async probe(): Promise<Error | undefined> {
		const answer = this.get('/v2/user', { limit: 1 }, undefined, SINGLE_ATTEMPT);
		return await answer.then(() => undefined).catch((error: Error) => error);
	}

	/** @throws Problem: the field that names this user may be wrong */
	private throwIfOnlyUserFailed() {
		const { isOne, entries } = this.target.selection;
		if (!this.results.isEmpty() || this.results.failures.problems.size === 0) return;
		const failure = everyReadFailed(this.results.failures);
		if (isOne || (entries?.length === 1 && !failure.isTransient)) throw failure;
	}
}
