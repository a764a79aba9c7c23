/**
 * Bound of silence: trouble is reported by its second poll, then hourly, in one report an hour at most, and a report says no more
 * than what is wrong.
 */
import { fail } from '../fail';

const HOUR = 3_600_000;

/** Polls in trouble without a report, also while several things are in trouble at once. */
const UNREPORTED = 1;
const UNREPORTED_WHILE_MIXED = 2;

export interface PollReports {
	poll: number;
	begun: number;
	ended: number;
	/** Whether users failed, or the limit kept users from being read. */
	isTroubled: boolean;
	/** Whether a limit was met, which need not keep a user from being read: it does not end the trouble. */
	isLimited: boolean;
	/** Whether the limit kept all users from being read, or there is one user only, who fails. */
	mayFail: boolean;
	/** Users who may be called unreadable. */
	unreadable: number;
	/** Whether only the limit may be named. */
	isOnlyLimit: boolean;
	/** Failed executions: reports, and the poll's own error. */
	reported: string[];
	error?: string;
	logged: string[];
}

export class ReportsBound {
	/** End of the last poll that reported anything. */
	private anythingReportedAt = -Infinity;
	/** Begin of the last poll with a report. */
	private reportedAt = -Infinity;
	private unreported = 0;
	private readonly most: number;

	constructor(isMixed: boolean) {
		this.most = isMixed ? UNREPORTED_WHILE_MIXED : UNREPORTED;
	}

	judge({ reported, error, logged, ...poll }: PollReports) {
		const failures = [...reported, ...(error === undefined ? [] : [error])];
		const about = { poll: poll.poll, texts: [...failures, ...logged] };
		this.judgeSilence(poll, failures.length + logged.length > 0);
		if (reported.length > 1) fail('several reports of one poll', about);
		if (reported.length > 0) {
			if (poll.begun - this.reportedAt < HOUR)
				fail('a report less than an hour after the last one', { ...about, last: this.reportedAt - poll.begun });
			this.reportedAt = poll.begun;
		}
		if (error !== undefined && !poll.mayFail) fail('a poll failed though the user list answered', about);
		for (const text of [...failures, ...logged]) this.judgeText(text, poll, about);
	}

	private judgeSilence(
		{ poll, begun, ended, isTroubled, isLimited }: Omit<PollReports, 'reported' | 'logged'>,
		isReported: boolean,
	) {
		if (isReported) this.anythingReportedAt = ended;
		if (isReported || !(isTroubled || isLimited)) this.unreported = 0;
		else if (isTroubled && begun - this.anythingReportedAt >= HOUR && ++this.unreported > this.most)
			fail('trouble is not reported', { poll });
	}

	private judgeText(
		text: string,
		{ unreadable, isOnlyLimit }: Omit<PollReports, 'reported' | 'logged'>,
		about: object,
	) {
		if (/no user's readings can be read/i.test(text) && unreadable === 0) fail('no user is unreadable', about);
		const [, count] = /([\d,]+) users? cannot be read/.exec(text) ?? [];
		if (count && Number(count.replace(/,/g, '')) > unreadable)
			fail('more users are called unreadable than are', { ...about, unreadable });
		if (isOnlyLimit && !/limit|too many|429/i.test(text)) fail('the limit is not named', about);
	}
}
