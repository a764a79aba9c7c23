/** Reader of the trigger: who is read in which order, with what budget, and what a failure, a throttle and the deadline do. */
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { SINGLE_ATTEMPT } from '../../../nodes/HealthDataService/http/client';
import { BUDGET, DEADLINE, NOW, play, POLL, THROTTLE, TIMEOUT } from '../../helpers/readerPlay';

const DONE = { tried: POLL };
const FAILED = 4;
const read = { tried: POLL + 1 };
const failed = { tried: POLL + 1, missed: FAILED };
const down = new Problem('Down', '', { kind: 'temporarily-unavailable' });
const invalid = new Problem('Invalid', '');
const ENTRIES = ['a', 'b'].map((id, at) => ({ id, at: at + 1 }));
const pausing = new Problem('Throttled', '', { kind: 'rate-limited', retryAfterMs: 5000 });
const many = (count: number, name = 'u') => Array.from({ length: count }, (_, i) => `${name}${i}`);
const failing =
	(problem: Problem, ...names: string[]) =>
	(name: string) => ({
		...(names.includes(name) && { problem }),
	});
const answered = async () => ({});
const refused = async () => await Promise.reject(THROTTLE);
const broken = async () => await Promise.reject(down);

afterEach(() => jest.restoreAllMocks());

it('reads who is due in the order of the list, then the failed, the oldest try first, with one attempt and half the timeout', async () => {
	const one = await play({
		list: ['done', 'late', 'due', 'early', 'new'],
		cursors: { done: DONE, due: {}, late: { tried: 7, missed: FAILED }, early: { tried: 3, missed: FAILED } },
	});
	expect(one.names).toEqual(['due', 'new', 'early', 'late']);
	expect(one.reads.map(({ timeoutMs }) => timeoutMs)).toEqual([TIMEOUT, TIMEOUT, TIMEOUT / 2, TIMEOUT / 2]);
	expect([one.reads[0].from, one.reads[2].isTriedOnce]).toEqual([NOW - 48 * 3_600_000, false]);
	expect(one.reads[0].budget).toEqual({ retryMs: TIMEOUT / 2, totalMs: BUDGET / 2 });
	expect(one.reads[2].budget).toEqual({ retryMs: 0, totalMs: Infinity });
	expect(one.endAt).toBe(BUDGET * 0.3);
	expect([one.recovered, one.isPassComplete, one.state.pass, one.state.offset]).toEqual([2, true, POLL + 2, 0]);
	expect(one.cursorOf('done')).toEqual(DONE);
	expect(one.cursorOf('early')).toEqual(read);
});

it('a failed user is tried once a poll; while nobody has failed, the end of the poll stays', async () => {
	const cursors = { a: {}, b: DONE, c: {} };
	const one = await play({ list: ['a', 'b', 'c'], cursors, answers: failing(down, 'a') });
	expect([one.starts, one.names, one.cursorOf('a')]).toEqual([[0], ['a', 'c'], failed]);
	expect(one.endAt).toBe(BUDGET);
	expect(one.probes).toEqual([]);
	expect([...one.failures.problems.keys()]).toHaveLength(1);
});

it('after three failures the others get no retry', async () => {
	const list = many(5);
	const { reads } = await play({ list, answers: (name) => (name < 'u3' ? { problem: down } : {}) });
	const isRetried = reads.map(({ budget }) => (budget as { retryMs: number }).retryMs > 0);
	expect(isRetried).toEqual([true, true, true, false, false]);
});

describe('at the deadline', () => {
	it.each([
		['everyone is started before', {}, DEADLINE - 1, ['a', 'b'], 0],
		['nobody is started, and the next poll goes on there', {}, DEADLINE, ['a'], 1],
		[
			'30 % of the budget is left for those failed users whom the last poll did not try',
			{ z: { tried: POLL - 1, missed: FAILED } },
			DEADLINE - BUDGET * 0.3,
			['a', 'z'],
			1,
		],
		[
			'nothing is left for those whom it did try',
			{ z: { tried: POLL, missed: FAILED } },
			DEADLINE - BUDGET * 0.3,
			['a', 'b', 'z'],
			0,
		],
	])('%s', async (_, cursors, tookMs, names, offset) => {
		const one = await play({
			list: ['z', 'a', 'b'].slice(names.includes('z') ? 0 : 1),
			cursors,
			answers: (name) => ({ tookMs: name === 'a' ? tookMs : 0 }),
		});
		expect(one.names).toEqual(names);
		expect(one.state.offset).toBe(offset === 0 ? 0 : names.includes('z') ? 2 : 1);
		expect(one.isPassComplete).toBe(offset === 0);
		expect((one.reads[0].budgetAfter as { totalMs: number }).totalMs).toBe(offset === 0 ? BUDGET / 2 : 0);
	});

	it.each([
		['ends a read: the user is next', { missed: undefined }, TIMEOUT - 1, { tried: POLL - 1, missed: 1 }, 0],
		['ends a read for the second time: a failure', { missed: 1 }, TIMEOUT - 1, failed, 1],
		['a whole timeout is a failure', { missed: undefined }, TIMEOUT, failed, 1],
	])('%s', async (_, cursor, tookMs, saved, failures) => {
		const list = [...many(4), 'last'];
		const answers = (name: string) =>
			name === 'last' ? { tookMs, problem: down } : { tookMs: (DEADLINE - 10_000) / 4 };
		const one = await play({ list, cursors: { last: cursor }, answers });
		expect(one.names).toEqual(list);
		expect(one.cursorOf('last')).toEqual(saved);
		expect(one.failures.problems.size).toBe(failures);
		expect(one.state.offset).toBe(failures ? 0 : 4);
	});

	it('before it, a short failure is a failure', async () => {
		const one = await play({
			list: ['a', 'b'],
			answers: (name) => (name === 'a' ? { tookMs: 10, problem: down } : {}),
		});
		expect([one.cursorOf('a'), one.timeout.slowestMs]).toEqual([failed, 0]);
	});

	it('of their part of the budget, failed users are tried while there is time for an answer', async () => {
		const cursors = Object.fromEntries(many(3).map((name, at) => [name, { tried: at, missed: FAILED }]));
		const answers = (name: string) => ({ problem: down, tookMs: name === 'u0' ? TIMEOUT : TIMEOUT / 2 });
		const one = await play({ list: many(3), cursors, answers });
		expect([one.names, one.reads[1].budgetAfter, one.cursorOf('u2')]).toEqual([
			...[['u0', 'u1'], { retryMs: 0, totalMs: Infinity }, cursors.u2],
		]);
		const late = await play({ list: many(3), cursors, answers: () => ({ problem: down, tookMs: BUDGET * 0.3 + 1 }) });
		expect([late.names, late.reads[0].budgetAfter]).toEqual([['u0'], { retryMs: 0, totalMs: 0 }]);
	});
});

it('three hanging answers in a row shorten the timeout, an answer restores it', async () => {
	const answers = (name: string) => (name < 'u3' ? { problem: down, tookMs: TIMEOUT } : { tookMs: 2000 });
	const one = await play({ list: many(5), answers });
	expect(one.reads.map(({ timeoutMs }) => timeoutMs)).toEqual([TIMEOUT, TIMEOUT, TIMEOUT, TIMEOUT / 12, TIMEOUT]);
	expect(one.timeout.slowestMs).toBe(2000);
});

describe('a throttle', () => {
	it('of this user alone: the list is answered, so the others are read', async () => {
		const one = await play({
			list: ['a', 'b', 'c'],
			cursors: { b: {} },
			answers: failing(THROTTLE, 'b'),
			probe: answered,
		});
		expect([one.names, one.throttle]).toEqual([['a', 'b', 'c'], undefined]);
		expect(one.cursorOf('b')).toEqual({ tried: POLL - 1, missed: 1 });
		expect(one.probes).toEqual([['/v2/user', { limit: 1 }, undefined, SINGLE_ATTEMPT]]);
		expect([one.state.offset, one.failures.problems.size]).toEqual([1, 0]);
	});

	it.each([
		['ends the poll, and is nobody’s failure', THROTTLE, ['a', 'b', 'c'], { tried: POLL - 1 }, 1, undefined],
		['that names a time ends it without a question', pausing, ['a', 'b', 'c'], { tried: POLL - 1 }, 0, NOW + 5000],
		['with which a poll begins misses its user', THROTTLE, ['b', 'c'], { tried: POLL - 1, missed: 1 }, 1, undefined],
	])('of all %s', async (_, problem, list, saved, probes, pausedUntil) => {
		const one = await play({
			list: ['z', ...list],
			cursors: { b: {}, z: { missed: FAILED } },
			answers: failing(problem, 'b'),
			probe: refused,
		});
		expect(one.names).toEqual(list.slice(0, -1));
		expect([one.cursorOf('b'), one.cursorOf('z')]).toEqual([saved, { tried: POLL - 1, missed: FAILED }]);
		expect([one.throttle, one.probes.length, one.state.pausedUntil]).toEqual([problem, probes, pausedUntil]);
		expect(one.endAt).toBe(BUDGET);
	});

	it('of a failed user asks nothing, and puts the user off', async () => {
		const cursors = { z: { missed: FAILED, tried: 3 }, y: { missed: FAILED, tried: 4 } };
		const one = await play({ list: ['a', 'z', 'y'], cursors, answers: failing(THROTTLE, 'z'), probe: refused });
		expect([one.names, one.probes, one.throttle]).toEqual([['a', 'z', 'y'], [], undefined]);
		expect([one.cursorOf('z'), one.cursorOf('y')]).toEqual([{ tried: POLL + 1, missed: FAILED + 1 }, read]);
	});

	const thrice = Object.fromEntries(many(8).map((name) => [name, { missed: 3 }]));
	it.each([
		['theirs alone: all are missed', ['a', ...many(8)], answered, 8, undefined],
		['of all: they are next', ['a', ...many(8)], refused, 0, THROTTLE],
		['of all, and nobody was read: some of them are next', many(8), refused, 3, THROTTLE],
		['theirs alone, though nobody was read: all are missed', many(8), answered, 8, undefined],
		['no throttle any more: all are missed', ['a', ...many(8)], broken, 8, undefined],
	])('of users who were refused three times is judged at the end. %s', async (_, list, probe, missed, seen) => {
		const one = await play({ list, cursors: thrice, answers: failing(THROTTLE, ...many(8)), probe });
		expect([one.names, one.probes.length]).toEqual([list, 1]);
		expect(one.throttle).toBe(seen);
		expect(one.reads.at(-1)!.isTriedOnce).toBe(true);
		const gone = many(8).filter((name) => one.cursorOf(name)!.tried === POLL + 1);
		expect([gone.length, one.isPassComplete]).toEqual([missed, missed === 8]);
	});

	it('of one of them alone, with whom the poll began, misses this one', async () => {
		for (const name of many(8)) {
			const one = await play({ list: [name], cursors: thrice, answers: () => ({ problem: THROTTLE }), probe: refused });
			expect(one.cursorOf(name)).toEqual({ tried: POLL + 1, missed: 3 });
		}
	});

	it('after one of all, nobody is asked again, and those who were refused often are next', async () => {
		const answers = failing(pausing, 'b');
		const one = await play({
			list: ['a', 'u0', 'b'],
			cursors: thrice,
			answers: (name) => (name === 'u0' ? { problem: THROTTLE } : answers(name)),
			probe: answered,
		});
		expect([one.names, one.probes, one.cursorOf('u0')]).toEqual([['a', 'u0', 'b'], [], { tried: POLL - 1, missed: 3 }]);
	});
});

describe('twenty failures in a row', () => {
	const list = ['a', ...many(45)];
	const all = (name: string) => (name === 'a' ? {} : { problem: down });
	it.each([
		['the list is answered: the poll goes on', list, answered, 46, 2, undefined],
		['the service is down: the poll ends', list, broken, 21, 1, undefined],
		['the service limits: the poll ends with that', list, refused, 21, 1, THROTTLE],
		['a throttle is no outage, though nobody was read', list.slice(1), refused, 20, 1, THROTTLE],
	])('%s', async (_, users, probe, reads, probes, seen) => {
		const one = await play({ list: users, answers: all, probe });
		expect([one.names.length, one.probes.length, one.throttle]).toEqual([reads, probes, seen]);
	});

	it('the service is down, and nobody was read: the poll fails', async () => {
		await expect(play({ list: list.slice(1), answers: all, probe: broken })).rejects.toThrow(
			"No user's readings can be read. Down",
		);
	});

	it('an answer that the end of the poll cuts off says nothing', async () => {
		const probe = async (pass: (ms: number) => void) => {
			pass(BUDGET);
			return await broken();
		};
		const one = await play({ list: list.slice(1), answers: all, probe });
		expect([one.names.length, one.throttle]).toEqual([20, undefined]);
	});

	it('an answer that the end of the time for failed users cuts off says nothing either', async () => {
		const cursors = Object.fromEntries(many(20).map((name) => [name, { missed: FAILED }]));
		const probe = async (pass: (ms: number) => void) => {
			pass(BUDGET * 0.3);
			return await broken();
		};
		const one = await play({ list: many(20), cursors, answers: all, probe });
		expect([one.names.length, one.throttle, one.probes.length]).toEqual([20, undefined, 1]);
	});

	it('an answer in between begins the row anew; after the deadline nothing is asked', async () => {
		const one = await play({ list: [...many(19), 'a', ...many(19, 'v')], answers: all, probe: broken });
		expect([one.names.length, one.probes]).toEqual([39, []]);
		const late = await play({
			list: list.slice(1, 21),
			answers: (name) => ({ problem: down, tookMs: name === 'u19' ? DEADLINE : 0 }),
			probe: broken,
		});
		expect(late.probes).toEqual([]);
	});
});

describe('the list', () => {
	const names = many(260);
	const cursors = Object.fromEntries(names.map((name, at) => [name, at < 200 ? DONE : {}]));
	it('is resumed 100 users before the offset, and read again from its beginning if somebody is missing', async () => {
		const one = await play({ list: names, cursors, state: { offset: 200 } });
		expect([one.starts, one.names, one.isPassComplete]).toEqual([[100], names.slice(200), true]);
		const two = await play({ list: names, cursors: { ...cursors, left: {} }, state: { offset: 200 } });
		expect([two.starts, two.cursorOf('left'), two.cursorOf('u0')]).toEqual([[100, 0], undefined, DONE]);
		const twice = await play({
			list: names,
			cursors: { ...cursors, left: {} },
			state: { offset: 200 },
			answers: failing(down, 'u205'),
		});
		expect(twice.names).toEqual(names.slice(200));
		const cut = await play({ list: names, cursors, state: { offset: 200 }, answers: () => ({ tookMs: DEADLINE }) });
		expect([cut.names, cut.state.offset]).toEqual([['u200'], 201]);
	});

	it('that does not go on where it was is read from its beginning; a failed user there is no sign of that', async () => {
		const moved = await play({ list: names, cursors: { ...cursors, u100: {} }, state: { offset: 200 } });
		expect([moved.starts, moved.names[0]]).toEqual([[100, 0], 'u100']);
		const joined = await play({
			list: names,
			cursors: Object.fromEntries(names.filter((one) => one !== 'u100').map((one) => [one, DONE])),
			state: { offset: 200 },
		});
		expect([joined.starts, joined.names]).toEqual([[100, 0], ['u100']]);
		const same = await play({ list: names, cursors: { ...cursors, u100: { missed: FAILED } }, state: { offset: 200 } });
		expect([same.starts, same.names.at(-1)]).toEqual([[100], 'u100']);
	});

	it('that is refused on the way is continued there', async () => {
		const one = await play({ list: names, cursors, state: { offset: 200 }, listEnds: 50 });
		expect([one.starts, one.throttle, one.state.offset]).toEqual([[100], THROTTLE, 200]);
		const moved = await play({ list: names, cursors: { ...cursors, u100: {} }, state: { offset: 200 }, listEnds: 50 });
		expect([moved.starts, moved.state.offset]).toEqual([[100, 0], 50]);
	});

	it('of another team ends the poll; users without a team do not', async () => {
		const first = await play({ list: ['a'], team: 'ours' });
		expect(first.names).toEqual(['a']);
		const { team } = first.state;
		const one = await play({ list: ['a', 'b'], state: { team: 'theirs' }, team: 'ours' });
		expect([one.names, one.starts, one.otherTeam]).toEqual([[], [0], team]);
		for (const sent of ['ours', undefined]) {
			const same = await play({ list: ['a', 'b'], state: { team }, team: sent });
			expect([same.names, same.state.team]).toEqual([['a', 'b'], team]);
		}
	});

	it('of entries is told which of them were not resolved before', async () => {
		const selection = { entries: ENTRIES };
		const one = await play({ list: ['a', 'b'], cursors: { a: { missed: FAILED }, b: {} }, selection });
		expect(one.unresolved).toEqual(['a']);
	});

	it('tells how slow the service is, and how many hung in the last poll', async () => {
		const hung = Object.fromEntries(many(3).map((name) => [name, { tried: POLL, missed: FAILED }]));
		const one = await play({
			list: ['a', ...many(3)],
			cursors: { ...hung, u3: { missed: FAILED } },
			listMs: 1500,
			answers: () => ({ tookMs: 10 }),
		});
		// A twelfth, but four times the list's answer.
		expect(one.reads.map(({ timeoutMs }) => timeoutMs)).toEqual([6000, TIMEOUT / 2, TIMEOUT / 2, TIMEOUT / 2]);
		// Who hangs is not asked again.
		expect(one.reads[0].budget).toMatchObject({ retryMs: 3000 });
	});
});

it('10,000 rows end the poll', async () => {
	const rows = Array.from({ length: 10_000 }, (_, i) => ({
		timestamp: new Date(NOW - i).toISOString(),
		systolic: 120,
		user_id: 'a',
	}));
	const one = await play({ list: ['a', 'b'], cursors: { a: { from: NOW - 1e8 } }, answers: () => ({ rows }) });
	expect([one.names, one.items.length]).toEqual([['a'], 10_000]);
});

it.each([
	['a throttle', ['a'], THROTTLE, 0, THROTTLE],
	['an outage after the deadline', ['a'], down, DEADLINE, undefined],
])('%s that ends the read ends the poll', async (_, list, thrown, tookMs, seen) => {
	const one = await play({ list, thrown, answers: () => ({ tookMs }) });
	expect([one.throttle, one.names, one.cursorOf('a')]).toEqual([seen, ['a'], read]);
});

it.each([
	['an outage before it', ['a'], down, 0],
	['an outage before any user', [], down, 0],
	['what will not pass', ['a'], invalid, DEADLINE],
	['any other error', ['a'], new Error('Down'), DEADLINE],
])('%s fails the poll', async (_, list, thrown, tookMs) => {
	await expect(play({ list, thrown, answers: () => ({ tookMs }), listMs: list.length ? 0 : DEADLINE })).rejects.toBe(
		thrown,
	);
});

it.each([
	['User', { isOne: true }, ['a'], down, true],
	['User, read', { isOne: true }, ['a'], undefined, false],
	['one entry', { entries: [{ id: 'a', at: 1 }] }, ['a'], invalid, true],
	['one entry that may be read later', { entries: [{ id: 'a', at: 1 }] }, ['a'], down, false],
	['two entries', { entries: ENTRIES }, ['a', 'b'], invalid, false],
	['all users', {}, ['a'], invalid, false],
])('the failure of the only user fails the poll: %s', async (_, selection, list, problem, isThrown) => {
	const work = play({ list, selection, answers: () => (problem ? { problem } : {}) });
	if (isThrown) await expect(work).rejects.toBe(problem);
	else expect((await work).names).toEqual(list);
});
