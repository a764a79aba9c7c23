/**
 * Accumulator of a round: which rows are emitted, where the next poll resumes, and what is saved of failed users.
 */
import type { IDataObject } from 'n8n-workflow';
import type { ListEntry, SelectedUser, UserSelection } from '../../../nodes/HealthDataService/service/userSelection';
import { MAX_ROWS_PER_POLL, takeOldest, type ChangedRow } from '../../../nodes/HealthDataService/trigger/detectChanges';
import { readingEvents, type EventResult } from '../../../nodes/HealthDataService/trigger/events';
import { RoundResults, type ResultOptions } from '../../../nodes/HealthDataService/trigger/roundResults';
import {
	startState,
	type Checkpoint,
	type PastThresholds,
	type TriggerState,
} from '../../../nodes/HealthDataService/trigger/state';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { doneKeyOf, fingerprintOf, unresolvedKey } from '../../../nodes/HealthDataService/trigger/watchList';

const HOUR = 3_600_000;
const NOW = 1000 * HOUR;
const [event] = readingEvents;
const refused = new Problem('Refused', 'Do something');
const listed = (user_id: string, place: number, entry?: ListEntry): SelectedUser => ({
	user: { user_id, client_user_id: null },
	place,
	...(entry && { entry }),
});
const reading = (user_id: string, time: number, systolic = 120): IDataObject => ({
	user_id,
	timestamp: new Date(time).toISOString(),
	systolic,
});
const MINUTE = 60_000;
/** How many readings have a hash in the saved state. */
const countSeen = ({ seen }: TriggerState) => Object.values(seen).join('').length / 26;

/** Results after the first round of a trigger without thresholds. */
function resultsAfter(more: Partial<TriggerState> = {}, entries?: ListEntry[], given: Partial<ResultOptions> = {}) {
	const before: TriggerState = { ...startState('node', 'of', NOW, HOUR), since: undefined, ...more };
	const options = {
		now: NOW,
		lookback: HOUR,
		isFirst: false,
		thresholds: [],
		windowStart: NOW - HOUR,
		clock: { confirmedNow: () => NOW, earliestNow: () => NOW, latestNow: () => NOW + HOUR },
		...given,
	};
	const selection = { entries, async *users() {}, whenMissing: async () => {} };
	const results = new RoundResults(event, selection, before, options);
	return {
		results,
		take: (one: SelectedUser, result: Partial<EventResult> = {}) => results.take({ ...one, rows: [], ...result }),
	};
}

describe('rows to emit', () => {
	const found = (time?: number) => ({ row: { time } as ChangedRow });
	const times = (rows: Array<{ row: ChangedRow }>) => rows.map(({ row }) => row.time);

	it('are sorted by time, those without a time as if they were measured now', () => {
		const { emitted, left } = takeOldest([found(30), found(), found(10), found(20)], 25);
		expect([times(emitted), left]).toEqual([[10, 20, undefined, 30], []]);
	});

	it('are the oldest 10,000', () => {
		const many = Array.from({ length: MAX_ROWS_PER_POLL }, (_, i) => found(i));
		const { emitted, left } = takeOldest([found(1e9), found(1e9 + 1), ...many], 0);
		expect([emitted.length, times(emitted).at(-1), times(left)]).toEqual([10_000, 9999, [1e9, 1e9 + 1]]);
	});
});

describe('rows are emitted', () => {
	const thresholds = [{ column: 'systolic', least: 130 }];
	const rows = [reading('u1', NOW - 40 * MINUTE, 140), reading('u1', NOW, 129), reading('u1', NOW + 1, 130)];
	const emittedOf = (...args: Parameters<typeof resultsAfter>) => {
		const { results, take } = resultsAfter(...args);
		take(listed('u1', 1), { rows });
		const { items, state } = results.emitAndSave(true);
		return [items.map(({ systolic }) => systolic), countSeen(state)];
	};

	it('when they are new and reach a threshold; the others are remembered', () => {
		expect(emittedOf({ since: NOW - 30 * MINUTE }, undefined, { thresholds })).toEqual([[130], 3]);
	});

	const atLeast = (least: number, until: number): PastThresholds => ({
		until,
		minimums: [{ column: 'systolic', least }],
	});
	it.each<[string, PastThresholds[], number, number[]]>([
		['as they reach those of today, where measured after the change', [atLeast(140, NOW)], 1, [140, 130]],
		['only if they reach both, where measured up to the change', [atLeast(140, NOW + 1)], 1, [140]],
		['only if they reach both, where dated more than a day ahead', [atLeast(140, NOW)], 0, [140]],
		['only if they reach all, after several changes', [atLeast(141, NOW), atLeast(131, NOW + 1)], 1, []],
	])('after a change of the thresholds %s', (_, past, ms, expected) => {
		jest.spyOn(Date, 'now').mockReturnValue(NOW - 24 * HOUR + ms);
		expect(emittedOf({ past }, undefined, { thresholds })).toEqual([expected, 3]);
	});

	it('by the thresholds of before a change until a round is complete that began after it', () => {
		const past = [NOW - 2, NOW - 1, NOW].map((until) => ({ until, minimums: [] }));
		const left = (isComplete: boolean, round?: Checkpoint) =>
			resultsAfter({ past, minimums: thresholds, ...(round && { round }) })
				.results.emitAndSave(isComplete)
				.state.past?.map(({ until }) => until);
		const round = { at: 0, last: [], began: NOW - 1 };
		expect([left(true), left(true, round), left(false)]).toEqual([undefined, [NOW], past.map(({ until }) => until)]);
		expect(resultsAfter({ minimums: thresholds }).results.emitAndSave(true).state.minimums).toEqual(thresholds);
	});

	it('until the window no longer reaches back to publication, its time is saved for users who connect later', () => {
		const selection = { isConnectedOnly: true, async *users() {}, whenMissing: async () => {} };
		const options = { now: NOW, lookback: HOUR, isFirst: true, thresholds: [], windowStart: NOW - HOUR };
		const publishedOf = (
			more: Partial<TriggerState>,
			sure = NOW,
			isComplete = true,
			given: UserSelection = selection,
		) => {
			const clock = { confirmedNow: () => sure, earliestNow: () => sure, latestNow: () => sure };
			const before = { ...startState('node', 'of', NOW, HOUR), ...more };
			const results = new RoundResults(event, given, before, { ...options, clock });
			return results.emitAndSave(isComplete).state.published;
		};
		expect([publishedOf({}), publishedOf({ since: NOW - 3 }), publishedOf({}, NOW - 5)]).toEqual([
			NOW,
			NOW - 3,
			NOW - 5,
		]);
		expect([publishedOf({ since: undefined, published: 7, kept: 6, from: 0 })]).toEqual([7]);
		expect([
			publishedOf({ since: undefined }),
			publishedOf({}, NOW, false),
			publishedOf({}, NOW, true, { ...selection, isConnectedOnly: false }),
			publishedOf({ since: undefined, published: 7, kept: 7, from: 0 }),
		]).toEqual([undefined, undefined, undefined, undefined]);
	});

	it('of a failed user from the first failure on', () => {
		expect(emittedOf({ behind: { u1: { from: 0, since: NOW - 30 * MINUTE } } })).toEqual([[129, 130], 3]);
		expect(emittedOf({ behind: { u1: { from: 0 } }, since: NOW })).toEqual([[140, 129, 130], 3]);
	});
});

describe('the next poll resumes', () => {
	const users = ['u1', 'u2', 'u3', 'u4'].map((id, index) => listed(id, index + 1));

	it.each<[string, number[], number, number[]]>([
		['after the last user done', [1, 2], 2, []],
		[
			'at the first user without a result, in whatever order results come, and knows those done after it',
			[4, 2, 1],
			2,
			[4],
		],
		['at the first user of all', [4, 3], 0, [4, 3]],
	])('%s', (_, places, at, done) => {
		const { results, take } = resultsAfter();
		for (const user of users) results.expect(user);
		for (const place of places) take(users[place - 1]);
		expect(results.openCount).toBeGreaterThan(0);
		const last = users.slice(0, at).map(fingerprintOf);
		const fingerprints = done.map((place) => doneKeyOf(users[place - 1]));
		const { round } = results.emitAndSave(false).state;
		expect(round).toEqual({ at, last, began: NOW, ...(done.length > 0 && { done: fingerprints }) });
	});

	it('with the earliest confirmed time of the round: the window follows it, not a clock that was ahead', () => {
		const from = NOW - 9 * HOUR;
		const [early, right, late] = [NOW - 5 * HOUR, NOW, NOW + 3 * HOUR];
		const windowAfter = (...confirmed: number[]) => {
			let round: Checkpoint | undefined;
			for (const [poll, time] of confirmed.entries()) {
				const { results, take } = resultsAfter({ from, kept: from, round }, undefined, {
					clock: { confirmedNow: () => time, earliestNow: () => time, latestNow: () => time },
				});
				const isLast = poll === confirmed.length - 1;
				for (const user of users) results.expect(user);
				for (const user of isLast ? users : []) take(user, { rows: [reading('u1', NOW + 99 * HOUR)] });
				const { state } = results.emitAndSave(isLast);
				if (isLast) return [state.from, state.round];
				({ round } = state);
			}
			return [];
		};
		expect(windowAfter(early)).toEqual([early - HOUR, undefined]);
		expect(windowAfter(early, right)).toEqual([early - HOUR, undefined]);
		expect(windowAfter(right, early)).toEqual([early - HOUR, undefined]);
		// Not later than when the round began.
		expect(windowAfter(late, late)).toEqual([NOW - HOUR, undefined]);
	});

	it('without the users who were done in an earlier poll of the round, and passes them once all before them are done', () => {
		const [u1, u2, u3, u4] = users;
		const [three, four] = [u3, u4].map(doneKeyOf);
		const round = { at: 1, last: [fingerprintOf(u1)], done: [three, four], began: 5 };
		const { results, take } = resultsAfter({ round });
		results.expect(u2);
		results.expect(u3);
		results.skip(u3);
		expect(results.emitAndSave(false).state.round).toEqual({ ...round, done: [four, three] });
		take(u2);
		const next = results.emitAndSave(false).state.round;
		expect([next?.at, next?.done]).toEqual([3, [four]]);
	});

	it('after a failed user, who is read last', () => {
		const behind = { u1: { from: 1, met: 4 } };
		const { results, take } = resultsAfter({ behind });
		for (const user of users.slice(0, 2)) results.expect(user);
		results.hold(users[0]);
		take(users[1]);
		const { state } = results.emitAndSave(false);
		expect([results.openCount > 0, state.round?.at, state.behind]).toEqual([false, 2, { u1: { from: 1, met: NOW } }]);
	});

	it('at the first user with rows left', () => {
		const { results, take } = resultsAfter();
		for (const user of users) results.expect(user);
		const many = Array.from({ length: MAX_ROWS_PER_POLL }, (_, i) => reading('u4', NOW - HOUR + i));
		take(users[3], { rows: many });
		take(users[2], { rows: [reading('u3', NOW)] });
		take(users[1], { rows: [reading('u2', NOW - HOUR)] });
		take(users[0]);
		expect([results.isFull, results.openCount > 0]).toEqual([true, false]);
		const { items, state } = results.emitAndSave(true);
		expect([items.length, state.round?.at, countSeen(state)]).toEqual([MAX_ROWS_PER_POLL, 2, MAX_ROWS_PER_POLL]);
	});

	it('at the beginning once all is done', () => {
		const { results, take } = resultsAfter({ round: { at: 2, last: [], began: 5 } });
		for (const user of users.slice(2)) take(user);
		expect(results.emitAndSave(true).state).not.toHaveProperty('round');
	});
});

describe('a failed user', () => {
	const entry = (id: string): ListEntry => ({ id, at: 1 });
	const key = (id: string) => unresolvedKey(entry(id));
	const saved = (of: Record<string, string>) =>
		Object.fromEntries(
			Object.entries(of).map(([id, owner]) => [
				fingerprintOf({ entry: entry(id) }),
				owner && fingerprintOf({ user: { user_id: owner, client_user_id: null } }),
			]),
		);

	it('recovers with the first successful read, and not before all rows are emitted', () => {
		const behind = { u1: { from: 0 }, u2: { from: 0 }, u3: { from: 0 } };
		const { results, take } = resultsAfter({ behind });
		const many = Array.from({ length: MAX_ROWS_PER_POLL }, (_, i) => reading('u1', i));
		take(listed('u1', 1), { rows: many });
		take(listed('u2', 2), { rows: [reading('u2', NOW)] });
		take(listed('u3', 3), { problem: refused });
		const { recovered, state } = results.emitAndSave(true);
		expect([recovered, Object.keys(state.behind)]).toEqual([1, ['u2', 'u3']]);
	});

	it('a removed user has no state, and has not recovered', () => {
		const { results, take } = resultsAfter({ behind: { u1: { from: 0 } } });
		take(listed('u1', 1), { isGone: true });
		const { recovered, state } = results.emitAndSave(true);
		expect([recovered, state.behind]).toEqual([0, {}]);
	});

	it('has a new window from where hashes are retained', () => {
		const { results, take } = resultsAfter({ kept: 7 });
		take(listed('u1', 1), { problem: refused });
		expect([results.successes > 0, results.isOnlyUserFailed]).toEqual([false, true]);
		take(listed('u2', 2));
		expect([results.successes > 0, results.isOnlyUserFailed]).toEqual([true, false]);
		// The other users of a resumed round were read in an earlier poll.
		const resumed = resultsAfter({ round: { at: 1, last: [], began: 5 } });
		resumed.take(listed('u2', 2), { problem: refused });
		expect(resumed.results.isOnlyUserFailed).toBe(false);
		expect(results.emitAndSave(true).state.behind).toEqual({ u1: { from: 7, late: NOW - HOUR, met: NOW } });
	});

	it('only limited has a window of the same kind, and no failure', () => {
		const { results } = resultsAfter({ kept: 7, since: 8 });
		results.setAside({ ...listed('u1', 1), rows: [] });
		const { behind } = results.emitAndSave(true).state;
		expect([behind, results.failedUsers.problemCount]).toEqual([
			{ u1: { from: 7, since: 8, late: NOW - HOUR, met: NOW } },
			0,
		]);
	});

	it('does not move the window of all', () => {
		const { results, take } = resultsAfter({ behind: { u1: { from: 0 } }, from: 0, kept: 0 });
		take(listed('u1', 1), { rows: [reading('u1', NOW)] });
		expect(results.emitAndSave(true).state.from).toBe(0);
	});

	it('under an unresolved entry is read under the user ID once the entry is resolved', () => {
		const behind = { [key('a')]: { from: 5 }, [key('b')]: { from: 6 } };
		const members = saved({ a: 'u1', b: '', c: '' });
		const { results } = resultsAfter({ behind, members }, ['a', 'b', 'c'].map(entry));
		results.expect(listed('u1', 1, entry('a')));
		results.expect(listed('', 2, entry('b')));
		results.expect(listed('u3', 3, entry('c')));
		expect(results.failedUsers.toSave()).toEqual({ u1: { from: 5 }, [key('b')]: { from: 6 } });
	});

	it('under an entry that names another user now is forgotten', () => {
		const { results } = resultsAfter({ behind: { [key('a')]: { from: 5 } }, members: saved({ a: 'u9' }) }, [
			entry('a'),
		]);
		results.expect(listed('u1', 1, entry('a')));
		expect(results.failedUsers.toSave()).toEqual({});
	});

	it('stays failed when the entry cannot be resolved any more', () => {
		const behind = { u1: { from: 5 }, u2: { from: 6 } };
		const { results, take } = resultsAfter({ behind, members: saved({ a: 'u1', b: '' }) }, ['a', 'b'].map(entry));
		for (const id of ['a', 'b']) take(listed('', 1, entry(id)), { problem: refused });
		expect(results.failedUsers.toSave()).toMatchObject({ [key('a')]: { from: 5 }, u2: { from: 6 } });
		expect(results.failedUsers.keys).not.toContain('u1');
	});

	it('stays under the user ID while the entry can be resolved', () => {
		const { results, take } = resultsAfter({ behind: { u1: { from: 5 } }, members: saved({ a: 'u1' }) }, [entry('a')]);
		take(listed('u1', 1, entry('a')), { problem: refused });
		expect(results.failedUsers.toSave()).toEqual({ u1: { from: 5, met: NOW } });
	});

	it('of entries that were removed is forgotten at the end of the list', () => {
		const behind = { u1: { from: 1 }, u9: { from: 2 }, [key('b')]: { from: 3 }, [key('gone')]: { from: 4 } };
		const members = saved({ a: 'u1', b: '', gone: 'u9' });
		const { results } = resultsAfter({ behind, members }, ['a', 'b'].map(entry));
		expect(results.unlisted()).toEqual([]);
		expect(results.failedUsers.keys).toEqual(['u1', key('b')]);
	});

	it('names a user missing from the team’s list, unless the round has found the user before', () => {
		const behind = { u1: { from: 1, met: 5 }, u2: { from: 2, met: 4 }, u3: { from: 3, met: 4 } };
		const resumed = resultsAfter({ behind, round: { at: 2, last: [], began: 5 } });
		resumed.take(listed('u3', 3));
		expect(resumed.results.unlisted()).toEqual(['u2']);
		const { results } = resultsAfter({ behind: { u1: { from: 1, met: NOW } } });
		expect(results.unlisted()).toEqual(['u1']);
	});
});

describe('during a poll', () => {
	const [u1, u2] = [listed('u1', 1), listed('u2', 2)];

	it('a failed user is read from an own window, a new one from where hashes are retained', () => {
		const { results } = resultsAfter({ kept: 7, behind: { u1: { from: 5 } } });
		expect(['u1', 'u2', undefined].map(results.windowStartOf)).toEqual([5, 7, 7]);
	});

	it('has a result once one is taken, and is full with the most rows that a poll may emit', () => {
		const { results, take } = resultsAfter();
		expect([results.isEmpty, results.isFull]).toEqual([true, false]);
		take(u1, { rows: Array.from({ length: MAX_ROWS_PER_POLL }, (_, i) => reading('u1', NOW - HOUR + i)) });
		expect([results.isEmpty, results.isFull]).toEqual([false, true]);
	});

	it('counts failures in a row', () => {
		const { results, take } = resultsAfter();
		for (const user of [u1, u2]) take(user, { problem: refused });
		expect(results.failuresInARow).toBe(2);
		take(listed('u3', 3));
		expect(results.failuresInARow).toBe(0);
	});

	it('is that of one failed user only if no other is listed, held or read', () => {
		const isOnly = (play: (of: ReturnType<typeof resultsAfter>) => void, more: Partial<TriggerState> = {}) => {
			const of = resultsAfter(more);
			play(of);
			return of.results.isOnlyUserFailed;
		};
		const fail = ({ take }: ReturnType<typeof resultsAfter>, user = u1) => take(user, { problem: refused });
		expect(isOnly((of) => fail(of))).toBe(true);
		expect([
			isOnly((of) => (of.results.expect(u2), fail(of))),
			isOnly((of) => (fail(of), fail(of, u2))),
			isOnly((of) => (fail(of), of.take(u1))),
			isOnly(({ results }) => void results.hold(u1), { behind: { u1: { from: 1 } } }),
		]).toEqual([false, false, false, false]);
	});
});

describe('the saved state', () => {
	const [u1, u2] = [listed('u1', 1), listed('u2', 2)];

	it('has no key without a value', () => {
		const { state } = resultsAfter().results.emitAndSave(true);
		expect(Object.keys(state).sort()).toEqual(['behind', 'from', 'kept', 'node', 'of', 'seen', 'turn', 'version']);
	});

	it('keeps the time of the last report, the team, and the watch list', () => {
		const one: ListEntry = { id: 'a', at: 1 };
		const { results, take } = resultsAfter({ told: 5, team: 'team' }, [one]);
		take(listed('u1', 1, one));
		const members = { [fingerprintOf({ entry: one })]: fingerprintOf(u1) };
		expect(results.emitAndSave(true).state).toMatchObject({ told: 5, team: 'team', members });
	});

	it('counts the saves that emitted rows', () => {
		const turnAfter = (rows: IDataObject[]) => {
			const { results, take } = resultsAfter({ turn: 7 });
			take(u1, { rows });
			return results.emitAndSave(true).state.turn;
		};
		expect([turnAfter([]), turnAfter([reading('u1', NOW)])]).toEqual([7, 8]);
	});

	it('follows the newest reading of all users', () => {
		const { results, take } = resultsAfter({ from: 0, kept: 0 });
		take(u1, { rows: [reading('u1', NOW - 10 * MINUTE)] });
		take(u2, { rows: [reading('u2', NOW - 50 * MINUTE)] });
		expect(results.emitAndSave(true).state.from).toBe(NOW - 10 * MINUTE - HOUR);
	});

	it('knows which users without a result a limit has stopped', () => {
		const { results, take } = resultsAfter();
		for (const user of [u1, u2]) results.expect(user);
		take(u1);
		take(listed('u9', Infinity));
		const stopped = [u1, u2].map((user) => ({ ...user, rows: [] }));
		const { round } = results.emitAndSave(false, { stopped }).state;
		expect(round).toEqual({ at: 1, last: [fingerprintOf(u1)], began: NOW, limited: [doneKeyOf(u2)] });
	});
});
