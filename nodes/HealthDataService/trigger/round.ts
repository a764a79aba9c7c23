/**
 * Poll round: reads all users, or as many as one poll may, and passes on what changed. Users → read → detect → filter → emit → save:
 * the first two steps are here, the others in roundResults.ts. Results are taken as they are completed.
 */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, type Get } from '../http/client';
import type { AdaptiveTimeout } from '../http/deadlines';
import { userPrefix } from '../service/readingId';
import type { ListEntry, SelectedUser, UserSelection } from '../service/userSelection';
import { Problem } from '../shared/problem';
import type { EventResult, ReadOptions, TriggerEvent, WatchTarget } from './events';
import { isLimit, LimitedUsers, REST_MS, type FailedUsers } from './failedUsers';
import { doneBefore, inOrderOf, OVERLAP, remainingUsers, unlistedUsers, urgentFirst, usersById } from './resume';
import { RoundResults, type ResultOptions } from './roundResults';
import { windowStart, type TriggerState } from './state';
import { failedUserKey, unresolvedKey } from './watchList';

export interface RoundOptions extends Omit<ResultOptions, 'windowStart'> {
	/** By `performance.now()`: no user is started after it. */
	deadline: number;
	/** How long this poll may take, in ms. */
	budgetMs: number;
	/** Of one answer: the poll ends so long after its deadline. */
	timeout: AdaptiveTimeout;
}

export interface RoundResult {
	/** Oldest first. */
	items: IDataObject[];
	/** To save once the items are emitted. */
	state: TriggerState;
	failedUsers: FailedUsers;
	/** How many failed users were read again. */
	recovered: number;
	/** The limit of the service that cut this poll short. */
	limit?: Problem;
	/** Whether any user was read. */
	hasRead: boolean;
	/** Set, and all other values invalid, if these users are of another team than before: its hash. */
	otherTeam?: string;
}

/** Part of the budget that failed users may take, after the others. */
const SHARE_OF_FAILED = 0.3;

/** Failed users in a poll before the requests of the others get a single attempt. */
const FAILURES_WITH_RETRIES = 3;

/** Failures in a row after which the user list tells whether the service fails as a whole. */
const FAILURES_TO_PROBE = 20;

/** @throws Problem when the list cannot be read, the service does not answer, or the field that names the only user may be wrong */
export async function readRound(...given: ConstructorParameters<typeof RoundPoll>): Promise<RoundResult> {
	return await new RoundPoll(...given).read();
}

/**
 * One poll of a round. First come the users who are not done, in the order of the list; last those who failed in an earlier poll.
 *
 * What ends the poll (`isTimeUp`), so that only requests in flight are awaited:
 * - its deadline;
 * - as many rows as one poll may emit;
 * - a limit of the service that others meet too: a Retry-After, several in a row, or one of the user list;
 * - an outage: many failures in a row, and the user list fails too;
 * - a user list of another team.
 */
class RoundPoll {
	private readonly results: RoundResults;
	private readonly limits = new LimitedUsers();
	/** Time of one user: a read that had it has failed, also where the end of the poll cut it off. */
	private readonly shareMs: number;
	/** Failed users of the list, to be read last but for the urgent ones. */
	private readonly held: SelectedUser[] = [];
	/** They are read first in the next poll, and count as failed if it does not read them either. */
	private readonly cutOff: EventResult[] = [];
	private isListRead = false;
	/** Whether the poll ends before its deadline. */
	private isOver = false;
	private otherTeam?: string;

	constructor(
		private readonly get: Get,
		private readonly event: TriggerEvent,
		private readonly target: WatchTarget,
		private readonly before: TriggerState,
		private readonly options: RoundOptions,
	) {
		const { budgetMs, now, lookback, timeout } = options;
		const start = windowStart(before, now, lookback);
		this.shareMs = Math.min(timeout.ms, budgetMs / 2);
		this.results = new RoundResults(event, target.selection, before, { ...options, windowStart: start });
	}

	async read(): Promise<RoundResult> {
		const { results, limits, before, options } = this;
		const { failedUsers } = results;
		const users = () => urgentFirst(this.openUsers(), failedUsers.urgent.size);
		await this.takeAll({ ...this.target.selection, users });
		const { otherTeam } = this;
		if (otherTeam) return { items: [], state: before, failedUsers, recovered: 0, hasRead: false, otherTeam };
		const hangs = options.timeout.isShort;
		const stopped = [...limits.whileOthersAreAnswered, ...this.cutOff];
		this.setLimitedAside();
		const isComplete = this.isComplete();
		if (failedUsers.keys.length > 0 && !this.isOver) await this.takeFailed(isComplete);
		this.throwIfOnlyUserFailed();
		const { items, recovered, state } = results.emitAndSave(isComplete, { hangs, stopped });
		return { items, state, failedUsers, recovered, limit: limits.problem, hasRead: results.successes > 0 };
	}

	/** A limit of the list ends the poll as one of a user does. So does a failure once time is up, or of the list of failed users. */
	private async takeAll(selection: UserSelection, ofFailed?: Partial<ReadOptions>) {
		const { get, event, target, limits, results } = this;
		const options = { ...this.readOptions(), ...ofFailed };
		const takeEach = async () => {
			for await (const result of event.read(get, { ...target, selection }, options)) {
				if (!result.user && results.isEmpty && this.isOtherTeam(result)) return;
				await this.take(result);
			}
		};
		await takeEach().catch((error: unknown) => {
			const isTransient = (ofFailed || this.isTimeUp()) && error instanceof Problem && error.isTransient;
			if ((!ofFailed && results.isEmpty && results.openCount === 0) || !(isLimit(error) || isTransient)) throw error;
			if (isLimit(error)) limits.note(error);
			this.isOver = true;
		});
	}

	private async take(result: EventResult) {
		const { results, limits, options } = this;
		const { problem, tookMs = 0 } = result;
		if (isLimit(problem) && results.failedUsers.refuseUrgent(failedUserKey(result))) return;
		if (isLimit(problem)) return void (this.isOver ||= limits.refuse(result, problem));
		limits.answer(result);
		if (this.isCutOff(result)) return void this.cutOff.push(result);
		results.take(result);
		options.timeout.note(problem !== undefined, tookMs);
		if (results.isFull || (await this.isOutage())) this.isOver = true;
	}

	/** Whether only the end of the poll kept this user from being read. */
	private isCutOff({ problem, tookMs = 0, ...listed }: EventResult): boolean {
		const isOpen = listed.place !== Infinity && tookMs < this.shareMs;
		return problem !== undefined && isOpen && this.isTimeUp() && !this.results.wasStopped(listed);
	}

	private readonly isTimeUp = () => this.isOver || performance.now() >= this.options.deadline;

	private readOptions(): ReadOptions {
		const { results, before, shareMs, options, isTimeUp } = this;
		const { failedUsers } = results;
		return {
			windowStartOf: results.windowStartOf,
			slice: { offset: Math.max(0, (before.round?.at ?? 0) - OVERLAP) },
			hasFailed: ({ user_id }) => Object.hasOwn(before.behind, user_id),
			mayRetry: (tookMs) => tookMs < shareMs / 2 && failedUsers.problemCount < FAILURES_WITH_RETRIES,
			isTooSlow: (tookMs) => isTimeUp() || tookMs > options.budgetMs / 2,
			isTimeUp,
		};
	}

	/** Users who are not done. Failed users are held back until all others are read, unless the last poll had no time for any. */
	private async *openUsers(): AsyncGenerator<SelectedUser> {
		const { get, results, before, held, options } = this;
		const { failedUsers } = results;
		const hasFailed = (entry: ListEntry) => failedUsers.get(unresolvedKey(entry)) !== undefined;
		const isDone = doneBefore(before.round);
		const begunAt = performance.now();
		let isFirst = true;
		for await (const user of remainingUsers(get, this.target.selection, before.round, hasFailed)) {
			if (isFirst && this.isOtherTeam(user)) return;
			if (isFirst) options.timeout.begin(performance.now() - begunAt);
			isFirst = false;
			results.expect(user);
			const key = failedUserKey(user)!;
			if (isDone(user)) results.skip(user);
			else if (user.problem || !failedUsers.get(key)) yield user;
			else if (held.push(results.hold(user)) && failedUsers.urgent.has(key)) yield { ...user, place: Infinity };
		}
		this.isListRead = true;
	}

	/** A key may see users of several teams, so only the first user of the list counts. */
	private isOtherTeam({ team, place }: Pick<EventResult, 'team' | 'place'>): boolean {
		const { before } = this;
		const found = (!before.round?.at || place <= OVERLAP) && team !== undefined ? userPrefix(team) : before.team;
		this.results.team = found;
		if (before.team !== undefined && found !== before.team) this.otherTeam = found;
		return this.otherTeam !== undefined;
	}

	/** Whether the service fails as a whole. A stretch of failing users does not end a round while the user list answers. */
	private async isOutage(): Promise<boolean> {
		const { failuresInARow, successes, failedUsers } = this.results;
		if (failuresInARow === 0 || failuresInARow % FAILURES_TO_PROBE !== 0) return false;
		const answer = this.get('/v2/user', { limit: 1 }, undefined, SINGLE_ATTEMPT);
		const problem = await answer.then(() => undefined).catch((error: Error) => error);
		if (isLimit(problem)) this.limits.note(problem);
		else if (problem && successes === 0) throw failedUsers.everyReadFailed();
		return problem !== undefined;
	}

	/** Limited users must not keep the round open for ever if they are the only ones limited. */
	private setLimitedAside() {
		const { results, limits, before } = this;
		if (!this.isListRead || results.openCount !== limits.users.length) return;
		const hasRested = (before.limit?.rest ?? 0) >= REST_MS.most;
		for (const one of limits.users) if (hasRested || results.wasStopped(one)) results.setAside(one);
	}

	/** Whether the list came to its end, and every user has a result. */
	private isComplete(): boolean {
		// Pages of users have no end but that of the read.
		if (this.results.openCount > 0) return false;
		return this.isListRead || (!this.isTimeUp() && this.limits.problem === undefined);
	}

	/** Reads the failed users, with a part of the budget; at the end of a round those who have left the list too. */
	private async takeFailed(isComplete: boolean) {
		const { timeout, budgetMs, deadline } = this.options;
		timeout.halve();
		const shareMs = Math.max(budgetMs * SHARE_OF_FAILED, timeout.currentMs);
		const end = Math.min(performance.now() + shareMs, deadline + timeout.ms);
		const isTooSlow = () => performance.now() > end;
		const ends = { isTooSlow, isTimeUp: () => this.isOver || performance.now() + timeout.currentMs > end };
		await this.takeAll({ ...this.target.selection, users: () => this.failedUsers(ends.isTimeUp) }, ends);
		const left = this.isListRead && isComplete ? this.results.unlisted() : [];
		if (left.length > 0) await this.takeAll(unlistedUsers(left), ends);
	}

	/** Those of another part of the list are looked for: it is cheap, and read once more. */
	private async *failedUsers(isTimeUp: () => boolean): AsyncGenerator<SelectedUser> {
		const { held, before, isListRead, target } = this;
		const { keys, urgent } = this.results.failedUsers;
		const heldNow = new Set(held.map(failedUserKey));
		const missing = keys.filter((key) => Object.hasOwn(before.behind, key) && !heldNow.has(key));
		const users = held.filter((user) => !urgent.has(failedUserKey(user)!));
		if ((before.round || !isListRead) && !target.selection.entries && missing.length > 0 && !isTimeUp())
			for await (const user of usersById(this.get, target.selection, missing)) users.push(user);
		yield* inOrderOf(keys, users);
	}

	/** @throws Problem: the field that names this user may be wrong */
	private throwIfOnlyUserFailed() {
		const { isOne, entries } = this.target.selection;
		const failure = this.results.isOnlyUserFailed ? this.results.failedUsers.everyReadFailed() : undefined;
		if (failure && (isOne || (entries && !failure.isTransient))) throw failure;
	}
}
