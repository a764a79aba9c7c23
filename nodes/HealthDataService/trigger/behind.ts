/**
 * Users who could not be read: set aside with the point up to which they were, tried again in each poll, and reported.
 */
import { Problem } from '../shared/problem';
import { nameOf } from './members';
import type { Behind } from './state';

/** As long as somebody cannot be read, it is said again so often. */
const TOLD_AGAIN_MS = 3_600_000;

/** Why each of them could not be read in this poll. */
export type Reasons = Map<string, Problem>;

/** Whether somebody is to be told now: when it begins, and then every hour, for all of them together. */
export function isDue(behind: Record<string, Behind>, now: number): boolean {
	const told = Object.values(behind).map((one) => one.told);
	return told.some((last) => last === undefined || Math.abs(now - last) >= TOLD_AGAIN_MS);
}

/** @returns message and description of the report */
export function report(behind: Record<string, Behind>, reasons: Reasons): { message: string; description: string } {
	const ids = Object.keys(behind);
	const first = ids.find((id) => reasons.has(id)) ?? ids[0];
	const problem = reasons.get(first);
	const who = ids.length === 1 ? '1 user' : `${ids.length.toLocaleString('en')} users`;
	return {
		message: `The readings of ${who} cannot be read${problem ? `. ${problem.message}` : ''}`,
		description:
			`${ids.length === 1 ? 'It is' : 'The first is'} ${nameOf(first)}. ${problem ? `${problem.description}. ` : ''}` +
			"Everybody else's new readings go out; theirs follow when they can be read again. This is said once an hour while it lasts",
	};
}

/** When nobody could be read: the poll fails. */
export function everybody(reasons: Reasons): Problem {
	const [[userId, { message, description, kind, httpCode, retryAfterMs }]] = reasons;
	if (reasons.size === 1) return reasons.get(userId)!;
	return new Problem(
		`Nobody's readings can be read. ${message}`,
		`The first of ${reasons.size} users is ${nameOf(userId)}. ${description}`,
		{ kind, httpCode, retryAfterMs },
	);
}
