/**
 * Bounds of progress: of reads and of silence. They build on what a poll could do if all users were sound and the limits were kept,
 * by the poll's budget, the time of an answer and the limits. It knows none of the node's code.
 */
import type { UserFault } from '../faults';
import { HANG_PAGE_MS, type ModelService } from '../service';
import { type ProgressHistory, isLimited } from './troubles';
import { fail } from '../judged';

const LIST_PAGE = 500;
/** Pages of the list that are requested at once. */
const PAGES_AHEAD = 8;
/** Of one request. */
const MOST_ATTEMPTS = 7;
const MINUTE = 60_000;
/** The rest is for answers in flight, and for failed users. */
const OF_BUDGET = 1 / 2;

/** Longest answer that comes in time. */
export const answerMs = ({ latencyMs, spreadMs }: ModelService) => latencyMs + spreadMs;

/** With the one that shows the end of the list. */
const listPages = ({ scope, people }: ProgressHistory) => (scope === 'all' ? Math.ceil(people / LIST_PAGE) + 1 : 0);
const listWaves = (history: ProgressHistory) => Math.ceil(listPages(history) / PAGES_AHEAD) + 1;

/**
 * Requests that a failing user may cost: a 404 is confirmed, by the list too for `removed`, and a failure is tried again in the first
 * poll that meets it.
 */
function requestsOf(fault: UserFault, isKnown: boolean, budgetMs: number): number {
	if (fault === 'removed') return 4;
	if (fault === '404' || fault === '403') return 3;
	if (fault === 'endless') return Math.ceil(budgetMs / (isKnown ? 3 : 2) / HANG_PAGE_MS) + 1;
	return isKnown ? 1 : MOST_ATTEMPTS;
}

/** Of a poll that begins now. @param known users whose trouble an earlier poll has found */
export function usersOfPoll(
	history: ProgressHistory,
	service: ModelService,
	now: number,
	budgetMs: number,
	known: ReadonlySet<number>,
): number {
	const { concurrency, rate, scope } = history;
	const longest = answerMs(service);
	const sendingMs = budgetMs * OF_BUDGET;
	const { limit, faults } = service;
	// Those whose trouble is found now may hold their place for a whole poll, once.
	const held = [...faults.keys()].filter(({ nr }) => !known.has(nr)).length;
	const perUser = scope === 'clients' ? 2 : 1;
	// At a rate, as many users are read at once as requests are sent in a second.
	const [width, userMs] = rate ? [Math.min(concurrency, Math.ceil(rate)), longest * perUser] : [concurrency, longest];
	const waves = longest > 0 ? Math.max(1, Math.floor(sendingMs / userMs) - listWaves(history)) : Infinity;
	const inTime = waves * Math.max(0, width - held) || 0;
	const forFaults = [...faults].reduce((sum, [{ nr }, fault]) => sum + requestsOf(fault, known.has(nr), budgetMs), 0);
	const others = listPages(history) + forFaults;
	// However low the rate, there is time for one user, if there is for the list.
	const least = rate !== undefined && (rate * budgetMs) / 1000 > others + perUser ? 1 : 0;
	const byRate = rate === undefined ? Infinity : Math.floor((rate * sendingMs) / 1000);
	if (!limit) return Math.min(inTime, Math.max(least, Math.floor((byRate - others) / perUser)));
	const isOfMinute = limit.windowMs <= MINUTE;
	const evenly = Math.floor((limit.requests * sendingMs) / limit.windowMs);
	const requests = isOfMinute ? Math.min(limit.free(now), evenly) : limit.free(now);
	return Math.min(inTime, Math.max(0, Math.floor((Math.min(requests, byRate) - others) / perUser)));
}

/** Longest time of a poll without failed users. */
export const soundMs = (service: ModelService, history: ProgressHistory) =>
	(Math.ceil(history.people / history.concurrency) * 2 + listWaves(history) + 4) * answerMs(service) + 1000;

/** Rounds in which a reading must go out. */
const ROUNDS = 2;
const ROUNDING = 1e-9;

interface Pending {
	user: number;
	/** When it came, or its user was mended, in rounds. */
	since: number;
	poll: number;
}

export class ReadsBound {
	/** Rounds that could have been made. */
	private rounds = 0;
	private readonly pending = new Map<number, Pending>();
	/** Of each poll: by place, how often a user was read until then. */
	private readonly reads: number[][];
	/** Users who have ever failed. */
	private readonly unsound = new Set<number>();
	/** Most by which the reads of two users may differ; none where a limit of all looks like limits of single users. */
	most: number;
	/** Whether a limit of all meets slow answers, or limits are of several kinds: they look alike, and nothing is promised. */
	private readonly isTwofold: boolean;

	constructor(history: ProgressHistory) {
		const { stretches, throttles, slownesses } = history;
		const ownLimits = stretches.filter(({ fault }) => /^(429|503)/.test(fault));
		const meetsAll = throttles.length > 0 && ownLimits.length + slownesses.length > 0;
		this.isTwofold = meetsAll || ownLimits.length > 1;
		const most = isLimited(history) ? 3 : 2;
		this.most = this.isTwofold ? Infinity : most;
		this.reads = [Array.from({ length: history.people }, () => 0)];
	}

	expect(nr: number, user: number, poll: number) {
		this.pending.set(nr, { user, since: this.rounds, poll });
	}

	/**
	 * @param rounds that this poll could have made, if all were sound
	 * @param emitted numbers of the readings
	 * @param aside users who have failed, and were not read since, @param turns polls that all of them take who hang
	 */
	judge(
		poll: number,
		rounds: number,
		emitted: number[],
		{ served, faulty, aside, turns }: { served: Set<number>; faulty: Set<number>; aside: Set<number>; turns: number },
	) {
		this.rounds += Math.min(1, rounds);
		for (const nr of emitted) this.pending.delete(nr);
		for (const user of faulty) this.unsound.add(user);
		const before = this.reads.at(-1)!;
		this.reads.push(before.map((count, user) => count + (served.has(user) ? 1 : 0)));
		for (const [nr, one] of this.pending) {
			const most = ROUNDS + (aside.has(one.user) ? turns : 0);
			if (faulty.has(one.user) || this.isTwofold) one.since = this.rounds;
			else if (this.rounds - one.since >= most - ROUNDING)
				fail(`a reading of a sound user has not gone out within ${most} rounds`, { nr, ...one, now: poll });
		}
		this.judgeDifference(poll);
	}

	/** Over any stretch of polls up to this one. */
	private judgeDifference(poll: number) {
		const now = this.reads.at(-1)!;
		const sound = now.flatMap((_, user) => (this.unsound.has(user) ? [] : [user]));
		if (sound.length < 2) return;
		this.reads.forEach((then, from) => {
			const counts = sound.map((user) => now[user] - then[user]);
			const least = counts.reduce((one, two) => Math.min(one, two));
			const most = counts.reduce((one, two) => Math.max(one, two));
			if (most - least > this.most) {
				const users = [sound[counts.indexOf(least)], sound[counts.indexOf(most)]];
				fail(`a sound user was read ${most - least} times less than another`, { users, least, most, from, poll });
			}
		});
	}

	/** Of any user, after a poll. */
	mostSince(poll: number): number {
		const then = this.reads[poll + 1];
		return this.reads.at(-1)!.reduce((most, count, user) => Math.max(most, count - then[user]), 0);
	}

	/** @throws Broken where something has never gone out */
	judgeEnd() {
		for (const [nr, one] of this.pending) fail('a reading has never gone out', { nr, ...one });
	}
}

const HOUR = 60 * MINUTE;

/** Reads of another user while one is not read because a round takes long. */
const OF_A_ROUND = 3;

export interface PollReports {
	poll: number;
	begun: number;
	ended: number;
	/** Users of failed reads, who fail still. */
	failing: Set<number>;
	/** Whether such a failure is told by its second poll. */
	isPrompt: boolean;
	/** Users who were read. */
	served: Set<number>;
	/** Whether anybody else may have been read, whose answer was malformed. */
	mayHaveRead: boolean;
	/** Most reads of any user since a poll. */
	mostReads: (poll: number) => number;
	/** Users who are watched, and can be read; those who were not. */
	watched: number[];
	unread: number[];
	/** Whether the poll has reached any user of the list: without it, only hashes are known. */
	hasListed: boolean;
	/** Whether the poll itself may fail. */
	mayFail: boolean;
	/** Users who may be called unreadable. */
	unreadable: number;
	/** Whether all can be read, and nothing is to be reported. */
	isCalm: boolean;
	/** Whether only the limit may be named. */
	isOnlyLimit: boolean;
	/** Failed executions: reports, and the poll's own error, each as its whole text. */
	reported: string[];
	error?: string;
	logged: string[];
}

export class ReportsBound {
	/** End of the last poll that told anything. */
	private toldAt = -Infinity;
	/** Begin of the last polls: n8n may have slept. */
	private begun: number[] = [];
	/** Begin of the first poll after a pause, such as a night, which does not count. */
	private resumedAt = -Infinity;
	private pausedMs = 0;
	/** Begin of the last poll with a report. */
	private reportedAt = -Infinity;
	/** Polls with a failure, and without a report. */
	private untold = 0;
	/** End of the last poll that may have read anybody. */
	private readAt = -Infinity;
	/** When each user was last read, and in which poll. */
	private readonly read = new Map<number, { at: number; poll: number }>();

	/** @param nameOf how a report names a user */
	constructor(
		private readonly intervalMs: number,
		private readonly nameOf: (user: number) => RegExp,
	) {}

	judge(poll: PollReports) {
		const { reported, error, logged, served, mayHaveRead, begun, ended, watched } = poll;
		if (served.size > 0 || mayHaveRead) this.readAt = ended;
		// A user who may be read or not, as with a malformed answer, may have been read.
		for (const user of this.read.keys()) if (!watched.includes(user)) this.read.delete(user);
		for (const user of watched) {
			if (served.has(user)) this.read.set(user, { at: ended, poll: poll.poll });
			else if (!this.read.has(user)) this.read.set(user, { at: begun, poll: poll.poll });
		}
		const failures = [...reported, ...(error === undefined ? [] : [error])];
		const about = { poll: poll.poll, texts: [...failures, ...logged] };
		this.judgePrompt(poll, failures.length > 0);
		this.judgeAbsence(poll, failures);
		if (reported.length > 1) fail('several reports of one poll', about);
		if (failures.length > 0 && poll.isCalm) fail('a report without trouble', about);
		if (reported.length > 0) {
			if (begun - this.reportedAt < HOUR - MINUTE)
				fail('a report less than an hour after the last one', { ...about, last: this.reportedAt - begun });
			this.reportedAt = begun;
		}
		if (failures.length > 0) this.toldAt = ended;
		if (error !== undefined && !poll.mayFail) fail('a poll failed though the user list answered', about);
		for (const text of [...failures, ...logged]) this.judgeText(text, poll, about);
	}

	private judgePrompt({ poll, begun, failing, isPrompt }: PollReports, isTold: boolean) {
		const isDue = begun - this.toldAt >= HOUR;
		if (isTold || failing.size === 0) this.untold = 0;
		else if (isDue && isPrompt && ++this.untold > 1) fail('a failure is not told by its second poll', { poll });
	}

	/** The hour counts at the end of a poll. Where a round takes longer, that is told once a day. */
	private judgeAbsence(
		{ poll, begun, ended, watched, unread, reported, mostReads, hasListed }: PollReports,
		texts: string[],
	) {
		const absentMs =
			Math.max(HOUR, 2 * this.intervalMs, 2 * (begun - (this.begun[1] ?? begun)), begun - (this.begun[0] ?? begun)) +
			MINUTE;
		const [before = begun, last = begun] = this.begun;
		if (begun - last > 2 * Math.max(HOUR, last - before) - MINUTE)
			[this.resumedAt, this.pausedMs] = [begun, begun - last];
		this.begun = [last, begun];
		const ageOf = (at: number) => ended - at - (at < this.resumedAt ? this.pausedMs : 0);
		const absent = watched.filter((user) => ageOf(this.read.get(user)!.at) > absentMs);
		if (absent.length === 0) return;
		const isRound =
			ended - this.readAt <= absentMs && absent.every((user) => mostReads(this.read.get(user)!.poll) <= OF_A_ROUND);
		const isHourly = this.intervalMs > HOUR - MINUTE;
		const gapMs = isRound ? 25 * HOUR : isHourly ? 0 : HOUR;
		const about = { poll, absent, texts };
		if (texts.length === 0 && begun - this.toldAt >= gapMs)
			fail('users were not read for an hour, and that is not told', about);
		const isNamed = reported.length > 0 && !isRound && hasListed;
		if (isNamed && !unread.some((user) => reported.some((text) => this.nameOf(user).test(text))))
			fail('a report names no user who was not read', about);
	}

	private judgeText(text: string, { unreadable, unread, isOnlyLimit }: PollReports, about: object) {
		if (/no user's readings can be read/i.test(text) && unreadable === 0) fail('no user is unreadable', about);
		const [, count] = /([\d,]+) users? cannot be read/.exec(text) ?? [];
		// Whoever failed in an earlier poll and had no turn in this one still counts.
		const most = Math.max(unreadable, unread.length);
		if (count && Number(count.replace(/,/g, '')) > most)
			fail('more users are called unreadable than are', { ...about, unreadable });
		if (isOnlyLimit && !/limit|too many|429|per second/i.test(text)) fail('the limit is not named', about);
	}
}
