/**
 * Failed and limited users. Failed ones are isolated from the others, and retried in each poll after them with one attempt from the
 * start of their own window; a limit of the service is no failure of a user.
 * Reports of what lasts: at once for the first, then one an hour for all, whatever users and limits they are about.
 */
import { LIMITS_IN_A_ROW } from '../http/retry';
import { countOfUsers, Problem } from '../shared/problem';
import type { EventResult } from './events';
import type { FailedUser, TriggerState } from './state';
import { labelOf } from './watchList';

export const REPORT_INTERVAL_MS = 3_600_000;

/** How many failed users a poll reads before the others: places of the concurrency that they may take. */
const URGENT_USERS = 2;

/** Owns the failed users of a round: nothing else changes them. Keys are those of watchList.ts. */
export class FailedUsers {
	private readonly users: Record<string, FailedUser>;

	/** Why reads failed in this poll, by key. */
	private readonly problems = new Map<string, Problem>();

	/** Whether a user of `saved` was read, or failed again. */
	private hasTried = false;

	/** Keys of users to read before the others: the polls before had no time for any. */
	readonly urgent: ReadonlySet<string | undefined>;

	/** @param saved stays as it is @param isOverdue whether the poll before read none of them */
	constructor(
		private readonly saved: Record<string, FailedUser>,
		isOverdue = false,
	) {
		this.users = { ...saved };
		this.urgent = new Set(Object.keys(saved).slice(0, isOverdue ? URGENT_USERS : 0));
	}

	get = (key: string): FailedUser | undefined => (Object.hasOwn(this.users, key) ? this.users[key] : undefined);

	/** In the order of the last attempts, the oldest first. */
	get keys(): string[] {
		return Object.keys(this.users);
	}

	/** How many users failed in this poll. */
	get problemCount(): number {
		return this.problems.size;
	}

	/** Notes that a limit met an urgent user. It may be the user's own, so it does not end the poll. @returns whether it was one */
	refuseUrgent(key: string | undefined): boolean {
		const isUrgent = this.urgent.has(key);
		if (isUrgent) this.noteTried(key!);
		return isUrgent;
	}

	/** Whether there was no time for any user who failed before. */
	get isOverdue(): boolean {
		return !this.hasTried && Object.keys(this.saved).length > 0;
	}

	/** Notes a failed read. A user who failed before keeps the window. */
	fail(key: string, problem: Problem, window: FailedUser, roundBegan: number) {
		this.problems.set(key, problem);
		this.noteTried(key);
		this.setAside(key, window, roundBegan);
	}

	/** Notes a user who is read from the start of an own window, without a failure. */
	setAside(key: string, window: FailedUser, roundBegan: number) {
		const user = { ...(this.get(key) ?? window), met: roundBegan };
		delete this.users[key];
		this.users[key] = user;
	}

	/** Notes that the round has found a failed user on the list. */
	meet(key: string, roundBegan: number) {
		this.users[key] = { ...this.users[key], met: roundBegan };
	}

	/** Moves a failed user to the key that is known now, or forgets the user without one. */
	rename(key: string | undefined, newKey?: string) {
		const user = key === undefined ? undefined : this.get(key);
		if (!user) return;
		delete this.users[key!];
		if (newKey !== undefined && !this.get(newKey)) this.users[newKey] = user;
	}

	remove(key: string) {
		this.noteTried(key);
		delete this.users[key];
	}

	private noteTried(key: string) {
		this.hasTried ||= Object.hasOwn(this.saved, key);
	}

	/** Where the windows of their own start, by how the keys of their readings start. */
	windows = (prefixOf: (key: string) => string) =>
		Object.entries(this.users).map(([key, { from }]) => ({ prefix: prefixOf(key), start: from }));

	/** A copy, for the saved state. */
	toSave = (): Record<string, FailedUser> => ({ ...this.users });

	/** The error of a round in which every read failed. */
	everyReadFailed(): Problem {
		const [[key, problem]] = this.problems;
		if (this.problems.size === 1) return problem;
		const { message, description, kind, httpCode, retryAfterMs } = problem;
		return new Problem(
			`No user's readings can be read. ${message}`,
			`The first of ${this.problems.size} users is ${labelOf(key)}. ${description}`,
			{ kind, httpCode, retryAfterMs },
		);
	}

	/** The report of all failed users. */
	report(): Problem {
		const { keys } = this;
		const first = keys.find((key) => this.problems.has(key)) ?? keys[0];
		const problem = this.problems.get(first);
		return new Problem(
			`The readings of ${countOfUsers(keys.length)} cannot be read${problem ? `. ${problem.message}` : ''}`,
			`${keys.length === 1 ? 'It is' : 'The first is'} ${labelOf(first)}. ${problem ? `${problem.description}. ` : ''}` +
				'New readings of all other users go out; the missing ones follow when they can be read again. This report comes once an hour',
			{ kind: problem?.kind, httpCode: problem?.httpCode },
		);
	}
}

/** Bounds of the rest after a limited poll that read no user: a limit of few requests an hour needs polls further apart. */
export const REST_MS = { least: 60_000, most: 1_800_000 };

/** Whether the service limits the requests: never a failure of one user. */
export const isLimit = (problem: unknown): problem is Problem =>
	problem instanceof Problem && (problem.kind === 'rate-limited' || problem.retryAfterMs !== undefined);

/** The users of a poll that a limit of the service left unread. */
export class LimitedUsers {
	readonly users: EventResult[] = [];
	/** The last limit. */
	problem?: Problem;
	private inARow = 0;
	private readonly sentAt = new Map<EventResult, number>();
	/** When the first request of an answered user was sent: the latest. */
	private lastAnsweredSentAt = -Infinity;

	/** Notes a limit that any request met. */
	note(problem: Problem) {
		this.problem = problem;
		this.inARow++;
	}

	/** Notes a user with a limit as the result. @returns whether others meet the limit too */
	refuse(result: EventResult, problem: Problem): boolean {
		this.note(problem);
		// A failed user who is read again is not open.
		if (result.place !== Infinity) this.users.push(result);
		this.sentAt.set(result, sentAtOf(result));
		return problem.retryAfterMs !== undefined || this.inARow >= LIMITS_IN_A_ROW;
	}

	/** Notes a user with any other result. */
	answer(result: EventResult) {
		this.inARow = 0;
		if (!result.problem) this.lastAnsweredSentAt = Math.max(this.lastAnsweredSentAt, sentAtOf(result));
	}

	/** Users with a limit that may be theirs alone: one of all users answers what is sent first. */
	get whileOthersAreAnswered() {
		return this.users.filter((one) => this.sentAt.get(one)! < this.lastAnsweredSentAt);
	}
}

const sentAtOf = ({ tookMs = 0 }: EventResult) => performance.now() - tookMs;

/** What a poll could not do. */
interface Trouble {
	failedUsers: FailedUsers;
	/** Of the service, by which the poll was cut short. */
	limit?: Problem;
}

/** Whether nothing was reported for an hour, by a state of any age. @param now ms */
export function isReportDue({ told, behind }: TriggerState, now: number): boolean {
	const times = [told, ...Object.values(behind).map((one) => one.told)].filter((time) => time !== undefined);
	// Without a report, the last one is infinitely long ago.
	return Math.abs(now - Math.max(...times)) >= REPORT_INTERVAL_MS;
}

/** The report of a poll, if there is one and it is due. @param now ms */
export function reportOf({ failedUsers, limit }: Trouble, before: TriggerState, now: number): Problem | undefined {
	if (!isReportDue(before, now)) return undefined;
	// A limit that only one poll meets is soon over, unless nothing may be sent for a while.
	if (limit && (limit.retryAfterMs !== undefined || before.limit)) return limitReport(limit);
	return failedUsers.problemCount > 0 ? failedUsers.report() : undefined;
}

const limitReport = ({ message, kind, httpCode, retryAfterMs }: Pick<Problem, 'message'> & Partial<Problem>) =>
	new Problem(
		`The service limits the requests, so one poll does not read all users. ${message}`,
		"The next polls continue with the other users, and nothing is lost. Poll less often, or set 'Requests per Second' in the options to what the service allows. This report comes once an hour",
		{ kind, httpCode, retryAfterMs },
	);

/** The report of a poll that sends nothing. @param ms how long the next ones send nothing either */
export function pauseReport(ms: number): Problem {
	const minutes = Math.ceil(ms / 60_000);
	const message = `The next request is sent in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`;
	return limitReport({ message, kind: 'rate-limited', retryAfterMs: ms });
}
