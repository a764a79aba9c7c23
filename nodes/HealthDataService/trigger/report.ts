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

type Entry = [key: string, cursor: Cursor];

/**
 * @param told begin of the poll of the last report, @param begun of this poll, by n8n's clock (ms)
 * @returns the report, if there is one and none was made for an hour, and the new `told`
 */
export function reportOf(
	result: PollResult,
	local: Local,
	told: number | undefined,
	begun: number,
): { report?: Problem; told?: number } {
	const trouble = troubleOf(result, local);
	const isSilent = !trouble.first && !trouble.isListOld && !result.throttle;
	// All who failed are read again, or have left: a new failure is told at once.
	const isHealed = result.recovered && !result.state.cursors.some(hasFailed);
	if (isSilent) return { told: isHealed ? undefined : told };
	const everyMs = trouble.isLongRound ? DAY_MS : HOUR_MS;
	// From begin to begin: polls of one interval end at different times.
	const sinceTold = Math.abs(begun - (told ?? -Infinity));
	if (sinceTold < everyMs - JITTER_MS) return { told };
	return { report: wordsOf(trouble, result, local), told: begun };
}

type Trouble = ReturnType<typeof troubleOf>;

/** What there is to tell after a poll. */
function troubleOf({ cursors }: PollResult, local: Local) {
	const { troubles, throttle, firstAt, listReadAt, intervalMs } = local;
	const afterMs = Math.max(HOUR_MS, 2 * intervalMs);
	// A clock that was set back makes nothing young.
	const ageOf = (time: number) => Math.abs(Date.now() - time);
	const isOld = (time = -Infinity) => Math.min(ageOf(time), ageOf(firstAt)) >= afterMs;
	const isFailing = ([key, cursor]: Entry) => {
		const known = troubles.get(key);
		return known && hasFailed(cursor) && !isThrottle(known.problem);
	};
	const isSound = ([key, { ended }]: Entry) => !ended && !troubles.has(key);
	const unread = [...cursors.entries].filter(
		(entry) => isFailing(entry) || isOld(entry[1].read),
	);
	const first = unread.find(isFailing) ?? unread.at(0);
	// The poll that reaches the last users of a round may meet no limit itself.
	const limit = isOld(throttle?.at) ? undefined : throttle;
	/** Whether nothing is wrong but that a round over all users takes longer than an hour. */
	const isLongRound = first && !limit && unread.every(isSound);
	return {
		unread,
		first,
		areFailing: unread.every(isFailing),
		limit,
		isLongRound,
		isListOld: isOld(listReadAt),
	};
}

function wordsOf(trouble: Trouble, { cursors, cause }: PollResult, { troubles }: Local) {
	const { unread, first, areFailing, limit, isLongRound, isListOld } = trouble;
	const reasons: Problem[] = [];
	const known = first && troubles.get(first[0]);
	if (known) reasons.push(known.problem);
	if (limit) reasons.push(limit.reworded(`${LIMITED}. ${limit.message}`, LIMITED_ADVICE));
	if (!reasons.length)
		reasons.push(new Problem(cause, '', { kind: 'temporarily-unavailable' }));
	const messages = reasons.map(({ message }) => message);
	const advice = reasons.map(({ description }) => description);
	if (first) {
		const [key, cursor] = first;
		const fault = areFailing ? 'cannot be read' : 'were not read for an hour';
		messages.unshift(`The readings of ${countOfUsers(unread.length)} ${fault}`);
		advice.unshift(nameOf(cursor, known?.label ?? cursors.met.get(key)));
	}
	if (isLongRound)
		messages.push(`To read all users once takes ${hoursSince(unread)} h or more`);
	if (isListOld) messages.push('The last users of the list were not reached for an hour');
	return reasons[0].reworded(messages.join('. '), sentences(...advice, OTHERS_GO_OUT));
}

const OTHERS_GO_OUT =
	'New readings of all other users go out; the missing ones follow when they can be read again. This report comes once an hour at most';
const LIMITED = 'The service limits the requests, so one poll does not read all users';
const LIMITED_ADVICE =
	"The next polls continue with the other users, and nothing is lost. Poll less often, or set 'Requests per Second' in the options to what the service allows";

const lastOf = ({ read, since, from }: Cursor) => read ?? since ?? from;

/** The user in words, if this poll or an earlier failure knows more than a hash. */
function nameOf(cursor: Cursor, label = 'one whom this poll has not reached'): string {
	const [date, time] = new Date(lastOf(cursor)).toISOString().split('T');
	return `The first is ${label}, not read since ${date} ${time.slice(0, 5)} UTC`;
}

function hoursSince(unread: Entry[]): number {
	const times = unread.map(([, cursor]) => lastOf(cursor));
	const earliest = times.reduce((a, b) => Math.min(a, b));
	return Math.floor((Date.now() - earliest) / HOUR_MS);
}
