/**
 * Report: the failed execution beside a poll that tells of trouble. Users who fail are told at once; whoever was not read for an
 * hour is told too, whatever the reason, because it is the missing read that is reported. One report an hour for all.
 */
import { DateTime } from 'luxon';
import {
	countOfUsers,
	isThrottle,
	Problem,
	sentences,
} from '../shared/problem';
import { hasFailed } from './cursors';
import type { PollRead } from './reader';
import type { Local } from './scheduler';
import type { Settings } from './settings';
import { DAY_MS, HOUR_MS, JITTER_MS, type Cursor } from './state';

/** Of the users who could not be read; more would hide the advice. */
const MAX_NAMED = 5;

type Entry = [key: string, cursor: Cursor];

/**
 * @param begun begin of the poll (ms since 1970) @param settings the zone is that of the times in the report
 * @returns the time of the last report, to save, and the report: undefined without trouble, and where one was made within the hour
 */
export function reportOf(
	read: PollRead,
	local: Local,
	begun: number,
	settings: Pick<Settings, 'event' | 'zone'>,
) {
	const { told = -Infinity } = read.state;
	const trouble = troubleOf(read, local);
	const { first, reasons, isListOld } = trouble;
	const isTrouble = first ?? read.throttle ?? read.listProblem ?? isListOld;
	// Without a reason, nothing is wrong but that a round over all users takes longer than an hour.
	const isLongRound = first && reasons.length === 0;
	const everyMs = isLongRound ? DAY_MS : HOUR_MS;
	// From begin to begin: polls of one interval end at different times.
	const isTold = Math.abs(begun - told) < everyMs - JITTER_MS;
	if (!isTrouble || isTold) return { told: read.state.told };
	return { problem: wordsOf(trouble, read, local, settings), told: begun };
}

type Trouble = ReturnType<typeof troubleOf>;

/** What there is to tell after a poll. */
function troubleOf({ cursors, listProblem }: PollRead, local: Local) {
	const { troubles, throttle, listReadAt } = local;
	const isFailing = ([key, cursor]: Entry) => {
		const known = troubles.get(key);
		return known && hasFailed(cursor) && !isThrottle(known.problem);
	};
	const unread = cursors.present.filter(
		(entry) => isFailing(entry) || local.isOld(cursors.lastRead(entry[1])),
	);
	const first = unread.find(([key]) => troubles.has(key)) ?? unread.at(0);
	const known = first && troubles.get(first[0])?.problem;
	// The poll that reaches the last users of a round may meet no limit itself.
	const limit = local.isOld(throttle?.at) ? undefined : throttle;
	const limited = limit?.reworded(
		`${LIMITED}. ${limit.message}`,
		LIMITED_ADVICE,
	);
	return {
		unread,
		first,
		/** Why users were not read, as far as is known. */
		reasons: [known, limited, listProblem].filter((one) => one !== undefined),
		isListOld: cursors.present.length > 1 && local.isOld(listReadAt),
	};
}

function wordsOf(
	trouble: Trouble,
	read: PollRead,
	local: Local,
	{ event, zone }: Pick<Settings, 'event' | 'zone'>,
) {
	const { unread, isListOld } = trouble;
	// *New User* reads the list only.
	const first = event.metric && trouble.first;
	const [cause = unreached(), ...others] = trouble.reasons;
	const reasons = [cause, ...others];
	const message = sentences(
		first && `The readings of ${countOfUsers(unread.length)} could not be read`,
		...reasons.map((reason) => reason.message),
		isListOld && 'The last users of the list were not reached for an hour',
	);
	const description = sentences(
		first && namesOf(first, trouble, read, local, zone),
		...reasons.map((reason) => reason.description),
		event.metric && read.hasRead && OTHERS_GO_OUT,
		MISSING_FOLLOW,
	);
	return cause.reworded(message, description);
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

/** Users who were not read, the one of the message first, each with the time of the last read. */
function namesOf(
	first: Entry,
	{ unread }: Trouble,
	{ cursors }: PollRead,
	{ troubles }: Local,
	zone: string,
): string {
	const labelOf = ([key]: Entry) =>
		troubles.get(key)?.label ?? cursors.met.get(key);
	const others = unread.filter((entry) => entry !== first && labelOf(entry));
	const named = [first, ...others].slice(0, MAX_NAMED).map((entry) => {
		const label = labelOf(entry) ?? 'a user whose ID this poll has not seen,';
		const last = DateTime.fromMillis(cursors.lastRead(entry[1]), { zone });
		return `${label} since ${last.toFormat('yyyy-MM-dd HH:mm')}`;
	});
	const rest = unread.length - named.length;
	const more = rest > 0 ? ` and ${rest.toLocaleString('en')} more` : '';
	return `Not read: ${named.join(', ')}${more} (times in ${zone})`;
}
