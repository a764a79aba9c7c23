/**
 * Report: the failed execution beside a poll that tells of trouble. Users who fail are told at once; whoever was not read for an
 * hour is told too, whatever the reason, because it is the missing read that is reported. One report an hour for all.
 */
import { countOfUsers, isThrottle, Problem, sentences } from '../shared/problem';
import { hasFailed } from './cursors';
import type { PollResult } from './results';
import type { Local } from './scheduler';
import { HOUR_MS, type Cursor } from './state';

const DAY_MS = 24 * HOUR_MS;
/** Poll times are a minute apart at least, and a poll may begin some ms before its time. */
const JITTER_MS = 30_000;

interface Unread {
	/** Undefined for a user without a known trouble whom this poll has not reached: only a hash is saved. */
	label?: string;
	cursor: Cursor;
	/** Why the user was not read last, if that is known. */
	problem?: Problem;
}

/** What there is to tell after a poll. */
interface Trouble {
	/** Users who cannot be read. */
	failing: Unread[];
	/** Others who were not read for an hour. */
	waiting: Unread[];
	throttle?: Problem;
	isListOld: boolean;
	/** Whether nothing is wrong but that a round over all users takes longer than an hour. */
	isLongRound: boolean;
	/** Whether nobody is unread any more. */
	isHealed: boolean;
}

/**
 * @param told begin of the poll of the last report (ms), @param times begin and end of this poll, by n8n's clock (ms)
 * @returns the report, if there is one and none was made for an hour, and the new `told`
 */
export function reportOf(
	result: PollResult,
	local: Local,
	told: number | undefined,
	{ begun, ended }: { begun: number; ended: number },
): { report?: Problem; told?: number } {
	const trouble = troubleOf(result, local, ended);
	const { failing, waiting, throttle, isListOld, isLongRound } = trouble;
	const unread = failing.length + waiting.length;
	const isSilent = unread === 0 && !throttle && !isListOld;
	if (isSilent) {
		// What failed is read again: a new failure is told at once.
		const isOver = trouble.isHealed && result.recovered > 0;
		return { told: isOver ? undefined : told };
	}
	const everyMs = isLongRound ? DAY_MS : HOUR_MS;
	// From begin to begin: polls of one interval end at different times.
	const sinceTold = Math.abs(begun - (told ?? -Infinity));
	if (sinceTold < everyMs - JITTER_MS) return { told };
	return { report: wordsOf(trouble, result), told: begun };
}

function troubleOf(result: PollResult, local: Local, now: number): Trouble {
	const { cursors, hasRead } = result;
	const afterMs = Math.max(HOUR_MS, 2 * local.intervalMs);
	// A clock that was set back makes nothing young.
	const ageOf = (time: number) => Math.abs(now - time);
	const isOld = (time = -Infinity) =>
		Math.min(ageOf(time), ageOf(local.firstAt)) >= afterMs;
	const failing: Unread[] = [];
	const waiting: Unread[] = [];
	let isHealed = true;
	for (const [key, cursor] of cursors.entries) {
		if (cursor.ended) isHealed = false;
		const known = local.troubles.get(key);
		const label = known?.label ?? cursors.met.get(key);
		const problem = known?.problem;
		const isFailing = hasFailed(cursor) && problem && !isThrottle(problem);
		if (isFailing) failing.push({ label, cursor, problem });
		else if (isOld(cursor.read)) waiting.push({ label, cursor, problem });
	}
	// The poll that reaches the last users of a round may meet no throttle itself.
	const isThrottleOld = waiting.length === 0 || isOld(local.throttle?.at);
	const lastThrottle = isThrottleOld ? undefined : local.throttle?.problem;
	const throttle = result.throttle ?? lastThrottle;
	const isListOld = waiting.length === 0 && isOld(local.listReadAt);
	const isTrouble = failing.length > 0 || throttle !== undefined || !hasRead;
	const areSound = waiting.every(({ cursor }) => !cursor.ended);
	const isLongRound = !isTrouble && waiting.length > 0 && areSound;
	return { failing, waiting, throttle, isListOld, isLongRound, isHealed };
}

function wordsOf(
	{ failing, waiting, throttle, isListOld, isLongRound }: Trouble,
	{ cause }: PollResult,
) {
	const messages: string[] = [];
	const advice: string[] = [];
	const [failed] = failing;
	if (failed?.problem) {
		const { message, description } = failed.problem;
		const users = countOfUsers(failing.length);
		messages.push(`The readings of ${users} cannot be read`, message);
		advice.push(nameOf(failing), description, OTHERS_GO_OUT);
	}
	if (throttle) {
		messages.push(LIMITED, throttle.message);
		advice.push(LIMITED_ADVICE);
	}
	const [late] = waiting;
	if (late) {
		const users = countOfUsers(waiting.length);
		const verb = waiting.length === 1 ? 'was' : 'were';
		messages.push(`${users} ${verb} not read for an hour`);
		if (!throttle) messages.push(late.problem?.message ?? cause);
		advice.push(nameOf(waiting));
	}
	if (isLongRound) {
		messages.push(`To read all users once takes ${hoursOf(waiting)} or more`);
	}
	if (isListOld) messages.push('The user list was not read to its end for an hour');
	const period = isLongRound ? 'a day' : 'an hour';
	advice.push(`This report comes once ${period}`);
	const reason = failed?.problem ?? throttle ?? late?.problem;
	const description = sentences(...advice);
	const message = messages.join('. ');
	if (reason) return reason.reworded(message, description);
	return new Problem(message, description, { kind: 'temporarily-unavailable' });
}

const OTHERS_GO_OUT =
	'New readings of all other users go out; the missing ones follow when they can be read again';
const LIMITED = 'The service limits the requests, so one poll does not read all users';
const LIMITED_ADVICE =
	"The next polls continue with the other users, and nothing is lost. Poll less often, or set 'Requests per Second' in the options to what the service allows";

/** The first of them, and since when. */
function nameOf(users: Unread[]): string {
	const [{ label = 'one whom this poll has not reached', cursor }] = users;
	const { read, since = 0 } = cursor;
	const isNew = read === undefined;
	const when = isNew ? `not read since ${utc(since)}` : `last read ${utc(read)}`;
	const which = users.length === 1 ? 'It is' : 'The first is';
	return `${which} ${label}, ${when}`;
}

function utc(ms: number): string {
	const text = new Date(ms).toISOString();
	const [date, time] = text.split('T');
	return `${date} ${time.slice(0, 5)} UTC`;
}

function hoursOf(users: Unread[]): string {
	const readOf = ({ cursor }: Unread) => cursor.read ?? cursor.since ?? Infinity;
	const reads = users.map(readOf);
	const earliest = reads.reduce((a, b) => Math.min(a, b));
	const hours = Math.floor((Date.now() - earliest) / HOUR_MS);
	return hours === 1 ? '1 hour' : `${hours} hours`;
}
