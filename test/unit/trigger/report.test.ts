/** Report of a poll: what is told, how often, and in which words. Times in minutes before NOW. */
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import type { PollRead } from '../../../nodes/HealthDataService/trigger/reader';
import { reportOf } from '../../../nodes/HealthDataService/trigger/report';
import type { Local } from '../../../nodes/HealthDataService/trigger/scheduler';
import type { Settings } from '../../../nodes/HealthDataService/trigger/settings';
import type { Cursor } from '../../../nodes/HealthDataService/trigger/state';

const MINUTE = 60_000;
const HOUR = 60;
const NOW = Date.UTC(2026, 5, 1, 12);
const ago = (minutes: number) => NOW - minutes * MINUTE;
const failure = new Problem('The service was slow', 'Wait', { kind: 'temporarily-unavailable', httpCode: '504' });
const throttle = new Problem('Too many requests', 'Slow down', { kind: 'rate-limited' });

interface User {
	/** Minutes since the last read. */
	read?: number;
	ended?: Cursor['ended'];
	/** Why it was not read, as far as the process knows. */
	problem?: Problem;
	/** Whether the list showed it in this poll. */
	isMet?: boolean;
}
const SOUND = { read: 0 };
const FAILING: User = { read: 10, ended: 'failed', problem: failure };
const OLD: User = { read: 2 * HOUR };

interface Given {
	/** Minutes since the last report, and since the list was read to its end. */
	told?: number;
	listRead?: number;
	/** Throttle of this poll, and the last one that the process knows, so many minutes ago. */
	throttle?: Problem;
	throttled?: number;
	listProblem?: Problem;
	hasRead?: boolean;
	isOfUsers?: boolean;
}

function report(users: Record<string, User>, given: Given = {}) {
	const { told, listRead = 0, throttled, hasRead = true, isOfUsers, ...poll } = given;
	const all = Object.entries(users);
	const present = all.map(([key, { read = 0, ended }]) => [key, { from: 0, tried: 1, read: ago(read), ended }]);
	const cursors = {
		present,
		lastRead: ({ read }: Cursor) => read,
		met: new Map(all.flatMap(([key, { isMet = true }]) => (isMet ? [[key, key]] : []))),
	};
	const read = { ...poll, cursors, hasRead, state: { told: told === undefined ? undefined : ago(told) } };
	const local: Partial<Local> = {
		troubles: new Map(all.flatMap(([key, { problem }]) => (problem ? [[key, { label: key, problem }]] : []))),
		throttle:
			throttled === undefined
				? undefined
				: Object.assign(throttle.reworded('Too many requests', ''), { at: ago(throttled) }),
		listReadAt: ago(listRead),
		isOld: (time = -Infinity) => time <= ago(HOUR),
	};
	const settings = { event: isOfUsers ? {} : { metric: {} }, zone: 'Europe/Berlin' };
	const made = reportOf(read as unknown as PollRead, local as Local, NOW, settings as unknown as Settings);
	return { problem: made.problem, told: made.told === undefined ? undefined : (NOW - made.told) / MINUTE };
}
const LIMITED = 'The service limits the requests, so one poll does not read all users. Too many requests.';
const LONG = "The polls end before their turn: they have too little time, or a low 'Requests per Second'.";

describe('is told', () => {
	it.each<[string, Record<string, User>, Given, boolean]>([
		['nothing, where all were read', { anna: SOUND }, {}, false],
		['a failure, at once', { anna: FAILING }, {}, true],
		['a failure, not again within the hour', { anna: FAILING }, { told: 59 }, false],
		['a failure, again after an hour', { anna: FAILING }, { told: 60 }, true],
		['a failure, though a poll began some seconds early', { anna: FAILING }, { told: 59.5 }, true],
		['a failure, though the clock was set back', { anna: FAILING }, { told: -60 }, true],
		['not that a user was cut off by the end of the poll', { anna: { ...FAILING, ended: 'cut' } }, {}, false],
		['not that the service limits one user', { anna: { ...FAILING, problem: throttle } }, {}, false],
		['not an old error of a user who was read since', { anna: { read: 0, problem: failure } }, {}, false],
		[
			'a user who was not read for an hour, whatever the reason',
			{ anna: { ...FAILING, ended: 'cut', read: 60 } },
			{},
			true,
		],
		['that the service limits all requests', { anna: SOUND }, { throttle }, true],
		['a user list that is wrong', { anna: SOUND }, { listProblem: failure }, true],
		['a list that was not read to its end for an hour', { anna: SOUND, ben: SOUND }, { listRead: 60 }, true],
		['not that, where one user is watched', { anna: SOUND }, { listRead: 60 }, false],
		['a round of more than an hour, once', { anna: OLD }, {}, true],
		['such a round, not again within the day', { anna: OLD }, { told: 23 * HOUR }, false],
		['such a round, again after a day', { anna: OLD }, { told: 24 * HOUR }, true],
		['a round of more than an hour under a limit, every hour', { anna: OLD }, { told: HOUR, throttled: 5 }, true],
	])('%s', (_, users, given, isTold) => {
		const { problem, told } = report(users, given);
		expect(problem !== undefined).toBe(isTold);
		expect(told).toBe(isTold ? 0 : given.told);
	});
});

const FOLLOW = 'The missing ones follow when they can be read again. This report comes once an hour at most.';

it('has the count, the reason with its code, names with times in the zone, and what to do', () => {
	const { problem } = report({ anna: FAILING, ben: SOUND });
	expect(problem).toMatchObject({ kind: 'temporarily-unavailable', httpCode: '504' });
	expect(problem?.message).toBe('The readings of 1 user could not be read. The service was slow.');
	expect(problem?.description).toBe(
		`Not read: anna since 2026-06-01 13:50 (times in Europe/Berlin). Wait. New readings of all other users go out. ${FOLLOW}`,
	);
});

it.each<[string, Record<string, User>, Given, string]>([
	['a limit', { anna: SOUND }, { throttle, throttled: 0 }, LIMITED],
	[
		'a limit that other polls have met',
		{ anna: OLD },
		{ throttled: 59 },
		`The readings of 1 user could not be read. ${LIMITED}`,
	],
	[
		'a round without a limit for an hour',
		{ anna: OLD },
		{ throttled: 60 },
		`The readings of 1 user could not be read. ${LONG}`,
	],
	['a list with an error', { anna: SOUND }, { listProblem: failure }, 'The service was slow.'],
	[
		'a failure under a limit',
		{ anna: FAILING },
		{ throttled: 5 },
		`The readings of 1 user could not be read. The service was slow. ${LIMITED}`,
	],
	[
		'a long list',
		{ anna: SOUND, ben: SOUND },
		{ listRead: 60 },
		`${LONG} The last users of the list were not reached for an hour.`,
	],
	['new users, whose readings are not read', { anna: OLD }, { isOfUsers: true }, LONG],
])('the message of %s', (_, users, given, message) => {
	expect(report(users, given).problem?.message).toBe(message);
});

it('a long round may pass by itself', () => {
	expect(report({ anna: OLD }).problem?.kind).toBe('temporarily-unavailable');
});

describe('the advice', () => {
	const adviceOf = (users: Record<string, User>, given?: Given) => report(users, given).problem?.description;

	it('under a limit is to poll less often', () => {
		expect(adviceOf({ anna: SOUND }, { throttle, throttled: 0 })).toBe(
			`The next polls go on where this one has ended, and nothing is lost. Poll less often, or set 'Requests per Second' in the options to what the service allows. New readings of all other users go out. ${FOLLOW}`,
		);
	});

	it.each<[string, Given]>([
		['where nobody was read', { hasRead: false }],
		['of users', { isOfUsers: true }],
	])('does not say that readings go out %s', (_, given) => {
		expect(adviceOf({ anna: FAILING }, given)).not.toContain('go out');
	});

	it('of new users names none', () => {
		expect(adviceOf({ anna: OLD }, { isOfUsers: true })).toBe(FOLLOW);
	});

	it('begins with a user of whom the reason is known', () => {
		expect(adviceOf({ ben: OLD, anna: FAILING })).toMatch(/^Not read: anna since .*, ben since [^,]*\(/);
	});

	it('names five users at most', () => {
		const some = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, FAILING]));
		expect(adviceOf(some)).toMatch(/ e since 2026-06-01 13:50 \(times/);
		expect(adviceOf({ ...some, f: FAILING, g: FAILING })).toMatch(/ e since 2026-06-01 13:50 and 2 more \(times/);
	});

	it('says so where this poll has not seen the user, and then names those it has seen', () => {
		const unseen = { ...OLD, isMet: false };
		expect(adviceOf({ anna: unseen, ben: unseen, carl: OLD })).toMatch(
			/^Not read: a user whose ID this poll has not seen, since 2026-06-01 12:00, carl since 2026-06-01 12:00 and 1 more /,
		);
	});
});
