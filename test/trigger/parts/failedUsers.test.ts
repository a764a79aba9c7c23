/**
 * Failed users: their windows and keys, and the words of their report.
 */
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { FailedUsers, reportOf } from '../../../nodes/HealthDataService/trigger/failedUsers';
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
	});

	it.each([
		['fails again', (users: FailedUsers) => users.fail('a', problem(''), { from: 1 }, 0), false],
		['is read', (users: FailedUsers) => users.remove('a'), false],
		['is found on the list', (users: FailedUsers) => users.meet('a', 0), true],
		['moves to another key', (users: FailedUsers) => users.rename('a', 'x'), true],
		['is limited', (users: FailedUsers) => users.setAside('a', { from: 1 }, 0), true],
		['is limited, though it comes first', (users: FailedUsers) => void users.refuseUrgent('a'), false],
		['is not the one who fails', (users: FailedUsers) => users.fail('new', problem(''), { from: 1 }, 0), true],
	])('who %s: users are overdue: %3$s', (_, happen, isOverdue) => {
		const users = new FailedUsers({ a: { from: 1 }, b: { from: 1 } }, true);
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
		const users = new FailedUsers({ a: { from: 5 }, b: { from: 6 }, c: { from: 3 }, d: { from: 7 } });
		users.rename('a', 'u1');
		users.rename('b', 'c');
		users.rename('d');
		users.rename('gone', 'u2');
		users.rename(undefined, 'u3');
		expect(users.toSave()).toEqual({ u1: { from: 5 }, c: { from: 3 } });
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
