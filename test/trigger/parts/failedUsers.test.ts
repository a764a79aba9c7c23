/**
 * Failed and limited users: their windows and keys, and the words of their report.
 */
import { LIMITS_IN_A_ROW } from '../../../nodes/HealthDataService/http/retry';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import type { EventResult } from '../../../nodes/HealthDataService/trigger/events';
import {
	FailedUsers,
	isLimit,
	LimitedUsers,
	pauseReport,
	reportOf,
} from '../../../nodes/HealthDataService/trigger/failedUsers';
import { startState, type FailedUser, type TriggerState } from '../../../nodes/HealthDataService/trigger/state';

const problem = (message: string) =>
	new Problem(message, 'Do something', { kind: 'rate-limited', httpCode: '429', retryAfterMs: 5 });

/** These users; those of `failing` fail in this poll. */
function failedUsers(saved: Record<string, FailedUser>, ...failing: string[]) {
	const users = new FailedUsers(saved);
	for (const id of failing) users.fail(id, problem(`Refused ${id}`), { from: 0 }, 0);
	return users;
}
const wordsOf = (saved: Record<string, FailedUser>, ...failing: string[]) => failedUsers(saved, ...failing).report();

describe('a report is due', () => {
	const HOUR = 3_600_000;
	const NOW = 1000 * HOUR;
	const dueAfter = (before: Partial<TriggerState>, limit?: Problem, ...failing: string[]) =>
		reportOf(
			{ failedUsers: failedUsers({}, ...failing), limit },
			{ ...startState('node', 'of', NOW, HOUR), ...before },
			NOW,
		)?.message;
	const cannot = expect.stringMatching(/^The readings of/);
	const limited = expect.stringMatching(/^The service limits the requests/);
	const known = { limit: { spacing: 0, rest: 0 } };
	const soon = new Problem('Slower', '', { kind: 'rate-limited' });

	it.each<[string, Partial<TriggerState>, Problem | undefined, string[], unknown]>([
		['never without trouble', {}, undefined, [], undefined],
		['for the first failure', {}, undefined, ['u1'], cannot],
		['not again within the hour, whichever user fails', { told: NOW - HOUR + 1 }, undefined, ['u1'], undefined],
		[
			'not within the hour of a report before',
			{ behind: { u2: { from: 0, told: NOW - HOUR + 1 } } },
			undefined,
			['u1'],
			undefined,
		],
		[
			'not within the hour of the later of two reports',
			{ told: NOW - 2 * HOUR, behind: { u2: { from: 0, told: NOW - 1 } } },
			undefined,
			['u1'],
			undefined,
		],
		['again after an hour', { told: NOW - HOUR }, undefined, ['u1'], cannot],
		['again when the clock was set back by an hour', { told: NOW + HOUR }, undefined, ['u1'], cannot],
		['not for a limit that one poll met', {}, soon, [], undefined],
		['for a limit that two polls met', known, soon, [], limited],
		['for a limit with a time', {}, problem('Later'), [], limited],
		['for a limit within the hour', { ...known, told: NOW - 1 }, soon, ['u1'], undefined],
	])('%s', (_, before, limit, failing, expected) => {
		expect(dueAfter(before, limit, ...failing)).toEqual(expected);
	});
});

describe('the report', () => {
	const promise =
		'New readings of all other users go out; the missing ones follow when they can be read again. This report comes once an hour';

	it('names one user', () => {
		expect(wordsOf({}, 'u1')).toMatchObject({
			message: 'The readings of 1 user cannot be read. Refused u1',
			description: `It is u1. Do something. ${promise}`,
			kind: 'rate-limited',
			httpCode: '429',
		});
	});

	it('names the first of many users with a known cause', () => {
		const many = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`u${i}`, { from: 0 }]));
		expect(wordsOf(many, 'u7', 'u8')).toMatchObject({
			message: 'The readings of 1,200 users cannot be read. Refused u7',
			description: `The first is u7. Do something. ${promise}`,
		});
	});

	it('gives no cause where no failed user was read in this poll', () => {
		expect(wordsOf({ u1: { from: 0 }, u2: { from: 0 } })).toMatchObject({
			message: 'The readings of 2 users cannot be read',
			description: `The first is u1. ${promise}`,
		});
	});

	it('quotes no unresolved entry', () => {
		expect(wordsOf({ '?abc': { from: 0 } })?.description).toMatch(/^It is one of 'User IDs'\. /);
	});
});

describe('the error of a round in which every read failed', () => {
	it('is the problem of a single user', () => {
		const only = problem('Refused');
		const users = new FailedUsers({});
		users.fail('u1', only, { from: 0 }, 0);
		expect(users.everyReadFailed()).toBe(only);
	});

	it('is that of the first of several users, with everything that n8n reads', () => {
		expect(failedUsers({}, 'u1', 'u2', 'u3').everyReadFailed()).toMatchObject({
			message: "No user's readings can be read. Refused u1",
			description: 'The first of 3 users is u1. Do something',
			kind: 'rate-limited',
			httpCode: '429',
			retryAfterMs: 5,
		});
	});
});

describe('a failed user', () => {
	it('keeps the first window', () => {
		const saved = { u1: { from: 3, since: 4, told: 5 } };
		const users = new FailedUsers(saved);
		expect(users.problemCount).toBe(0);
		users.fail('u1', problem(''), { from: 7 }, 9);
		users.fail('u2', problem(''), { from: 7, since: 8 }, 9);
		expect(users.problemCount).toBe(2);
		expect(users.toSave()).toEqual({ u1: { from: 3, since: 4, told: 5, met: 9 }, u2: { from: 7, since: 8, met: 9 } });
		expect(saved).toEqual({ u1: { from: 3, since: 4, told: 5 } });
	});

	it('comes after those whose last attempt is longer ago', () => {
		const users = failedUsers({ a: { from: 1 }, b: { from: 1 }, c: { from: 1 } }, 'a');
		users.meet('b', 5);
		expect(users.keys).toEqual(['b', 'c', 'a']);
		expect(users.get('b')).toEqual({ from: 1, met: 5 });
	});

	it.each([
		['fails again', (users: FailedUsers) => users.fail('a', problem(''), { from: 1 }, 0), false],
		['is read', (users: FailedUsers) => users.remove('a'), false],
		['is found on the list', (users: FailedUsers) => users.meet('a', 0), true],
		['moves to another key', (users: FailedUsers) => users.rename('a', 'x'), true],
		['is limited', (users: FailedUsers) => users.setAside('a', { from: 1 }, 0), true],
		['is limited, though it comes first', (users: FailedUsers) => void users.refuseUrgent('a'), false],
		['is limited, and does not come first', (users: FailedUsers) => void users.refuseUrgent('c'), true],
		['is not the one who fails', (users: FailedUsers) => users.fail('new', problem(''), { from: 1 }, 0), true],
	])('who %s: users are overdue: %3$s', (_, happen, isOverdue) => {
		const users = new FailedUsers({ a: { from: 1 }, b: { from: 1 }, c: { from: 1 } }, true);
		happen(users);
		expect(users.isOverdue).toBe(isOverdue);
	});

	it('comes first if the last poll had no time for any, with one other', () => {
		const saved = { a: { from: 1 }, b: { from: 1 }, c: { from: 1 } };
		const urgentOf = (users: FailedUsers) => ['a', 'b', 'c', undefined].map((key) => users.refuseUrgent(key));
		expect(urgentOf(new FailedUsers(saved, true))).toEqual([true, true, false, false]);
		expect(urgentOf(new FailedUsers(saved))).toEqual([false, false, false, false]);
		expect(new FailedUsers({}).isOverdue).toBe(false);
	});

	it('is no property that every object has', () => {
		expect(failedUsers({}).get('constructor')).toBeUndefined();
	});

	it('moves to another key, where the window of that key counts if there is one', () => {
		const users = new FailedUsers({
			a: { from: 5 },
			b: { from: 6 },
			c: { from: 3 },
			d: { from: 7 },
		});
		users.rename('a', 'u1');
		users.rename('b', 'c');
		users.rename('d');
		users.rename('gone', 'u2');
		users.rename(undefined, 'u3');
		expect(users.toSave()).toStrictEqual({ u1: { from: 5 }, c: { from: 3 } });
		const named = new FailedUsers({ undefined: { from: 8 } });
		named.rename(undefined, 'u3');
		expect(named.keys).toEqual(['undefined']);
	});

	it('may have any ID', () => {
		const users = new FailedUsers({});
		expect([users.get('constructor'), users.get('toString')]).toEqual([undefined, undefined]);
	});

	it('is forgotten once removed', () => {
		const users = new FailedUsers({ u1: { from: 5 }, u2: { from: 6 } });
		users.remove('u1');
		expect([users.keys, users.get('u1'), users.get('u2')]).toEqual([['u2'], undefined, { from: 6 }]);
	});

	it('has a window of the prefix of their keys', () => {
		const users = new FailedUsers({ u1: { from: 5 }, u2: { from: 6 } });
		expect(users.windows((key) => `of ${key}`)).toEqual([
			{ prefix: 'of u1', start: 5 },
			{ prefix: 'of u2', start: 6 },
		]);
	});
});

describe('a limit', () => {
	it.each<[string, unknown, boolean]>([
		['is an error of that kind', new Problem('', '', { kind: 'rate-limited' }), true],
		['is an error with a time to wait', new Problem('', '', { retryAfterMs: 0 }), true],
		['is no other error', new Problem('', ''), false],
		['is no error of n8n', { kind: 'rate-limited', retryAfterMs: 5 }, false],
	])('%s', (_, error, is) => expect(isLimit(error)).toBe(is));

	it.each([
		[1, '1 minute'],
		[60_000, '1 minute'],
		[60_001, '2 minutes'],
	])('that ends in %i ms is reported in minutes', (ms, words) => {
		const report = pauseReport(ms);
		expect(report).toMatchObject({ kind: 'rate-limited', retryAfterMs: ms });
		expect(report.message).toMatch(new RegExp(`\\. The next request is sent in ${words}$`));
		expect(report.description).toMatch(/^The next polls continue .* Poll less often, .* once an hour$/);
	});

	it('keeps what n8n reads in the report', () => {
		const before = startState('node', 'of', 0, 0);
		expect(reportOf({ failedUsers: failedUsers({}), limit: problem('Later') }, before, 0)).toMatchObject({
			kind: 'rate-limited',
			httpCode: '429',
			retryAfterMs: 5,
		});
	});
});

describe('limited users', () => {
	const soon = new Problem('Slower', '', { kind: 'rate-limited' });
	const result = (user_id: string, more: Partial<EventResult> = {}): EventResult => ({
		user: { user_id, client_user_id: null },
		place: 1,
		rows: [],
		...more,
	});
	/** How often the same limit is met before the others meet it, too. */
	const limitsInARow = (limited: LimitedUsers) => {
		for (let count = 1; count < 99; count++) if (limited.refuse(result(`u${count}`), soon)) return count;
		return Infinity;
	};

	it('are all users after several limits in a row, and after one with a time to wait', () => {
		expect(limitsInARow(new LimitedUsers())).toBe(LIMITS_IN_A_ROW);
		expect(new LimitedUsers().refuse(result('u'), problem('Later'))).toBe(true);
		const noted = new LimitedUsers();
		noted.note(soon);
		expect(limitsInARow(noted)).toBe(LIMITS_IN_A_ROW - 1);
		noted.answer(result('v', { problem: new Problem('', '') }));
		expect(limitsInARow(noted)).toBe(LIMITS_IN_A_ROW);
		expect(noted.problem).toBe(soon);
	});

	it('are read again, but not the failed ones, which each poll reads', () => {
		const limited = new LimitedUsers();
		const [open, failed] = [result('open'), result('failed', { place: Infinity })];
		expect(limited.users).toEqual([]);
		limited.refuse(open, soon);
		limited.refuse(failed, soon);
		expect(limited.users).toEqual([open]);
	});

	it('may be limited alone where a request sent later is answered', () => {
		const clock = jest.spyOn(performance, 'now').mockReturnValue(1000);
		const limited = new LimitedUsers();
		const [first, second, third] = [
			result('first', { tookMs: 300 }),
			result('second', { tookMs: 200 }),
			result('third'),
		];
		for (const one of [first, second, third]) limited.refuse(one, soon);
		expect(limited.whileOthersAreAnswered).toEqual([]);
		clock.mockReturnValue(1100);
		limited.answer(result('failed', { problem: new Problem('', '') }));
		expect(limited.whileOthersAreAnswered).toEqual([]);
		limited.answer(result('v', { tookMs: 300 }));
		limited.answer(result('w', { tookMs: 600 }));
		// Sent at 700, 800 and 1000 ms; the latest answered request at 800 ms.
		expect(limited.whileOthersAreAnswered).toEqual([first]);
	});
});
