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
import { userPrefix } from '../service/readings/identity';
import { pathOf } from '../service/readings/metrics';
import type { UserResult } from '../service/readings/readUsers';
import { providerProblem } from '../service/users/provider';
import { unfoundUser, type SelectedUser } from '../service/users/selection';
import { ignoreProblem, isThrottle, Problem } from '../shared/problem';
import type { Clock } from './clock';
import { hasFailed, keyOf, labelOf, type Cursors } from './cursors';
import { PollResult } from './results';
import type { Local, Schedule } from './scheduler';
import type { Settings } from './settings';
import type { Cursor, TriggerState } from './state';

/** In ms. By `performance.now()`: no user is started after `deadline`. */
interface PollOptions {
	clock: Clock;
	deadline: number;
	budgetMs: number;
	timeoutMs: number;
	queue: RequestQueue;
	troubles: Local['troubles'];
}

/** Part of the budget for the users aside. */
const SHARE_OF_ASIDE = 0.3;
/** Failures in a row after which the user list tells whether the service fails as a whole. */
const FAILURES_TO_PROBE = 20;
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

/**
 * @throws Problem when the list cannot be read, the service does not answer, or the field of the
 * only user may be wrong
 */
export async function readPoll(
	poll: Poll,
	state: TriggerState,
): Promise<PollResult> {
	const { context, schedule, settings, clock } = poll;
	const { isStart, budgetMs, local } = schedule;
	const { target } = settings;
	const timeoutMs = Math.min(TIMEOUT_MS, budgetMs * TIMEOUT_PART);
	const end = clock.started + budgetMs;
	// A request that is in flight at the deadline may still take as long as one answer.
	const deadline = end - timeoutMs;
	const queue = new RequestQueue(target, end);
	const get = await connect(context, {
		...(isStart && SHORT_RETRY),
		queueOf: () => queue,
		timeoutMs,
		retryUntil: isStart ? undefined : deadline,
		maxRetryAfterMs: MAX_PAUSE_MS,
		isPoll: true,
		onAnswer: clock.onAnswer,
	});
	const { troubles } = local;
	const options = { clock, deadline, budgetMs, timeoutMs, queue, troubles };
	const result = await new PollReader(get, settings, state, options).read();
	const { pass, seen } = result.state;
	const isChecked = local.checkedFor === settings.watched;
	const hasReadings = Object.keys(seen).length > 0;
	// With a wrong slug, such as one in capitals, the team would seem to measure nothing.
	if (target.provider && pass > 0 && !hasReadings && !isChecked)
		await providerProblem(get, target.provider).then((problem) => {
			result.wrongField = problem;
			local.checkedFor = settings.watched;
		}, ignoreProblem);
	return result;
}

class PollReader {
	private readonly cursors: Cursors;
	private readonly results: PollResult;
	private firstFailure?: Problem;
	/** How many users the sample was chosen from. */
	private offered = 0;
	private failuresInARow = 0;
	/** Users who were read, or failed to be. */
	private taken = 0;
	private isAside = false;
	private isOver = false;

	constructor(
		private readonly get: Get,
		private readonly settings: Settings,
		private readonly before: TriggerState,
		private readonly options: PollOptions,
	) {
		this.results = new PollResult(settings, before, options.clock);
		this.cursors = this.results.cursors;
	}

	async read() {
		this.waitOut(this.before.pausedUntil);
		// First reads begin by the service's time, which the first answer tells.
		if (!this.before.cursors.length && !this.isOver) await this.probe();
		await this.takeAll();
		// Earlier polls have read this pass to its end.
		if (!this.results.hasRead && !this.isOver && this.results.isPassComplete) {
			this.cursors.beginPass();
			// A user of the pass before is due again, and may be the limited one.
			this.options.queue.sample = undefined;
			await this.takeAll();
		}
		const { firstFailure, results, settings } = this;
		const { isOne, entries } = settings.target.selection;
		const isWrong =
			isOne || (entries?.length === 1 && !firstFailure?.isTransient);
		// The field that names this user may be wrong.
		if (firstFailure && isWrong && !results.hasRead) throw firstFailure;
		results.finish();
		const { isThrottledForAll, lastThrottle } = this.options.queue;
		const hasCost = isThrottledForAll && !results.isPassComplete;
		// It may have left so little time that no request of a user was sent.
		if (hasCost || !results.hasRead) results.throttle ??= lastThrottle;
		return results;
	}

	/** Waits for the end of a Retry-After, or ends the poll. A clock that was set back does not make it longer. */
	private waitOut(pausedUntil = 0) {
		const { clock, deadline, queue } = this.options;
		const pauseMs = pausedUntil - clock.now;
		if (pauseMs > MAX_PAUSE_MS) return;
		queue.pause(pauseMs);
		if (performance.now() + pauseMs < deadline) return;
		this.isOver = true;
		this.results.state.pausedUntil = pausedUntil;
	}

	/** The users who are due in this pass, as listed. Failed ones come last, the oldest try first. */
	private async *due(): AsyncGenerator<SelectedUser> {
		const { cursors, results, settings } = this;
		const aside: SelectedUser[] = [];
		for await (const user of settings.target.selection.users(this.get)) {
			// The first user of the list tells the team. A key may see users of several teams:
			// a known user does not mean another key.
			const isFirst = cursors.met.size === 0;
			if (isFirst && user.team && !cursors.has(user))
				results.state.team = userPrefix(user.team);
			if (results.isOtherTeam) return;
			cursors.meet(user);
			const cursor = cursors.of(user);
			const isDone = cursors.isDone(cursor);
			results.hasDue ||= !isDone;
			if (isDone) this.offerSample(user, cursor);
			else if (hasFailed(cursor)) aside.push(user);
			else yield user;
		}
		results.isListRead = true;
		if (aside.length) this.startAside();
		const triedOf = (user: SelectedUser) => cursors.of(user).tried;
		yield* aside.sort((a, b) => triedOf(a) - triedOf(b));
	}

	/**
	 * Ends the poll after a part of the budget, or one answer's timeout if longer. Not at a low rate:
	 * requests would wait for most of it.
	 */
	private startAside() {
		const { budgetMs, timeoutMs, queue } = this.options;
		const partMs = Math.max(budgetMs * SHARE_OF_ASIDE, timeoutMs);
		this.isAside = true;
		if (this.settings.target.requestsPerSecond) return;
		queue.endAt = Math.min(performance.now() + partMs, queue.endAt);
	}

	private async takeAll() {
		const { cursors, settings, isTimeUp } = this;
		const { budgetMs, timeoutMs } = this.options;
		if (this.isOver) return;
		const read = settings.event.read(this.get, this.due(), {
			target: settings.target,
			windowStartOf: (user) => cursors.windowStart(cursors.of(user)),
			// Once a user has failed, an outage must not use up the poll.
			attemptsOf: (user) =>
				hasFailed(cursors.of(user)) ? 1 : this.firstFailure && FEW_ATTEMPTS,
			budget: () => ({
				retryMs: timeoutMs / 2,
				totalMs: isTimeUp() ? 0 : budgetMs / 2,
			}),
			isTimeUp,
		});
		const takeEach = async () => {
			for await (const result of read) await this.take(result);
		};
		await takeEach().catch((error: Error) => {
			const mayPass = error instanceof Problem && error.isTransient;
			const isLate = mayPass && this.taken > 0 && isTimeUp();
			if (!isThrottle(error) && !isLate) throw error;
			this.endBy(error);
		});
		this.results.isAsideDone = this.isAside && !this.isOver;
	}

	/** Each poll reads a user at least, however long the list has taken at a low rate. */
	private get endAt() {
		const { deadline, queue } = this.options;
		return this.isAside || this.taken === 0 ? queue.endAt : deadline;
	}

	private readonly isTimeUp = () =>
		this.isOver || performance.now() >= this.endAt;

	private async take(result: UserResult) {
		this.taken++;
		this.cursors.meet(result);
		const { isGone } = result;
		const isTwin = !result.problem && !result.user.user_id;
		if (isTwin) return this.noteTwin(result);
		const problem = isGone
			? unfoundUser()
			: (result.problem ?? this.results.detect(result));
		if (!problem) return this.noteRead(result);
		const isLimit: boolean = isThrottle(problem);
		const { queue, troubles } = this.options;
		if (isLimit && (await queue.knowsThrottledForAll()))
			return this.endBy(problem);
		const isCut = !isLimit && this.isCutShort(result);
		// An answer that the end of the poll has cut off says nothing about the user.
		if (!isCut || problem.httpCode)
			troubles.set(keyOf(result), { label: labelOf(result), problem });
		if (isLimit) return this.cursors.throttle(result);
		if (isGone) return this.cursors.miss(result);
		if (isCut) return this.cursors.cut(result);
		this.cursors.fail(result);
		await this.noteFailure(problem);
	}

	/** Of a second entry of one user. */
	private noteTwin(result: UserResult) {
		this.options.troubles.delete(keyOf(result));
		this.cursors.skip(result);
	}

	private noteRead(result: UserResult) {
		const { queue, troubles } = this.options;
		this.failuresInARow = 0;
		troubles.delete(keyOf(result));
		queue.sample = this.sampleOf(result);
		this.isOver ||= this.results.isFull;
	}

	/** Until this poll has read a user, the sample is any user read earlier in the pass. */
	private offerSample(user: SelectedUser, { ended }: Cursor) {
		if (ended || this.results.hasRead) return;
		this.offered++;
		// Each user has the same chance.
		if (Math.random() * this.offered < 1)
			this.options.queue.sample = this.sampleOf(user);
	}

	/** A user who was read tells more than the user list: readings may have a limit of their own. */
	private sampleOf({ user, sentId }: SelectedUser) {
		const { metric } = this.settings.event;
		const id = sentId ?? user.user_id;
		if (!metric || !id) return undefined;
		const now = new Date().toISOString();
		return `${pathOf(metric, id)}?start_date=${now}&end_date=${now}`;
	}

	/** Whether only the end of the poll has kept this user from being read. */
	private isCutShort({ endedAt, tookMs }: UserResult) {
		const isLate = this.isOver || endedAt >= this.endAt;
		return isLate && tookMs < this.options.timeoutMs;
	}

	/** Ends the poll, and those after it until the time that a throttle names. */
	private endBy(problem: Error) {
		this.isOver = true;
		if (!isThrottle(problem)) return;
		this.results.throttle = problem;
		const { at, retryAfterMs } = problem;
		if (retryAfterMs !== undefined)
			this.results.state.pausedUntil = at + retryAfterMs;
	}

	/** A stretch of failing users does not end a poll while the user list answers: else the service fails as a whole. */
	private async noteFailure(problem: Problem) {
		this.firstFailure ??= problem;
		this.failuresInARow++;
		if (this.failuresInARow % FAILURES_TO_PROBE || this.isTimeUp()) return;
		const outage = await this.probe();
		if (!outage) return;
		if (!this.results.hasRead) throw outage;
		this.endBy(outage);
	}

	/** Why the user list cannot be read now, if it cannot. */
	private async probe(): Promise<Error | undefined> {
		const request = { ...SINGLE_ATTEMPT, isProbe: true };
		const answer = this.get('/v2/user?limit=1', {}, undefined, request);
		return await answer.then(
			() => undefined,
			(error: Error) => error,
		);
	}
}
