/**
 * Reader: one poll, from top to bottom. Users in the order of the list → read in this pass: done
 * → failed before: aside → else read → the users aside, the oldest try first → each result moves
 * the cursor of its user → until the deadline, the maximum of rows, a throttle of all or an outage
 * → if all were done, the next pass → emit the oldest rows, save. The next poll reads the users
 * who were not reached.
 */
import type { IPollFunctions } from 'n8n-workflow';
import { connect, SINGLE_ATTEMPT, type Get } from '../http/client';
import { CANCELLED_REQUEST } from '../http/errors';
import { RequestQueue } from '../http/requestQueue';
import { FEW_ATTEMPTS, MAX_PAUSE_MS, SHORT_RETRY } from '../http/retry';
import { pathOf } from '../service/readings/metrics';
import type { UserResult } from '../service/readings/readUsers';
import { providerProblem } from '../service/users/provider';
import { unfoundUser, type SelectedUser } from '../service/users/selection';
import { ignoreProblem, isThrottle, Problem } from '../shared/problem';
import type { Clock } from './clock';
import { hasFailed, type Cursors, type Miss } from './cursors';
import { PollResult, type Extent, type PollEnd } from './results';
import type { Schedule } from './scheduler';
import type { Settings } from './settings';
import type { Cursor, TriggerState } from './state';

/** Part of the budget in which users aside are started, and in which the list is asked for entries, which Resolve finds as well. */
const SHARE = 0.3;
/**
 * Timeout of one answer, or a part of the budget: slow answers for one user must not use up the
 * poll of the others.
 */
const TIMEOUT_MS = 60_000;
const TIMEOUT_PART = 4 / 9;

/** What belongs to one poll. */
export interface Poll {
	context: IPollFunctions;
	schedule: Pick<Schedule, 'local' | 'isStart' | 'budgetMs'>;
	settings: Settings;
	clock: Clock;
}

export interface PollRead extends PollEnd {
	/** The limit of the service for all requests that cut the poll short. */
	throttle?: Problem;
	/** The error of *Provider*, if no user has it. */
	wrongField?: Problem;
}

/** All times in ms, by `performance.now()`. */
export class PollReader implements Extent {
	private readonly timeoutMs: number;
	private readonly end: number;
	/** No request is sent after it: one in flight then may still take as long as an answer. */
	private readonly deadline: number;
	/** No user is started after it. The first one may be, however long the list has taken. */
	private startsUntil: number;
	private readonly queue: RequestQueue;
	private readonly results: PollResult;
	private readonly cursors: Cursors;
	private get!: Get;
	private firstFailure?: Problem;
	isListRead = false;
	isListEmpty = false;
	isAsideDone = false;
	pausedUntil?: number;
	readonly isOld = (lastRead: number) =>
		this.poll.schedule.local.isOld(lastRead);
	/** The throttle that has ended the poll. */
	private throttle?: Problem;
	/** The last throttle that the poll outlasted. */
	private lastThrottle?: Problem;
	/** Path of a request that has been answered: a limit that it does not meet is one of single users. */
	private sample?: string;
	/** How many users the sample was chosen from. */
	private offered = 0;
	/** Whether one of the users met is due, and not aside; undefined before a user is met. */
	private hasDue?: boolean;
	private isAside = false;
	/** Whether users aside were not started. */
	private isAsideLeft = false;
	/** Whether the last read of a user aside succeeded. */
	private hasRecovered = false;
	private isOver = false;

	constructor(
		private readonly poll: Poll,
		private readonly before: TriggerState,
	) {
		const { settings, clock, schedule } = poll;
		const { budgetMs } = schedule;
		this.timeoutMs = Math.min(TIMEOUT_MS, budgetMs * TIMEOUT_PART);
		this.end = clock.started + budgetMs;
		this.deadline = this.end - this.timeoutMs;
		this.startsUntil = this.end;
		this.queue = new RequestQueue(settings.target, this.end);
		this.results = new PollResult(settings, before, clock);
		this.cursors = this.results.cursors;
	}

	/**
	 * @throws Problem when the list cannot be read, the service does not answer, or the field of the
	 * only user may be wrong
	 */
	async read(): Promise<PollRead> {
		await this.connect();
		await this.takeAll();
		if (this.isNextPassDue) {
			this.cursors.beginPass();
			// A user of the pass before is due again, and may be the limited one.
			this.sample = undefined;
			await this.takeAll();
		}
		this.throwIfFieldIsWrong();
		if (this.isListTooLong) this.cursors.restart();
		const end = this.results.finish(this);
		const throttle = this.throttleOf(end);
		const wrongField = await this.checkProvider(end);
		return { ...end, throttle, wrongField };
	}

	/** Whether earlier polls have read this pass to its end. */
	private get isNextPassDue() {
		const { results } = this;
		const hasTime = !results.hasRead && !this.isTimeUp();
		return hasTime && results.isPassComplete(this);
	}

	/** @throws Problem of the only user: the field with its name may be wrong */
	private throwIfFieldIsWrong() {
		const { firstFailure, results } = this;
		if (!firstFailure || results.hasRead) return;
		const { isOne, entries } = this.poll.settings.target.selection;
		const isOnly = entries?.length === 1 && !firstFailure.isTransient;
		if (isOne || isOnly) throw firstFailure;
	}

	/** Whether the list takes more than a poll: then the users within reach are read again. */
	private get isListTooLong() {
		const { hasDue, lastThrottle, startsUntil, end } = this;
		const hasTaken = startsUntil < end;
		const hadNoTime = hasDue && !hasTaken && !lastThrottle;
		return !this.isListRead && (hasDue === false || hadNoTime);
	}

	/** The limit that has cost users their turn. It may have left so little time that no request of a user was sent. */
	private throttleOf({ state: { pass, poll } }: PollEnd) {
		const { queue, results, throttle, lastThrottle } = this;
		const isPassComplete = pass > poll;
		const hasCost = queue.isThrottledForAll && !isPassComplete;
		if (hasCost || !results.hasRead) return throttle ?? lastThrottle;
		return throttle;
	}

	private async connect() {
		const { queue, timeoutMs, deadline, before } = this;
		const { context, schedule, clock } = this.poll;
		const { isStart } = schedule;
		const limits = {
			...(isStart && SHORT_RETRY),
			timeoutMs,
			retryUntil: isStart ? undefined : deadline,
			maxRetryAfterMs: MAX_PAUSE_MS,
		};
		this.get = await connect(context, {
			...limits,
			isPoll: true,
			queueOf: () => queue,
			onAnswer: clock.onAnswer,
			onThrottle: (problem) => (this.lastThrottle = problem),
			sampleOf: () => this.sample,
		});
		this.waitOut(before.pausedUntil);
		if (before.cursors.length || this.isOver) return;
		// First reads begin by the service's time, which the first answer tells.
		const path = '/v2/user?limit=1';
		await this.get(path, {}, undefined, SINGLE_ATTEMPT).catch(ignoreProblem);
	}

	/**
	 * Waits for the end of a Retry-After, or ends the poll. A clock that was set back makes it an hour
	 * at most.
	 */
	private waitOut(pausedUntil = 0) {
		const pauseMs = pausedUntil - this.poll.clock.now;
		if (pauseMs > MAX_PAUSE_MS) return;
		this.queue.pause(pauseMs);
		if (performance.now() + pauseMs < this.deadline) return;
		this.isOver = true;
		this.pausedUntil = pausedUntil;
	}

	/** For the user list: entries can be read without it. */
	private get getOfList(): Get {
		const { clock, schedule, settings } = this.poll;
		if (!settings.target.selection.entries) return this.get;
		const end = clock.started + schedule.budgetMs * SHARE;
		return async (...request) => {
			if (performance.now() >= end) throw CANCELLED_REQUEST;
			return await this.get(...request);
		};
	}

	/** The users who are due in this pass, as listed. Failed ones come last, the oldest try first. */
	private async *due(): AsyncGenerator<SelectedUser> {
		const { cursors, results } = this;
		const { selection } = this.poll.settings.target;
		const aside: SelectedUser[] = [];
		for await (const user of selection.users(this.getOfList)) {
			results.meet(user);
			this.hasDue ??= false;
			const cursor = cursors.of(user);
			const isAside = hasFailed(cursor) || results.isOtherTeam;
			if (cursors.isDone(cursor)) this.offerSample(user, cursor);
			else if (isAside) aside.push(user);
			else {
				this.hasDue = true;
				yield user;
			}
		}
		this.isListEmpty = cursors.met.size === 0 && !selection.isConnectedOnly;
		this.isListRead = !this.isListEmpty;
		if (results.isOtherTeam) return;
		if (aside.length) this.startAside();
		const triedOf = (user: SelectedUser) => cursors.of(user).tried;
		this.isAsideLeft = true;
		yield* aside.sort((a, b) => triedOf(a) - triedOf(b));
		this.isAsideLeft = false;
	}

	/**
	 * Users aside are started in a part of the budget. Not at a low rate: requests would wait for most
	 * of it.
	 */
	private startAside() {
		const { schedule, settings } = this.poll;
		const partMs = settings.target.requestsPerSecond
			? Infinity
			: schedule.budgetMs * SHARE;
		this.isAside = true;
		this.startsUntil = Math.min(performance.now() + partMs, this.end);
	}

	private async takeAll() {
		const { cursors, timeoutMs, isTimeUp } = this;
		const { settings, schedule } = this.poll;
		if (this.isOver) return;
		const read = settings.event.read(this.get, this.due(), {
			target: settings.target,
			windowStartOf: (user) => cursors.windowStart(cursors.ofRead(user)),
			attemptsOf: (user) => this.attemptsOf(cursors.of(user)),
			budget: () => ({
				retryMs: timeoutMs / 2,
				totalMs: isTimeUp(Math.max(this.startsUntil, this.deadline))
					? 0
					: schedule.budgetMs / 2,
			}),
			isTimeUp,
		});
		const takeEach = async () => {
			for await (const result of read) await this.take(result);
		};
		await takeEach().catch((error: Error) => this.endBy(error));
		// While they can be read again, the pass waits for the rest of them.
		const isRecovery = this.isAsideLeft && this.hasRecovered;
		this.isAsideDone = !this.isOver && !isRecovery;
	}

	/** Retries must not use up the poll when many users fail, nor the limit after a limit. */
	private attemptsOf({ ended }: Cursor) {
		if (ended === 'failed') return 1;
		return ended || this.firstFailure ? FEW_ATTEMPTS : undefined;
	}

	private readonly isTimeUp = (until = this.startsUntil) =>
		this.isOver || performance.now() >= until;

	private async take(result: UserResult) {
		const { cursors, results, queue } = this;
		if (!this.isAside) this.startsUntil = this.deadline;
		cursors.meet(result);
		const problem = this.problemOf(result);
		this.hasRecovered = this.isAside && !problem;
		if (!problem) return this.noteRead(result);
		const isLimit: boolean = isThrottle(problem);
		if (isLimit && (await queue.knowsThrottledForAll()))
			return this.endBy(problem);
		const miss = isLimit ? 'limited' : this.missOf(result);
		results.noteMiss(result, miss, problem);
		if (miss === 'failed') this.firstFailure ??= problem;
	}

	/** Why the read was no success. */
	private problemOf(result: UserResult): Problem | undefined {
		if (result.isGone) return unfoundUser();
		return result.problem ?? this.results.detect(result);
	}

	/** How the read of a user ended. A user who is gone may have been removed since the list was read. */
	private missOf(result: UserResult): Miss {
		return result.isGone || this.isCutShort(result) ? 'cut' : 'failed';
	}

	private noteRead(result: UserResult) {
		this.sample = this.sampleOf(result);
		// A read that succeeds again does not use up the part of the failing ones.
		if (this.isAside) this.startAside();
		this.isOver ||= this.results.isFull;
	}

	/** Until this poll has read a user, the sample is any user read earlier in the pass. */
	private offerSample(user: SelectedUser, { ended }: Cursor) {
		if (ended || this.results.hasRead) return;
		this.offered++;
		// Each user has the same chance.
		if (Math.random() * this.offered < 1) this.sample = this.sampleOf(user);
	}

	/** A user who was read tells more than the user list: readings may have a limit of their own. */
	private sampleOf({ user, sentId = user.user_id }: SelectedUser) {
		const { metric } = this.poll.settings.event;
		if (!metric || !sentId) return;
		const now = new Date().toISOString();
		const path = pathOf(metric, encodeURIComponent(sentId));
		return `${path}?start_date=${now}&end_date=${now}`;
	}

	/** Whether only the end of the poll has kept this user from being read. */
	private isCutShort({ endedAt, tookMs }: UserResult) {
		const isLate = this.isOver || endedAt >= this.deadline;
		return isLate && tookMs < this.timeoutMs;
	}

	/**
	 * Ends the poll, and those after it until the time that a throttle names.
	 *
	 * @throws the error of all users, unless it may pass and the poll has results
	 */
	private endBy(error: Error) {
		const { results, hasDue } = this;
		const mayPass = error instanceof Problem && error.isTransient;
		const isEnd = performance.now() >= this.deadline;
		const isLate = mayPass && isEnd && hasDue !== undefined;
		const isOutage = mayPass && error.concernsAll && results.hasRead;
		if (!isThrottle(error) && !isLate && !isOutage) throw error;
		this.isOver = true;
		if (!isThrottle(error)) return;
		this.throttle = error;
		const { at, retryAfterMs } = error;
		if (retryAfterMs !== undefined) this.pausedUntil = at + retryAfterMs;
	}

	/** With a wrong slug, such as one in capitals, the team would seem to measure nothing. */
	private async checkProvider({ state: { pass, seen } }: PollEnd) {
		const { settings, schedule } = this.poll;
		const { checkedFor } = schedule.local;
		const { provider } = settings.target;
		const isChecked = checkedFor.has(settings.watched);
		const hasReadings = Object.keys(seen).length > 0;
		if (!provider || isChecked || pass === 0 || hasReadings) return undefined;
		try {
			const problem = await providerProblem(this.get, provider);
			checkedFor.add(settings.watched);
			return problem;
		} catch (error) {
			return ignoreProblem(error);
		}
	}
}
