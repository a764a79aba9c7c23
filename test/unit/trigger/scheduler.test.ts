/**
 * Schedulers: where a state is stored, which poll is a start, which is skipped, and what the process remembers. n8n's context is
 * played; the tests in test/trigger have n8n's own.
 */
import type { IPollFunctions } from 'n8n-workflow';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import type { PollEnd } from '../../../nodes/HealthDataService/trigger/results';
import {
	Local,
	scheduleOf,
	skipIfStale,
	storeState,
	withdraw,
	withoutOverlap,
	type Schedule,
} from '../../../nodes/HealthDataService/trigger/scheduler';
import { isUsable, startState, type TriggerState } from '../../../nodes/HealthDataService/trigger/state';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
let now: number;
const pass = (ms: number) => void (now += ms);
/** n8n's clock is wrong by this. */
let errorMs: number;
beforeEach(() => {
	[now, errorMs] = [1000, 0];
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(Date, 'now').mockImplementation(() => Date.UTC(2026, 5, 1) + now + errorMs);
});
afterEach(() => jest.restoreAllMocks());

const stateOf = (poll: number, node = 'node'): TriggerState => ({ ...startState(node, 'of', 0, poll) });

let workflows = 0;
interface Given {
	id?: string;
	/** n8n's static data: in memory of all nodes by their names. */
	all?: Record<string, { state?: TriggerState }>;
	isDurable?: boolean;
	mode?: string;
	budgetMs?: number;
	/** Without n8n's own property. */
	isBare?: boolean;
}
/** What n8n gives a poll of the node "Watch". */
function contextOf({ id = `workflow ${workflows++}`, all = {}, isDurable, mode = 'init', budgetMs, isBare }: Given) {
	const stored = (all['node:Watch'] ??= {});
	const ofType = (type: string, data: object) => (type === 'node' ? data : {});
	const workflow = { staticData: all, getStaticData: (type: string) => ofType(type, isDurable ? {} : stored) };
	return {
		getNode: () => ({ id: 'node', name: 'Watch' }),
		getWorkflow: () => ({ id }),
		getWorkflowStaticData: (type: string) => ofType(type, stored),
		getActivationMode: () => mode,
		getPollBudgetMs: budgetMs === undefined ? undefined : () => budgetMs,
		workflow: isBare ? undefined : workflow,
	} as unknown as IPollFunctions;
}
const START_MS = 300_000;

describe('a poll', () => {
	it.each<[string, Given, { isDurable: boolean; isStart: boolean; budgetMs: number }]>([
		['in memory, the first of its context, is a start', {}, { isDurable: false, isStart: true, budgetMs: MINUTE }],
		['without the workflow, as in memory', { isBare: true }, { isDurable: false, isStart: true, budgetMs: MINUTE }],
		[
			'durable, at an activation, is a start',
			{ isDurable: true, mode: 'activate', budgetMs: START_MS },
			{ isDurable: true, isStart: true, budgetMs: MINUTE },
		],
		[
			'durable, at a poll time',
			{ isDurable: true, mode: 'update', budgetMs: 36_000 },
			{ isDurable: true, isStart: false, budgetMs: 36_000 },
		],
		[
			'durable, with the budget of a start and the mode of a poll time, may be a start',
			{ isDurable: true, mode: 'update', budgetMs: START_MS },
			{ isDurable: true, isStart: true, budgetMs: MINUTE },
		],
	])('%s', (_, given, expected) => {
		expect(scheduleOf(contextOf(given))).toMatchObject(expected);
	});

	it('in memory, of the same context, is a poll time with the whole budget', () => {
		const context = contextOf({});
		expect(scheduleOf(context).isStart).toBe(true);
		expect(scheduleOf(context)).toMatchObject({ isStart: false, budgetMs: START_MS });
	});

	it('durable, with the budget of a start for the second time in a row, is a poll time', () => {
		const given = { id: 'unclear', isDurable: true, mode: 'update', budgetMs: START_MS };
		const starts = [given, given, { ...given, budgetMs: 36_000 }, given, { ...given, mode: 'activate' }, given];
		expect(starts.map((one) => scheduleOf(contextOf(one)).isStart)).toEqual([true, false, false, true, true, true]);
	});

	it('is superseded by the next start only', () => {
		const first = contextOf({ id: 'superseded' });
		const schedule = scheduleOf(first);
		expect(scheduleOf(first).isSuperseded()).toBe(false);
		expect(schedule.isSuperseded()).toBe(false);
		scheduleOf(contextOf({ id: 'superseded', isDurable: true, mode: 'update', budgetMs: 36_000 }));
		expect(schedule.isSuperseded()).toBe(false);
		scheduleOf(contextOf({ id: 'superseded' }));
		expect(schedule.isSuperseded()).toBe(true);
	});

	it('knows what this process knows of its trigger, and of no other', () => {
		const [one, same, other] = ['a', 'a', 'b'].map((id) => scheduleOf(contextOf({ id: `local ${id}` })));
		expect([same.local === one.local, other.local === one.local]).toEqual([true, false]);
	});
});

describe('in memory, a renamed node finds its state under the old name, or under its ID', () => {
	it.each<[string, Given['all'], number | undefined, Record<string, number | undefined>]>([
		['its own', { 'node:Watch': { state: stateOf(5) } }, 5, {}],
		['renamed', { 'node:Old': { state: stateOf(5) } }, 5, { 'node:Old': undefined }],
		['named as another before', { 'node:Watch': { state: stateOf(6, 'other') } }, undefined, { other: 6 }],
		[
			'swapped with another',
			{ 'node:Watch': { state: stateOf(6, 'other') }, 'node:Old': { state: stateOf(5) } },
			5,
			{ other: 6, 'node:Old': undefined },
		],
		['new', {}, undefined, {}],
		['beside data that is no state', { 'node:Else': {}, global: undefined as never }, undefined, {}],
		['of a version without a node', { 'node:Watch': { state: { poll: 5 } as never } }, 5, {}],
	])('%s', (_, all, expected, others) => {
		const { given } = scheduleOf(contextOf({ all }));
		expect(given?.poll).toBe(expected);
		for (const [name, poll] of Object.entries(others)) expect(all?.[name]?.state?.poll).toBe(poll);
	});

	it('durable, n8n itself keeps it by ID', () => {
		const all = { 'node:Old': { state: stateOf(5) } };
		expect(scheduleOf(contextOf({ all, isDurable: true })).given).toBeUndefined();
	});
});

it('a poll is stored with a checksum, and may be withdrawn', () => {
	const schedule = scheduleOf(contextOf({ all: { 'node:Watch': { state: stateOf(5) } } }));
	storeState(schedule, stateOf(6));
	expect([schedule.stored.state?.poll, isUsable(schedule.stored.state!)]).toEqual([6, true]);
	withdraw(schedule);
	expect(schedule.stored.state?.poll).toBe(5);
});

describe('a poll that begins while the one before runs', () => {
	const run = async (second: Partial<Schedule>, afterMs = 0) => {
		const schedule = { local: new Local(), budgetMs: MINUTE, isStart: false } as Schedule;
		const results: unknown[] = [];
		await withoutOverlap(schedule, async () => {
			pass(afterMs);
			results.push(
				await withoutOverlap({ ...schedule, ...second } as Schedule, async () => await Promise.resolve('ran')),
			);
		});
		results.push(await withoutOverlap(schedule, async () => await Promise.resolve('next')));
		return results;
	};
	it.each<[string, Partial<Schedule>, number, unknown[]]>([
		['is skipped', {}, 0, [null, 'next']],
		['is skipped for twice the budget', {}, 2 * MINUTE - 1, [null, 'next']],
		['and not longer: the other will not end', {}, 2 * MINUTE, ['ran', 'next']],
		['takes over at a start', { isStart: true }, 0, ['ran', 'next']],
	])('%s', async (_, second, afterMs, expected) => {
		expect(await run(second, afterMs)).toEqual(expected);
	});

	it('keeps the lock of the one that took over', async () => {
		const schedule = { local: new Local(), budgetMs: MINUTE, isStart: false } as Schedule;
		const ends: Array<() => void> = [];
		const begin = async (isStart: boolean) => {
			await withoutOverlap({ ...schedule, isStart }, async () => await new Promise<void>((end) => ends.push(end)));
		};
		const first = begin(false);
		pass(1);
		const second = begin(true);
		ends[0]();
		await first;
		expect(schedule.local.runsUntil).toBe(now + 2 * MINUTE);
		ends[1]();
		await second;
		expect(schedule.local.runsUntil).toBe(0);
	});

	it('ends with an error, too', async () => {
		const schedule = { local: new Local(), budgetMs: MINUTE, isStart: false } as Schedule;
		await expect(withoutOverlap(schedule, async () => await Promise.reject(new Error('no')))).rejects.toThrow('no');
		expect(schedule.local.runsUntil).toBe(0);
	});
});

describe('durable, a poll whose state is older than the last one needed', () => {
	function scheduleAfter(polls: number, needed: number, given: Partial<Schedule> = {}) {
		const schedule = { local: new Local(), stored: {}, isDurable: true, isStart: false, ...given } as Schedule;
		storeState(schedule, stateOf(needed), true);
		storeState(schedule, stateOf(polls));
		return schedule;
	}
	it.each<[string, Partial<Schedule>, number, boolean, boolean]>([
		['is skipped', {}, 4, true, true],
		['is not, if the state is the needed one', {}, 5, true, false],
		['is not in memory', { isDurable: false }, 4, true, false],
		['is skipped at a start, too', { isStart: true }, 4, true, true],
		['of other fields is skipped until it is the last one', {}, 6, false, true],
		['of other fields is not, if it is the last one', {}, 7, false, false],
		['of other fields is not at a start', { isStart: true }, 0, false, false],
	])('%s', (_, given, poll, isKnown, expected) => {
		expect(skipIfStale(scheduleAfter(7, 5, given), poll, isKnown)).toBe(expected);
	});

	it('is skipped, however long ago this process has stored one', () => {
		const local = Object.assign(new Local(), { needed: 5 });
		expect(skipIfStale({ local, isDurable: true } as Schedule, 4, true)).toBe(true);
	});

	it.each([
		['a minute after the last poll', MINUTE, 0, false],
		['not sooner', MINUTE - 1, 0, true],
		['though the clock was set back', 0, -MINUTE, false],
	])('is not skipped for the second time %s', (_, afterMs, setBy, expected) => {
		const schedule = scheduleAfter(7, 5);
		expect(skipIfStale(schedule, 4, true)).toBe(true);
		pass(afterMs);
		errorMs = setBy;
		expect(skipIfStale(schedule, 4, true)).toBe(expected);
	});

	it('is skipped again after a poll that was stored', () => {
		const schedule = scheduleAfter(7, 5);
		skipIfStale(schedule, 4, true);
		storeState(schedule, stateOf(8));
		pass(MINUTE);
		expect(skipIfStale(schedule, 4, true)).toBe(true);
	});
});

describe('the process remembers', () => {
	it.each([
		['nothing needed', false, false, true],
		['rows', true, false, false],
		['a start', false, true, false],
	])('when n8n saved in memory: a day after a poll with %s', (_, isNeeded, isStart, expected) => {
		const schedule = { local: new Local(), stored: {}, isStart } as Schedule;
		pass(DAY);
		storeState(schedule, stateOf(1), isNeeded);
		expect(schedule.local.isSaveOld).toBe(expected);
		pass(DAY - 1);
		expect(schedule.local.isSaveOld).toBe(expected);
		pass(1);
		expect(schedule.local.isSaveOld).toBe(true);
	});

	it('errors of a whole poll, each kind for an hour', () => {
		const local = new Local();
		const [outage, key] = (['temporarily-unavailable', 'credential-invalid'] as const).map(
			(kind) => new Problem('', '', { kind }),
		);
		expect([local.noteError(outage), local.noteError(outage), local.noteError(key)]).toEqual([true, false, true]);
		pass(HOUR - 30_001);
		expect(local.noteError(outage)).toBe(false);
		pass(1);
		expect(local.noteError(outage)).toBe(true);
		errorMs = -2 * HOUR;
		expect(local.noteError(outage)).toBe(true);
	});

	it('why users were not read, the last throttle, and when the list was read', () => {
		const local = new Local();
		const trouble = { label: 'anna', problem: new Problem('slow', '') };
		const throttle = new Problem('limit', '');
		const end = (troubles: Array<[string, typeof trouble | undefined]>, isListRead: boolean) =>
			({ isListRead, troubles: new Map(troubles) }) as unknown as PollEnd;
		const listReadAt = local.listReadAt;
		pass(MINUTE);
		local.end(
			end(
				[
					['anna', trouble],
					['ben', trouble],
				],
				false,
			),
			throttle,
		);
		expect([local.listReadAt, local.throttle, [...local.troubles.keys()]]).toEqual([
			listReadAt,
			throttle,
			['anna', 'ben'],
		]);
		local.end(end([['anna', undefined]], true));
		expect([local.listReadAt, local.throttle, [...local.troubles.keys()]]).toEqual([
			listReadAt + MINUTE,
			throttle,
			['ben'],
		]);
	});
});

describe('a read is old', () => {
	/** A process that has polled each `everyMs` for a day. */
	function localAfter(everyMs: number) {
		const local = new Local();
		for (let ms = 0; ms < DAY; ms += everyMs) {
			pass(everyMs);
			local.begin();
		}
		return local;
	}
	it.each([
		['an hour later', 10 * MINUTE, HOUR, true],
		['not sooner', 10 * MINUTE, HOUR - 1, false],
		['two polls later, if these are rare', 2 * HOUR, 4 * HOUR, true],
		['not sooner, if polls are rare', 2 * HOUR, 4 * HOUR - 1, false],
	])('%s', (_, everyMs, ageMs, expected) => {
		expect(localAfter(everyMs).isOld(Date.now() - ageMs)).toBe(expected);
	});

	it('by a clock that was set back, too', () => {
		const local = localAfter(10 * MINUTE);
		const time = Date.now();
		errorMs = -HOUR;
		expect(local.isOld(time)).toBe(true);
	});

	it('only if this process could have read it', () => {
		const local = new Local();
		expect(local.isOld()).toBe(false);
		pass(HOUR);
		expect(local.isOld()).toBe(true);
	});

	it('without a pause such as a night', () => {
		const local = localAfter(10 * MINUTE);
		const time = Date.now();
		pass(8 * HOUR);
		local.begin();
		pass(10 * MINUTE);
		local.begin();
		expect(local.isOld(time)).toBe(false);
		pass(50 * MINUTE);
		expect(local.isOld(time)).toBe(true);
	});

	it('with its whole age, if it came after the pause', () => {
		const local = localAfter(10 * MINUTE);
		pass(8 * HOUR);
		local.begin();
		const time = Date.now();
		pass(10 * MINUTE);
		local.begin();
		pass(50 * MINUTE);
		expect(local.isOld(time)).toBe(true);
	});

	it.each([
		['longer than two hours', 2 * HOUR + 1, false],
		['of two hours', 2 * HOUR, true],
	])('of polls each ten minutes, a pause is one %s', (_, ms, expected) => {
		const local = localAfter(10 * MINUTE);
		const time = Date.now();
		pass(ms);
		local.begin();
		pass(10 * MINUTE);
		local.begin();
		pass(30 * MINUTE);
		expect(local.isOld(time)).toBe(expected);
	});
});
