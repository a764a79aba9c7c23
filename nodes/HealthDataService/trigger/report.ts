/**
 * Report: the failed execution beside a poll that tells of trouble. Users who fail are told at once; whoever was not read for an
 * hour is told too, whatever the reason, because it is the missing read that is reported. One report an hour for all.
 */
import {
	countOfUsers,
	isThrottle,
	Problem,
	sentences,
} from '../shared/problem';
import { hasFailed, type Cursors } from './cursors';
import type { PollEnd } from './results';
import type { Local } from './scheduler';
import { HOUR_MS, type Cursor } from './state';

const DAY_MS = 24 * HOUR_MS;
/** Poll times are a minute apart at least, and a poll may begin some ms before its time. */
const JITTER_MS = 30_000;

type Entry = [key: string, cursor: Cursor];

interface Report {
	/** Undefined without trouble, and where a report was made within the hour. */
	problem?: Problem;
	/** Time of the last report, to save. */
	told?: number;
}

/** @param begun begin of the poll, by n8n's clock (ms) @param throttle of this poll */
export function reportOf(
	{ cursors, hadFailed, state: { told } }: PollEnd,
	local: Local,
	begun: number,
	throttle?: Problem,
): Report {
	const trouble = troubleOf(cursors, local);
	const { first, isListOld, isLongRound, areAllSound } = trouble;
	if (!first && !isListOld && !throttle) {
		// All who were in trouble are read again, or have left: a new failure is told at once.
		return hadFailed && areAllSound ? {} : { told };
	}
	const everyMs = isLongRound ? DAY_MS : HOUR_MS;
	// From begin to begin: polls of one interval end at different times.
	const sinceTold = Math.abs(begun - (told ?? -Infinity));
	if (sinceTold < everyMs - JITTER_MS) return { told };
	return { problem: wordsOf(trouble, cursors, local), told: begun };
}

type Trouble = ReturnType<typeof troubleOf>;

/** What there is to tell after a poll. */
function troubleOf(cursors: Cursors, local: Local) {
	const { troubles, throttle, listReadAt } = local;
	const isOld = (time?: number) => local.isOld(time);
	const isFailing = ([key, cursor]: Entry) => {
		const known = troubles.get(key);
		return known && hasFailed(cursor) && !isThrottle(known.problem);
	};
	const isKnown = ([key]: Entry) => troubles.has(key);
	const isSound = (entry: Entry) => !hasFailed(entry[1]) && !isKnown(entry);
	const entries = [...cursors.entries];
	const unread = entries.filter(
		(entry) => isFailing(entry) || isOld(cursors.lastRead(entry[1])),
	);
	const first = unread.find(isFailing) ?? unread.find(isKnown) ?? unread.at(0);
	// The poll that reaches the last users of a round may meet no limit itself.
	const limit = isOld(throttle?.at) ? undefined : throttle;
	/** Whether nothing is wrong but that a round over all users takes longer than an hour. */
	const isLongRound = first && !limit && unread.every(isSound);
	return {
		unread,
		first,
		limit,
		isLongRound,
		isListOld: cursors.met.size > 1 && isOld(listReadAt),
		areAllSound: entries.every(isSound),
	};
}

function wordsOf(trouble: Trouble, cursors: Cursors, { troubles }: Local) {
	const { unread, first, limit, isLongRound, isListOld } = trouble;
	const [key = '', cursor] = first ?? [];
	const known = troubles.get(key);
	const limited = limit?.reworded(
		`${LIMITED}. ${limit.message}`,
		LIMITED_ADVICE,
	);
	const reasons = [known?.problem, limited].filter((one) => one !== undefined);
	if (!reasons.length) reasons.push(unreached());
	const message = sentences(
		cursor &&
			`The readings of ${countOfUsers(unread.length)} could not be read`,
		...reasons.map((reason) => reason.message),
		isLongRound && cursor && roundOf(cursors.lastRead(cursor)),
		isListOld && 'The last users of the list were not reached for an hour',
	);
	const description = sentences(
		cursor &&
			nameOf(cursors.lastRead(cursor), known?.label ?? cursors.met.get(key)),
		...reasons.map((reason) => reason.description),
		cursors.met.size > 1 && OTHERS_GO_OUT,
		MISSING_FOLLOW,
	);
	return reasons[0].reworded(message, description);
}

const OTHERS_GO_OUT = 'New readings of all other users go out';
const MISSING_FOLLOW =
	'The missing ones follow when they can be read again. This report comes once an hour at most';
const unreached = () =>
	new Problem(
		"The polls end before their turn: they have too little time, or a low 'Requests per Second'",
		'',
		{ kind: 'temporarily-unavailable' },
	);
const LIMITED =
	'The service limits the requests, so one poll does not read all users';
const LIMITED_ADVICE =
	"The next polls go on where this one has ended, and nothing is lost. Poll less often, or set 'Requests per Second' in the options to what the service allows";

/** The user in words, if this poll or an earlier failure knows more than a hash. */
function nameOf(last: number, label = 'one whom this poll has not reached') {
	const time = new Date(last).toISOString().slice(0, 16).replace('T', ' ');
	return `The first is ${label}, not read since ${time} UTC`;
}

function roundOf(last: number) {
	const hours = Math.floor((Date.now() - last) / HOUR_MS);
	return `To read all users once takes ${hours} h or more`;
}
