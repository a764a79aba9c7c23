/**
 * Reports: trouble that does not stop a poll, as a failed execution beside it. At once for the first, then one an hour for all.
 */
import { countOfUsers, Problem } from '../shared/problem';
import { shownUserId } from '../service/users';
import type { Listed } from './cursors';
import { HOUR_MS, type TriggerState } from './state';

/** Users of a poll who could not be read. */
export interface Failures {
	/** User, as a report names it → why. */
	problems: Map<string, Problem>;
	/** How many users cannot be read, those of other polls included. */
	users: number;
}

/** A user in words: never an entry of the list. */
export const labelOf = ({ user }: Listed) => (user.user_id ? shownUserId(user.user_id) : "one of 'User IDs'");

/** Whether the service limits the requests: never a failure of one user. */
export const isThrottle = (problem: unknown): problem is Problem =>
	problem instanceof Problem && (problem.kind === 'rate-limited' || problem.retryAfterMs !== undefined);

/** The error of a poll in which every read failed. */
export function everyReadFailed({ problems }: Failures): Problem {
	const [[label, problem]] = problems;
	if (problems.size === 1) return problem;
	const { message, description, kind, httpCode, retryAfterMs } = problem;
	return new Problem(
		`No user's readings can be read. ${message}`,
		`The first of ${problems.size} users is ${label}. ${description}`,
		{ kind, httpCode, retryAfterMs },
	);
}

/** The report of a poll, if there is one and none was made for an hour. @param now ms */
export function reportOf(
	{ failures, throttle }: { failures?: Failures; throttle?: Problem },
	{ told = -Infinity }: TriggerState,
	now: number,
): Problem | undefined {
	if (Math.abs(now - told) < HOUR_MS) return undefined;
	if (throttle) return throttleReport(throttle);
	return failures && failures.users > 0 ? failureReport(failures) : undefined;
}

function failureReport({ problems, users }: Failures): Problem {
	const [first] = problems;
	const [label, { message, description, kind, httpCode }] = first ?? [undefined, {} as Partial<Problem>];
	return new Problem(
		`The readings of ${countOfUsers(users)} cannot be read${first ? `. ${message}` : ''}`,
		`${first ? `${users === 1 ? 'It is' : 'The first is'} ${label}. ${description}. ` : ''}` +
			'New readings of all other users go out; the missing ones follow when they can be read again. This report comes once an hour',
		{ kind, httpCode },
	);
}

const throttleReport = ({ message, kind, httpCode, retryAfterMs }: Problem) =>
	new Problem(
		`The service limits the requests, so one poll does not read all users. ${message}`,
		"The next polls continue with the other users, and nothing is lost. Poll less often, or set 'Requests per Second' in the options to what the service allows. This report comes once an hour",
		{ kind, httpCode, retryAfterMs },
	);

/** The throttle of a poll that sends nothing. @param ms how long the next ones send nothing either */
export function pauseOf(ms: number): Problem {
	const minutes = Math.ceil(ms / 60_000);
	const message = `The next request is sent in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`;
	return new Problem(message, '', { kind: 'rate-limited', retryAfterMs: ms });
}
