/**
 * Failed users: isolated from the others, retried in each round with one attempt from the start of their own window, and reported
 * together once an hour.
 */
import { Problem } from '../shared/problem';
import type { FailedUser } from './state';
import { labelOf } from './watchList';

export const REPORT_INTERVAL_MS = 3_600_000;

/** Owns the failed users of a round: nothing else changes them. Keys are those of watchList.ts. */
export class FailedUsers {
	private readonly users: Record<string, FailedUser>;

	/** Why reads failed in this poll, by key. */
	private readonly problems = new Map<string, Problem>();

	/** @param saved stays as it is */
	constructor(saved: Record<string, FailedUser>) {
		this.users = { ...saved };
	}

	get = (key: string): FailedUser | undefined => this.users[key];

	get keys(): string[] {
		return Object.keys(this.users);
	}

	/** Whether reads failed in this poll. */
	get hasProblems(): boolean {
		return this.problems.size > 0;
	}

	/** Notes a failed read. A user who failed before keeps the window. */
	fail(key: string, problem: Problem, window: Pick<FailedUser, 'from' | 'since'>, roundBegan: number) {
		this.problems.set(key, problem);
		this.users[key] = { ...(this.users[key] ?? window), met: roundBegan };
	}

	/** Moves a failed user to the key that is known now, or forgets the user without one. */
	rename(key: string | undefined, newKey?: string) {
		const user = key === undefined ? undefined : this.users[key];
		if (!user) return;
		this.remove(key!);
		if (newKey !== undefined) this.users[newKey] ??= user;
	}

	remove(key: string) {
		delete this.users[key];
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

	/**
	 * The report of all failed users if it is due: when a user fails for the first time, then once an hour.
	 *
	 * @param now ms
	 */
	takeReport(now: number): Problem | undefined {
		const users = Object.values(this.users);
		const isDue = users.some(({ told }) => told === undefined || Math.abs(now - told) >= REPORT_INTERVAL_MS);
		if (!isDue) return undefined;
		for (const one of users) one.told = now;
		return this.report();
	}

	private report(): Problem {
		const { keys } = this;
		const first = keys.find((key) => this.problems.has(key)) ?? keys[0];
		const problem = this.problems.get(first);
		const count = keys.length === 1 ? '1 user' : `${keys.length.toLocaleString('en')} users`;
		return new Problem(
			`The readings of ${count} cannot be read${problem ? `. ${problem.message}` : ''}`,
			`${keys.length === 1 ? 'It is' : 'The first is'} ${labelOf(first)}. ${problem ? `${problem.description}. ` : ''}` +
				'New readings of all other users go out; the missing ones follow when they can be read again. This report comes once an hour',
			{ kind: problem?.kind, httpCode: problem?.httpCode },
		);
	}
}
