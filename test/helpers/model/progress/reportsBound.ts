/**
 * Bound of silence: a failure is told by its second poll, and every watched user who was not read for an hour is told, whatever the
 * reason; hourly, in one report an hour at most. A report says no more than what is wrong.
 */
import { fail } from '../fail';

const MINUTE = 60_000;
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
