/**
 * Poll round: reads all users, or as many as one poll may, and passes on what changed. Users → read → detect → filter → emit → save:
 * the first two steps are here, the others in roundResults.ts. Results are taken as they are completed.
 */
import type { IDataObject } from 'n8n-workflow';
import { SINGLE_ATTEMPT, type Get } from '../http/client';
import type { AdaptiveTimeout } from '../http/deadlines';
import { LIMITS_IN_A_ROW } from '../http/retry';
import { userPrefix } from '../service/readingId';
import type { ListEntry, SelectedUser, UserSelection } from '../service/userSelection';
import { Problem } from '../shared/problem';
import type { EventResult, ReadOptions, TriggerEvent, WatchTarget } from './events';
import type { FailedUsers } from './failedUsers';
import { doneBefore, OVERLAP, remainingUsers, unlistedUsers } from './resume';
import { RoundResults, type ResultOptions } from './roundResults';
import { windowStart, type TriggerState } from './state';
import { failedUserKey, unresolvedKey } from './watchList';

export interface RoundOptions extends ResultOptions {
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

/** Bounds of the rest after a limited poll in which nobody could be read: a limit of few requests an hour needs polls further apart. */
export const REST_MS = { least: 60_000, most: 1_800_000 };

/** Whether the service limits the requests: never a failure of one user. */
export const isLimit = (problem: unknown): problem is Problem =>
	problem instanceof Problem && (problem.kind === 'rate-limited' || problem.retryAfterMs !== undefined);

/**
 * @throws Problem when the list cannot be read, the service does not answer, or the field that names the only user may be wrong
 */
export async function readRound(
	get: Get,
	event: TriggerEvent,
	target: WatchTarget,
	before: TriggerState,
	options: RoundOptions,
): Promise<RoundResult> {
	const { deadline, budgetMs, now, lookback, timeout } = options;
	const { selection } = target;
	const start = windowStart(before, now, lookback);
	const results = new RoundResults(event, selection, before, { ...options, windowStart: start });
	const { failedUsers } = results;
	const position = before.round?.at ?? 0;
	const shareMs = Math.min(timeout.ms, budgetMs / 2);
	const held: SelectedUser[] = [];
	let isListRead = false;
	/** Whether the poll ends before its deadline. */
	let isOver = false;
	let otherTeam: string | undefined;
	let limit: Problem | undefined;
	let limitsInARow = 0;
	/** Each with when its first request was sent. */
	const limited: Array<EventResult & { sentAt: number }> = [];
	/** When the first request of an answered user was sent: the latest. */
	let lastAnsweredSentAt = -Infinity;

	const isTimeUp = () => isOver || performance.now() >= deadline;
	const readOptions: ReadOptions = {
		windowStartOf: (userId = '') => failedUsers.get(userId)?.from ?? start,
		slice: { offset: Math.max(0, position - OVERLAP) },
		hasFailed: ({ user_id }) => Object.hasOwn(before.behind, user_id),
		mayRetry: (tookMs) => tookMs < shareMs / 2 && failedUsers.problemCount < FAILURES_WITH_RETRIES,
		isTooSlow: (tookMs) => isTimeUp() || tookMs > budgetMs / 2,
		isTimeUp,
	};
	/** Whether the end of the poll cut this read off. The next poll repeats it, unless its user has had a whole timeout. */
	const isCutOff = ({ problem, tookMs = 0 }: EventResult) => problem !== undefined && isTimeUp() && tookMs < shareMs;
	/** A key may see users of several teams, so only the first user of the list counts. */
	function isOtherTeam({ team, place }: Pick<EventResult, 'team' | 'place'>): boolean {
		const found = (position === 0 || place <= OVERLAP) && team !== undefined ? userPrefix(team) : before.team;
		results.team = found;
		if (before.team !== undefined && found !== before.team) otherTeam = found;
		return otherTeam !== undefined;
	}

	/** Users who are not done. Failed users are held back until all others are read. */
	async function* users(): AsyncGenerator<SelectedUser> {
		const hasFailed = (entry: ListEntry) => failedUsers.get(unresolvedKey(entry)) !== undefined;
		const isDone = doneBefore(before.round);
		let isFirst = true;
		for await (const user of remainingUsers(get, selection, before.round, hasFailed)) {
			if (isFirst && isOtherTeam(user)) return;
			isFirst = false;
			results.expect(user);
			if (isDone(user)) results.skip(user);
			else if (!user.problem && failedUsers.get(failedUserKey(user)!)) held.push(results.hold(user));
			else yield user;
		}
		isListRead = true;
	}
	/** Those whose last attempt is longest ago come first. */
	async function* failedLast(isEnded: () => boolean): AsyncGenerator<SelectedUser> {
		const heldNow = new Set(held.map(failedUserKey));
		const missing = new Set(failedUsers.keys.filter((key) => Object.hasOwn(before.behind, key) && !heldNow.has(key)));
		// Failed users of another part of the list: it is cheap, and read once more.
		if ((before.round || !isListRead) && !selection.entries && missing.size > 0 && !isEnded()) {
			for await (const user of selection.users(get)) {
				if (missing.delete(user.user.user_id)) held.push(user);
				if (missing.size === 0) break;
			}
		}
		const order = new Map(failedUsers.keys.map((key, index) => [key, index]));
		const rankOf = (user: SelectedUser) => order.get(failedUserKey(user)!) ?? 0;
		held.sort((a, b) => rankOf(a) - rankOf(b));
		for (const user of held) yield { ...user, place: Infinity };
	}
	const read = (part: UserSelection, more?: Partial<ReadOptions>) =>
		event.read(get, { ...target, selection: part }, { ...readOptions, ...more });

	/** A limit that others meet too ends the poll; its users are read first in the next one. */
	function noteLimit(problem: Problem) {
		limit = problem;
		limitsInARow++;
		isOver ||= problem.retryAfterMs !== undefined || limitsInARow >= LIMITS_IN_A_ROW;
	}
	/** Whether the service fails as a whole. A stretch of failing users does not end a round while the user list answers. */
	async function isOutage(): Promise<boolean> {
		if (results.failuresInARow === 0 || results.failuresInARow % FAILURES_TO_PROBE !== 0) return false;
		const problem = await get('/v2/user', { limit: 1 }, undefined, SINGLE_ATTEMPT).then(
			() => undefined,
			(error: Error) => error,
		);
		if (isLimit(problem)) noteLimit(problem);
		else if (problem && !results.hasSuccess) throw failedUsers.everyReadFailed();
		return problem !== undefined;
	}
	async function takeAll(all: AsyncIterable<EventResult>) {
		for await (const result of all) {
			// A page of the list.
			if (!result.user && results.isEmpty && isOtherTeam(result)) return;
			const sentAt = performance.now() - (result.tookMs ?? 0);
			if (isLimit(result.problem)) {
				noteLimit(result.problem);
				if (result.place !== Infinity) limited.push({ ...result, sentAt });
				continue;
			}
			if (!result.problem) lastAnsweredSentAt = Math.max(lastAnsweredSentAt, sentAt);
			limitsInARow = 0;
			if (isCutOff(result)) continue;
			results.take(result);
			timeout.note(result.problem !== undefined, result.tookMs ?? 0);
			if (results.isFull || (await isOutage())) isOver = true;
		}
	}
	/** A limit of the list ends the poll as one of a user does. */
	async function takeUntilLimit(all: AsyncIterable<EventResult>) {
		await takeAll(all).catch((error: unknown) => {
			if (!isLimit(error) || results.isEmpty) throw error;
			noteLimit(error);
			isOver = true;
		});
	}

	await takeUntilLimit(read({ ...selection, users }));
	if (otherTeam !== undefined)
		return { items: [], state: before, failedUsers, recovered: 0, hasRead: false, otherTeam };
	const hangs = timeout.isShort;
	// A limit of all users answers what is sent first. One that only these users meet must not keep the round open.
	const own = new Set(limited.filter(({ sentAt }) => sentAt < lastAnsweredSentAt));
	const isOnly = isListRead && results.openCount === limited.length;
	const hasRested = (before.limit?.rest ?? 0) >= REST_MS.most;
	if (isOnly) for (const one of limited) if (hasRested || results.wasLimited(one)) results.setAside(one);
	const isPages = !isListRead && results.openCount === 0 && !isTimeUp() && limit === undefined;
	const isComplete = results.openCount === 0 && (isListRead || isPages);

	if (failedUsers.keys.length > 0 && !isOver) {
		timeout.halve();
		const end = Math.min(performance.now() + budgetMs * SHARE_OF_FAILED, deadline + timeout.ms);
		const isEnded = () => isOver || performance.now() + timeout.currentMs > end;
		const ends = { isTimeUp: isEnded, isTooSlow: () => performance.now() > end };
		await takeUntilLimit(read({ ...selection, users: () => failedLast(isEnded) }, ends));
		const left = isListRead && isComplete ? results.unlisted() : [];
		if (left.length > 0) await takeUntilLimit(read(unlistedUsers(left), ends));
	}
	const failure = results.isOnlyUserFailed ? failedUsers.everyReadFailed() : undefined;
	// The field that names this user may be wrong.
	if (failure && (selection.isOne || (selection.entries && !failure.isTransient))) throw failure;

	const { emitted, recovered, state } = results.emitAndSave(isComplete, { hangs, limited: [...own] });
	return { items: emitted, state, failedUsers, recovered, limit, hasRead: results.hasSuccess };
}
