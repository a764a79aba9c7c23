/**
 * Users who could not be read: set aside with the point up to which they were, tried again in each poll, and reported.
 */
import { Problem } from '../shared/problem';
import { labelOf } from './watchList';
import type { FailedUser } from './state';

/** As long as somebody cannot be read, it is said again so often. */
export const REPORT_INTERVAL_MS = 3_600_000;

/** Why each of them could not be read in this poll. */
export type Problems = Map<string, Problem>;

/** Whether somebody is to be told now: when it begins, and then every hour, for all of them together. */
export function isReportDue(behind: Record<string, FailedUser>, now: number): boolean {
	const told = Object.values(behind).map((one) => one.told);
	return told.some((last) => last === undefined || Math.abs(now - last) >= REPORT_INTERVAL_MS);
}

/** @returns message and description of the report */
export function report(
	behind: Record<string, FailedUser>,
	problems: Problems,
): { message: string; description: string } {
	const ids = Object.keys(behind);
	const first = ids.find((id) => problems.has(id)) ?? ids[0];
	const problem = problems.get(first);
	const who = ids.length === 1 ? '1 user' : `${ids.length.toLocaleString('en')} users`;
	return {
		message: `The readings of ${who} cannot be read${problem ? `. ${problem.message}` : ''}`,
		description:
			`${ids.length === 1 ? 'It is' : 'The first is'} ${labelOf(first)}. ${problem ? `${problem.description}. ` : ''}` +
			"Everybody else's new readings go out; theirs follow when they can be read again. This is said once an hour while it lasts",
	};
}

/** When nobody could be read: the poll fails. */
export function allFailed(problems: Problems): Problem {
	const [[userId, { message, description, kind, httpCode, retryAfterMs }]] = problems;
	if (problems.size === 1) return problems.get(userId)!;
	return new Problem(
		`Nobody's readings can be read. ${message}`,
		`The first of ${problems.size} users is ${labelOf(userId)}. ${description}`,
		{ kind, httpCode, retryAfterMs },
	);
}
