/** Results of a poll: what it emits, leaves to the next one, and reports. */
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { NOBODY } from '../../../nodes/HealthDataService/trigger/cursors';
import { everyReadFailed, labelOf, pauseOf, reportOf } from '../../../nodes/HealthDataService/trigger/results';
import { startState } from '../../../nodes/HealthDataService/trigger/state';
import { DEADLINE, NOW, play, POLL, THROTTLE } from '../../helpers/readerPlay';

const MINUTE = 60_000;
const readings = (name: string, count: number, begin = NOW) =>
	Array.from({ length: count }, (_, i) => ({
		...{ user_id: name, systolic: 120, provider: 'omron' },
		timestamp: new Date(begin - i).toISOString(),
	}));

afterEach(() => jest.restoreAllMocks());

it('users with more than 10,000 rows are the first of the next poll; the oldest rows go out', async () => {
	const one = await play({
		list: ['a', 'b', 'c'],
		cursors: { a: {}, b: {}, c: {} },
		answers: (name) => ({ rows: name === 'a' ? [] : readings(name, 6000, name === 'b' ? NOW : NOW - 20_000) }),
	});
	expect(one.items).toHaveLength(10_000);
	expect(one.items.at(-1)).toMatchObject({ user_id: 'b', timestamp: new Date(NOW - 2000).toISOString() });
	expect(one.cursorOf('b')).toEqual({ tried: POLL - 1 });
	expect(one.state).toMatchObject({ offset: 1, pass: POLL });
});

it('a failed user with too many rows holds no pass open', async () => {
	const cursors = { a: { missed: 4 }, b: {} };
	const answers = (name: string) => ({ rows: readings(name, 5001, name === 'a' ? NOW : NOW - 20_000) });
	const one = await play({ list: ['a', 'b'], cursors, answers });
	expect(one.cursorOf('a')).toEqual({ tried: POLL - 1, missed: 4 });
	expect(one.isPassComplete).toBe(true);
});

const since = NOW - MINUTE;
const down = new Problem('Down', '');
it.each([
	['of a user', { cursors: { a: { since } } }, true],
	['of one user, while another fails', { cursors: { a: { since }, b: { since } }, list: ['a', 'b'] }, true],
	['of one user, before the end of the poll', { list: ['late', 'a'] }, true],
	['of an empty team', { list: [] }, true],
	['of users who joined later', { state: {}, list: ['c'] }, false],
	['of nobody yet, for connected users', { list: [], selection: { isConnectedOnly: true } }, false],
])('knows a first read: %s', async (_, given, isFirst) => {
	const answers = (name: string) => (name === 'b' ? { problem: down } : { tookMs: name === 'late' ? DEADLINE : 0 });
	const more = { list: ['a'], state: { since }, answers };
	expect((await play({ ...more, ...given })).hasFirstRead).toBe(isFirst);
});

it.each([
	['of who joined, is new', {}, ['created']],
	['when watching an entry begins, is old', { since: NOW }, []],
])('a reading dated ahead, %s', async (_, cursor, changes) => {
	const rows = readings('a', 1, NOW + 50 * 3_600_000);
	const one = await play({
		list: ['a'],
		cursors: { a: { from: NOW - MINUTE, since: NOW - MINUTE, ...cursor } },
		answers: () => ({ rows }),
	});
	expect(one.items.map(({ change }) => change)).toEqual(changes);
});

it('an entry is never named', () => {
	expect(labelOf({ user: NOBODY })).toBe("one of 'User IDs'");
});

it('if nobody can be read, the error is that of the first user', () => {
	const problems = new Map(['u', 'v'].map((name) => [name, down]));
	expect(everyReadFailed({ users: 2, problems })).toMatchObject({
		message: "No user's readings can be read. Down",
		description: 'The first of 2 users is u. ',
	});
	expect(everyReadFailed({ users: 1, problems: new Map([['u', down]]) })).toBe(down);
});

describe('a report', () => {
	const state = startState('node', 'all', NOW, 0, [], POLL);
	const refused = new Problem('Refused', 'Check it', { kind: 'temporarily-unavailable', httpCode: '422' });
	const rest =
		'New readings of all other users go out; the missing ones follow when they can be read again. This report comes once an hour';
	const limits =
		"The next polls continue with the other users, and nothing is lost. Poll less often, or set 'Requests per Second' in the options to what the service allows. This report comes once an hour";
	const cannot = (who: string) => `The readings of ${who} cannot be read`;
	const failures = (users: number, ...names: string[]) => ({
		failures: { users, problems: new Map(names.map((name) => [name, refused])) },
	});
	const limited = 'The service limits the requests, so one poll does not read all users. ';
	it.each([
		['of one user', failures(1, 'u'), `${cannot('1 user')}. Refused`, `It is u. Check it. ${rest}`],
		['of users', failures(3, 'u', 'v'), `${cannot('3 users')}. Refused`, `The first is u. Check it. ${rest}`],
		['of users of other polls', failures(3), cannot('3 users'), rest],
		['of a throttle first', { ...failures(3), throttle: THROTTLE }, `${limited}Throttled`, limits],
		['of a pause', 60_001, `${limited}The next request is sent in 2 minutes`, limits],
		['of a short pause', 60_000, `${limited}The next request is sent in 1 minute`, limits],
	])('%s', (_, trouble, message, description) => {
		const given = typeof trouble === 'number' ? { throttle: pauseOf(trouble) } : trouble;
		expect(reportOf(given, state, NOW)).toMatchObject({ message, description });
	});

	it('keeps what kind of problem it is', () => {
		expect(reportOf(failures(1, 'u'), state, NOW)).toMatchObject({ kind: 'temporarily-unavailable', httpCode: '422' });
		expect(pauseOf(60_000)).toMatchObject({ kind: 'rate-limited', retryAfterMs: 60_000, description: '' });
	});

	it.each([
		[59, false],
		[60, true],
		[-59, false],
		[-60, true],
	])('comes once an hour: after %d minutes: %s', (minutes, isMade) => {
		const report = reportOf(failures(1), { ...state, told: NOW - minutes * MINUTE }, NOW);
		expect(report !== undefined).toBe(isMade);
	});

	it('is made only if there is trouble', () => {
		expect(reportOf(failures(0), { ...state, told: 0 }, NOW)).toBeUndefined();
	});
});
