/**
 * Reader: one poll, from top to bottom. Users in the order of the list → read in this pass: done
 * → failed before: aside → else read → the users aside, the oldest try first → each result moves
 * the cursor of its user → until the deadline, the maximum of rows, a throttle of all or an outage
 * → if all were done, the next pass → emit the oldest rows, save. The next poll reads the users
 * who were not reached.
 */
import type { IPollFunctions } from 'n8n-workflow';
import { connect, SINGLE_ATTEMPT, type Get } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { FEW_ATTEMPTS, MAX_PAUSE_MS, SHORT_RETRY } from '../http/retry';
import { pathOf } from '../service/readings/metrics';
import type { UserResult } from '../service/readings/readUsers';
import { providerProblem } from '../service/users/provider';
import { unfoundUser, type SelectedUser } from '../service/users/selection';
import { ignoreProblem, isThrottle, Problem } from '../shared/problem';
import type { Clock } from './clock';
import { hasFailed, keyOf, labelOf, type Cursors } from './cursors';
import { PollResult } from './results';
import type { Schedule } from './scheduler';
import type { Settings } from './settings';
import type { Cursor, TriggerState } from './state';

/** Part of the budget in which users aside are started. */
const SHARE_OF_ASIDE = 0.3;
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

/** All times in ms, by `performance.now()`. */
export class PollReader {
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
	/** How many users the sample was chosen from. */
	private offered = 0;
	/** Whether one of the users met is due, and not aside; undefined before a user is met. */
	private hasDue?: boolean;
	private isAside = false;
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
	async read() {
		await this.connect();
		await this.takeAll();
		const { results, firstFailure } = this;
		// Earlier polls have read this pass to its end.
		if (!results.hasRead && !this.isTimeUp() && results.isPassComplete) {
			this.cursors.beginPass();
			// A user of the pass before is due again, and may be the limited one.
			this.queue.sample = undefined;
			await this.takeAll();
		}
		const { isOne, entries } = this.poll.settings.target.selection;
		const isWrong =
			isOne || (entries?.length === 1 && !firstFailure?.isTransient);
		// The field that names this user may be wrong.
		if (firstFailure && isWrong && !results.hasRead) throw firstFailure;
		const { isThrottledForAll, lastThrottle } = this.queue;
		const hasTaken = this.startsUntil < this.end;
		const hadNoTime = this.hasDue && !hasTaken && !lastThrottle;
		// The list takes more than a poll: those within reach are read again.
		const isStuck = this.hasDue === false || hadNoTime;
		if (isStuck && !results.isListRead) this.cursors.restart();
		results.finish();
		const hasCost = isThrottledForAll && !results.isPassComplete;
		// It may have left so little time that no request of a user was sent.
		if (hasCost || !results.hasRead) results.throttle ??= lastThrottle;
		await this.checkProvider();
		return results;
	}

	private async connect() {
		const { queue, timeoutMs, deadline, before } = this;
		const { context, schedule, clock } = this.poll;
		this.get = await connect(context, {
			...(schedule.isStart && SHORT_RETRY),
			queueOf: () => queue,
			timeoutMs,
			retryUntil: schedule.isStart ? undefined : deadline,
			maxRetryAfterMs: MAX_PAUSE_MS,
			isPoll: true,
			onAnswer: clock.onAnswer,
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
		this.results.state.pausedUntil = pausedUntil;
	}

	/** The users who are due in this pass, as listed. Failed ones come last, the oldest try first. */
	private async *due(): AsyncGenerator<SelectedUser> {
		const { cursors, results } = this;
		const { selection } = this.poll.settings.target;
		const aside: SelectedUser[] = [];
		for await (const user of selection.users(this.get)) {
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
		results.isListRead = true;
		if (results.isOtherTeam) return;
		if (aside.length) this.startAside();
		const triedOf = (user: SelectedUser) => cursors.of(user).tried;
		yield* aside.sort((a, b) => triedOf(a) - triedOf(b));
	}

	/**
	 * Users aside are started in a part of the budget. Not at a low rate: requests would wait for most
	 * of it.
	 */
	private startAside() {
		const { schedule, settings } = this.poll;
		const partMs = settings.target.requestsPerSecond
			? Infinity
			: schedule.budgetMs * SHARE_OF_ASIDE;
		this.isAside = true;
		this.startsUntil = Math.min(performance.now() + partMs, this.end);
	}

	private async takeAll() {
		const { cursors, timeoutMs, isTimeUp } = this;
		const { settings, schedule } = this.poll;
		if (this.isOver) return;
		const read = settings.event.read(this.get, this.due(), {
			target: settings.target,
			windowStartOf: (user) => cursors.windowStart(cursors.of(user)),
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
		this.results.isAsideDone = !this.isOver;
	}

	/** Retries must not use up the poll when many users fail, nor the limit after a limit. */
	private attemptsOf({ ended }: Cursor) {
		if (ended === 'failed') return 1;
		return ended || this.firstFailure ? FEW_ATTEMPTS : undefined;
	}

	private readonly isTimeUp = (until = this.startsUntil) =>
		this.isOver || performance.now() >= until;

	private async take(result: UserResult) {
		const { cursors, queue } = this;
		const { troubles } = this.poll.schedule.local;
		if (!this.isAside) this.startsUntil = this.deadline;
		cursors.meet(result);
		const { isGone, twinOf } = result;
		if (twinOf) {
			troubles.delete(keyOf(result));
			return cursors.skip(result, twinOf);
		}
		const problem = isGone
			? unfoundUser()
			: (result.problem ?? this.results.detect(result));
		if (!problem) return this.noteRead(result);
		const isLimit: boolean = isThrottle(problem);
		if (isLimit && (await queue.knowsThrottledForAll()))
			return this.endBy(problem);
		// The user may have been removed since the list was read.
		const isCut = !isLimit && (isGone || this.isCutShort(result));
		// An answer that the end of the poll has cut off says nothing about the user.
		if (!isCut || problem.httpCode)
			troubles.set(keyOf(result), { label: labelOf(result), problem });
		if (isLimit) return cursors.throttle(result);
		if (isCut) return cursors.cut(result);
		cursors.fail(result);
		this.firstFailure ??= problem;
	}

	private noteRead(result: UserResult) {
		this.poll.schedule.local.troubles.delete(keyOf(result));
		this.queue.sample = this.sampleOf(result);
		// A read that succeeds again does not use up the part of the failing ones.
		if (this.isAside) this.startAside();
		this.isOver ||= this.results.isFull;
	}

	/** Until this poll has read a user, the sample is any user read earlier in the pass. */
	private offerSample(user: SelectedUser, { ended }: Cursor) {
		if (ended || this.results.hasRead) return;
		this.offered++;
		// Each user has the same chance.
		if (Math.random() * this.offered < 1)
			this.queue.sample = this.sampleOf(user);
	}

	/** A user who was read tells more than the user list: readings may have a limit of their own. */
	private sampleOf({ user, sentId }: SelectedUser) {
		const { metric } = this.poll.settings.event;
		const id = sentId ?? user.user_id;
		if (!metric || !id) return;
		const now = new Date().toISOString();
		const path = pathOf(metric, encodeURIComponent(id));
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
		results.throttle = error;
		const { at, retryAfterMs } = error;
		if (retryAfterMs !== undefined)
			results.state.pausedUntil = at + retryAfterMs;
	}

	/** With a wrong slug, such as one in capitals, the team would seem to measure nothing. */
	private async checkProvider() {
		const { settings, schedule } = this.poll;
		const { local } = schedule;
		const { provider } = settings.target;
		const isChecked = local.checkedFor === settings.watched;
		const { pass, seen } = this.results.state;
		const hasReadings = Object.keys(seen).length > 0;
		if (!provider || isChecked || pass === 0 || hasReadings) return;
		await providerProblem(this.get, provider).then((problem) => {
			this.results.wrongField = problem;
			local.checkedFor = settings.watched;
		}, ignoreProblem);
	}
}
