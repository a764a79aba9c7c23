/** Results of a poll: which rows go out in which poll, what is saved, and what is told of the user list. */
import type { IDataObject } from 'n8n-workflow';
import type { UserResult } from '../../../nodes/HealthDataService/service/readings/readUsers';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import type { Clock } from '../../../nodes/HealthDataService/trigger/clock';
import { events } from '../../../nodes/HealthDataService/trigger/events';
import { PollResult, type Extent } from '../../../nodes/HealthDataService/trigger/results';
import type { Settings } from '../../../nodes/HealthDataService/trigger/settings';
import { startState, type TriggerState } from '../../../nodes/HealthDataService/trigger/state';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 5, 1, 12);
const TEAM = 'a7aa2f89-3f03-4f23-837d-f4f140ca6d0c';
const [BLOOD_PRESSURE, , NEW_USER] = events;

function settingsOf(more: Partial<Settings> = {}) {
	return {
		...{ event: BLOOD_PRESSURE, target: { selection: {} }, lookback: 48 * HOUR, maxRows: 10, limits: {} },
		...{ output: 'readings', zone: 'UTC', isTest: false, isWanted: () => true, ...more },
	} as Settings;
}
const clock = { now: NOW, time: NOW, earliest: NOW, latest: NOW, latestNow: NOW + MINUTE } as Clock;
/** Watching began a day before. */
const begun = startState('node', 'of', NOW - 24 * HOUR, 1);

const reading = (user_id: string, minutes: number, systolic = 120): IDataObject => ({
	...{ user_id, systolic, diastolic: 80, unit: 'mmHg', provider: 'omron', source_type: 'cuff' },
	timestamp: new Date(NOW - minutes * MINUTE).toISOString(),
});
function resultOf(user_id: string, rows: IDataObject[] = [], more: Partial<UserResult> = {}): UserResult {
	const user = { user_id, client_user_id: user_id };
	return { user, place: 0, record: { team_id: TEAM }, rows, isGone: false, tookMs: 0, endedAt: 0, ...more };
}

const WHOLE: Extent = { isListRead: true, isListEmpty: false, isAsideDone: true, isOld: () => false };

/** A poll that met and read these users. */
function poll(before: TriggerState, read: UserResult[], more: Partial<Settings> = {}, extent: Partial<Extent> = {}) {
	const results = new PollResult(settingsOf(more), before, clock);
	for (const one of read) results.meet(one);
	const problems = read.map((one) => results.detect(one));
	return { ...results.finish({ ...WHOLE, ...extent }), problems, results };
}
const minutesOf = (items: IDataObject[]) =>
	items.map(({ timestamp }) => (NOW - Date.parse(String(timestamp))) / MINUTE);

describe('rows', () => {
	const anna = () => resultOf('anna', [reading('anna', 5), reading('anna', 30)]);
	const ben = () => resultOf('ben', [reading('ben', 20), reading('ben', 10)]);

	it('go out oldest first, once', () => {
		const { items, state } = poll(begun, [anna(), ben()]);
		expect(minutesOf(items)).toEqual([30, 20, 10, 5]);
		expect(items[0]).toMatchObject({ change: 'created', local_time: '2026-06-01 11:30:00' });
		expect(poll(state, [anna(), ben()]).items).toEqual([]);
	});

	it('beyond the maximum follow in the next polls, and none is lost or comes twice', () => {
		let state = begun;
		const polls = [1, 2, 3].map(() => {
			const one = poll(state, [anna(), ben()], { maxRows: 2 });
			state = one.state;
			return minutesOf(one.items);
		});
		expect(polls).toEqual([[30, 20], [10, 5], []]);
	});

	it('beyond the maximum keep the window of their user', () => {
		const { state } = poll(begun, [anna(), resultOf('ben', [reading('ben', 20)])], { maxRows: 2 });
		expect(state.cursors.map(({ read }) => read === NOW)).toEqual([true, false]);
	});

	it('of two entries for one user go out once', () => {
		expect(poll(begun, [anna(), anna()]).items).toHaveLength(2);
	});

	it('of two entries for one user, beyond the maximum, keep its window', () => {
		const { state } = poll(begun, [anna(), anna()], { maxRows: 1 });
		expect(state.cursors.map(({ read }) => read)).toStrictEqual([undefined]);
	});

	it('without a time go out with those of now', () => {
		const timeless = { ...reading('anna', 0, 130), timestamp: null };
		const { state } = poll(begun, [resultOf('anna', [reading('anna', 50)])]);
		const { items } = poll(state, [resultOf('anna', [timeless, reading('anna', 5), reading('anna', -5)])]);
		expect(items.map(({ systolic, timestamp }) => [systolic, timestamp === null])).toEqual([
			[120, false],
			[130, true],
			[120, false],
		]);
	});

	it('that cannot be compared are an error of their user', () => {
		const { items, problems, state, hasRead } = poll(begun, [
			resultOf('anna', [null as never]),
			resultOf('ben', [reading('ben', 20)]),
		]);
		expect(problems.map((problem) => problem?.message)).toEqual(["This user's data could not be processed", undefined]);
		expect([minutesOf(items), hasRead]).toEqual([[20], true]);
		expect(state.cursors.filter(({ read }) => read !== undefined)).toHaveLength(1);
	});

	it.each([
		[1, false],
		[2, true],
	])('%i of a maximum of two: full is %p', (count, expected) => {
		const rows = Array.from({ length: count }, (_, at) => reading('anna', at));
		expect(poll(begun, [resultOf('anna', rows)], { maxRows: 2 }).results.isFull).toBe(expected);
	});

	it('of users: one who was read once is not new again', () => {
		const user = resultOf('anna', [{ user_id: 'anna', created_on: new Date(NOW - MINUTE).toISOString() }]);
		const first = poll(begun, [user], { event: NEW_USER });
		const renamed = { ...user, rows: [{ ...user.rows[0], created_on: new Date(NOW).toISOString() }] };
		expect([first.items.length, poll(first.state, [renamed], { event: NEW_USER }).items.length]).toEqual([1, 0]);
	});
});

describe('the items of an output', () => {
	const read = [
		resultOf('anna', [reading('anna', 5, 190)]),
		resultOf('ben', [reading('ben', 10, 185), reading('ben', 15, 182)]),
	];
	it.each<[Settings['output'], boolean, IDataObject[]]>([
		['users', false, [{ client_user_id: 'ben', readings: 2 }, { client_user_id: 'anna' }]],
		['message', false, [{ people: 2, readings: 3 }]],
		['users', true, [{ client_user_id: 'anna', readings: 1 }]],
		['message', true, [{ people: 1, subject: expect.stringMatching(/^Test: /) as string }]],
	])('%s, test event: %p', (output, isTest, expected) => {
		const { items } = poll(begun, read, { output, isTest });
		expect(items).toMatchObject(expected);
		expect(items).toHaveLength(expected.length);
	});

	it('a message tells who was not read for an hour', () => {
		const { items } = poll(begun, read, { output: 'message' }, { isOld: () => true });
		expect(items[0].text).toMatch(/Not read for an hour: 2\n• since Mon 1 Jun 12:00$/);
	});
});

describe('the state', () => {
	const user = (more = {}) => resultOf('anna', [reading('anna', 5)], more);

	it('counts the poll, and has the pause of the service', () => {
		const { state } = poll({ ...begun, poll: 7 }, [user()], {}, { pausedUntil: NOW + HOUR });
		expect(state).toMatchObject({ poll: 8, pausedUntil: NOW + HOUR, node: 'node', of: 'of' });
	});

	it.each([
		['must be saved after a first read', begun, true],
		['need not be saved after another', poll(begun, [user()]).state, false],
	])('%s', (_, before, expected) => {
		expect(poll(before, [user()]).mustSave).toBe(expected);
	});

	it('must be saved after a first read among others', () => {
		const { state } = poll(begun, [user()]);
		expect(poll(state, [user(), resultOf('ben')]).mustSave).toBe(true);
	});

	it('is the same for a user without a record, and where nobody is read', () => {
		expect(poll(begun, [user({ record: undefined })]).hasRead).toBe(true);
		expect(poll(begun, []).hasRead).toBe(false);
	});

	it('who had failed and is read has recovered', () => {
		const failing = new PollResult(settingsOf(), begun, clock);
		failing.meet(user());
		failing.noteMiss(user(), 'failed', new Problem('Slow', ''));
		const { state } = failing.finish(WHOLE);
		expect([poll(state, [user()]).recovered, poll(begun, [user()]).recovered]).toEqual([1, 0]);
	});

	it.each<[string, Parameters<PollResult['noteMiss']>[1], object, string | undefined]>([
		['a failure', 'failed', {}, 'Slow'],
		['a limit', 'limited', {}, 'Slow'],
		['an error of the service, though the poll ended', 'cut', { httpCode: '500' }, 'Slow'],
		['no answer at the end of the poll: it says nothing about the user', 'cut', {}, undefined],
	])('the reason is known of %s', (_, miss, options, expected) => {
		const results = new PollResult(settingsOf(), begun, clock);
		results.meet(user());
		results.noteMiss(user(), miss, new Problem('Slow', '', options));
		const [trouble] = results.finish(WHOLE).troubles.values();
		expect(trouble?.problem.message).toBe(expected);
		if (trouble) expect(trouble.label).toBe('anna');
	});

	it('a read takes the reason away', () => {
		expect([...poll(begun, [user()]).troubles.values()]).toStrictEqual([undefined]);
	});
});

describe('a pass is complete', () => {
	const complete = (extent: Partial<Extent>, notes: (results: PollResult) => void) => {
		const results = new PollResult(settingsOf(), { ...begun, pass: 2 }, clock);
		results.meet(resultOf('anna'));
		results.meet(resultOf('ben'));
		results.detect(resultOf('anna'));
		notes(results);
		return results.finish({ ...WHOLE, ...extent }).state.pass === begun.poll + 2;
	};
	const readBen = (results: PollResult) => void results.detect(resultOf('ben'));
	const failBen = (results: PollResult) => results.noteMiss(resultOf('ben'), 'failed', new Problem('Slow', ''));

	it.each<[string, boolean, Partial<Extent>, (results: PollResult) => void]>([
		['when all were read', true, {}, readBen],
		['when the rest has failed', true, {}, failBen],
		['not while somebody was not reached', false, {}, () => {}],
		['not before the list was read to its end', false, { isListRead: false }, readBen],
	])('%s', (_, expected, extent, notes) => {
		expect(complete(extent, notes)).toBe(expected);
	});

	it.each([true, false])('with users aside who had their turn: %p', (isAsideDone) => {
		const failed = new PollResult(settingsOf(), { ...begun, pass: 2 }, clock);
		failed.meet(resultOf('anna'));
		failed.noteMiss(resultOf('anna'), 'failed', new Problem('Slow', ''));
		const { state } = failed.finish({ ...WHOLE, isListRead: false });
		const next = new PollResult(settingsOf(), { ...state, pass: state.poll + 1 }, clock);
		next.meet(resultOf('anna'));
		expect(next.isPassComplete({ ...WHOLE, isAsideDone })).toBe(isAsideDone);
	});
});

describe('the key of another team', () => {
	const known = poll(begun, [resultOf('anna', [reading('anna', 5)])]).state;
	const other = (user_id: string, team_id: unknown = 'b7aa2f89-3f03-4f23-837d-f4f140ca6d0c') =>
		resultOf(user_id, [reading(user_id, 5)], { record: { team_id } as IDataObject });

	it.each<[string, UserResult[], boolean]>([
		['is told by the first user of the list', [other('zoe'), resultOf('anna')].slice(0, 1), true],
		['is no other where a user is known', [other('zoe'), other('anna')], false],
		['is the same in capitals', [other('zoe', TEAM.toUpperCase())], false],
		['is not known without a team', [other('zoe', null)], false],
		['may be that of a later user', [resultOf('zoe'), other('yan')], false],
	])('%s', (_, users, expected) => {
		expect(poll(known, users).isOtherTeam).toBe(expected);
	});

	it('is unclear before the list was read to its end: nobody gets a cursor, and that is told', () => {
		const { state, isOtherTeam, listProblem } = poll(known, [], {}, {});
		expect([isOtherTeam, listProblem, state.team]).toEqual([false, undefined, known.team]);
		const results = new PollResult(settingsOf(), known, clock);
		results.meet(other('zoe'));
		const end = results.finish({ ...WHOLE, isListRead: false });
		expect(end.isOtherTeam).toBe(false);
		expect(end.state).toMatchObject({ team: known.team, cursors: known.cursors, pass: known.pass });
		expect(end.listProblem).toMatchObject({
			message: expect.stringMatching(/^The key of the credential may belong to another team/) as string,
			kind: 'temporarily-unavailable',
		});
	});

	it.each([
		['had users before', known, true],
		['has had none', begun, false],
	])('an empty list is told where it %s', (_, before, isTold) => {
		const { listProblem } = poll(before, [], {}, { isListRead: false, isListEmpty: true });
		expect(listProblem?.message).toBe(
			isTold ? 'The user list of the service is empty, and had users before' : undefined,
		);
		if (isTold) expect(listProblem?.kind).toBe('temporarily-unavailable');
	});
});
