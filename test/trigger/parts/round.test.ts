/**
 * Loop of a round: what it asks of the reads, when a poll ends, and when a round is complete.
 */
import { AdaptiveTimeout, Deadlines } from '../../../nodes/HealthDataService/http/deadlines';
import { userPrefix } from '../../../nodes/HealthDataService/service/readingId';
import type { HasFailed } from '../../../nodes/HealthDataService/service/userSelection';
import { ProviderSlug } from '../../../nodes/HealthDataService/service/users';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import {
	readingEvents,
	type EventResult,
	type ReadOptions,
	type TriggerEvent,
	type WatchTarget,
} from '../../../nodes/HealthDataService/trigger/events';
import { readRound, type RoundOptions } from '../../../nodes/HealthDataService/trigger/round';
import { startState, type TriggerState } from '../../../nodes/HealthDataService/trigger/state';
import { doneKeyOf, fingerprintOf, unresolvedKey } from '../../../nodes/HealthDataService/trigger/watchList';
import { useVirtualTime } from '../../helpers/virtualTime';

useVirtualTime();

const BUDGET_MS = 1000;

const timeout = new AdaptiveTimeout(new Deadlines(), BUDGET_MS / 2, 8);

const entry = (id: string) => ({ id, at: 1 });

const roundOptions = (now: number, deadline: number, lookback: number): RoundOptions => ({
	now,
	lookback,
	isFirst: false,
	clock: { confirmedNow: () => now, earliestNow: () => now, latestNow: () => now },
	thresholds: [],
	deadline,
	budgetMs: BUDGET_MS,
	timeout,
});

/** What a round asks of the event and of the list, where one user and one entry have failed. */
async function optionsOf(deadline: number): Promise<ReadOptions & { failedEntries: string[] }> {
	let options: ReadOptions | undefined;
	let failedEntries: string[] = [];
	const event = {
		async *read(_: unknown, { selection }: WatchTarget, given: ReadOptions) {
			options ??= given;
			for await (const one of selection.users(undefined as never)) yield { ...one, rows: [] };
		},
	} as unknown as TriggerEvent;
	const selection = {
		async *users(_: unknown, __?: number, given?: HasFailed) {
			failedEntries = ['lost', 'sound'].filter((id) => given!(entry(id)));
			yield* [];
		},
		entries: [],
		whenMissing: async () => {},
	};
	const now = Date.now();
	const behind = { late: { from: now }, [unresolvedKey(entry('lost'))]: { from: now } };
	const state = { ...startState('node', 'of', now, 1000), behind };
	const target = { selection, provider: new ProviderSlug(''), concurrency: 1 };
	await readRound((async () => ({})) as never, event, target as never, state, roundOptions(now, deadline, 1000));
	return { ...options!, failedEntries };
}
const user = (user_id: string) => ({ user_id, client_user_id: null });

it('a user has half of a poll, and a failed user one attempt', async () => {
	const { isTooSlow, hasFailed, failedEntries } = await optionsOf(Infinity);
	expect([BUDGET_MS / 2, BUDGET_MS / 2 + 1].map((ms) => isTooSlow!(ms))).toEqual([false, true]);
	expect([hasFailed!(user('late')), hasFailed!(user('sound'))]).toEqual([true, false]);
	expect(failedEntries).toEqual(['lost']);
});

it('after the deadline no user is read on', async () => {
	const { isTooSlow, isTimeUp } = await optionsOf(performance.now());
	expect([isTooSlow!(0), isTimeUp!()]).toEqual([true, true]);
});

describe('a round', () => {
	const HOUR = 3_600_000;
	const refused = new Problem('Refused', 'Do something');
	const limit = new Problem('Limited', 'Wait', { kind: 'rate-limited' });

	/** A round over u1 and u2; those in `given` have results. `listed`: how many users the reads take from the list. */
	async function roundOf(
		given: Record<string, Partial<EventResult>>,
		{
			isTimeUp = false,
			listed = Infinity,
			listError,
			asked = [],
			...more
		}: {
			isTimeUp?: boolean;
			listed?: number;
			/** Of the list of the failed users, or of the first one. */
			listError?: Error;
			/** Gets the IDs in the order in which they are read. */
			asked?: string[];
		} & Partial<TriggerState> = {},
	) {
		let lists = 0;
		const event = {
			...readingEvents[0],
			async *read(get: never, { selection }: WatchTarget) {
				const users = [];
				for await (const one of selection.users(get)) if (users.push(one) >= listed) break;
				asked.push(...users.map(({ user }) => user.user_id));
				for (const one of users) {
					const result = given[one.user.user_id];
					if (result) yield { ...one, rows: [], ...result };
				}
				if (listError && ++lists === (isTimeUp ? 1 : 2)) throw listError;
			},
		};
		const selection = {
			async *users() {
				for (const place of [1, 2]) yield { user: user(`u${place}`), place, team: given[`u${place}`]?.team };
			},
			whenMissing: async () => {},
		};
		const now = Date.now();
		const deadline = performance.now() + (isTimeUp ? 0 : HOUR);
		const target = { selection, provider: new ProviderSlug(''), concurrency: 1 };
		const state = { ...startState('node', 'of', now, HOUR), ...more };
		return await readRound(undefined as never, event, target, state, roundOptions(now, deadline, HOUR));
	}

	it('is complete once the list ends and no result is missing, also when time is up', async () => {
		const { state } = await roundOf({ u1: {}, u2: {} }, { isTimeUp: true });
		expect(state).not.toHaveProperty('round');
	});

	it.each<[string, Parameters<typeof roundOf>]>([
		['a result is missing', [{ u1: {} }, { isTimeUp: true }]],
		['the list has more users', [{ u1: {} }, { isTimeUp: true, listed: 1 }]],
		['a read was cut off', [{ u1: {}, u2: { problem: refused, tookMs: BUDGET_MS / 2 - 1 } }, { isTimeUp: true }]],
	])('resumes in the next poll when %s', async (_, args) => {
		const { state } = await roundOf(...args);
		expect([state.round?.at, state.behind]).toEqual([1, {}]);
	});

	it.each([
		['took half of the budget until it was cut off', true, BUDGET_MS / 2],
		['failed before the deadline', false, 0],
	])('has a failed user with a read that %s', async (_, isTimeUp, tookMs) => {
		const { state } = await roundOf({ u1: {}, u2: { problem: refused, tookMs } }, { isTimeUp });
		expect([Object.keys(state.behind), state.round]).toEqual([['u2'], undefined]);
	});

	it('has a failed user with a read that the poll before cut off, too', async () => {
		const round = { at: 0, last: [], began: Date.now(), limited: [doneKeyOf({ user: user('u2') })] };
		const cutOff = { problem: refused, tookMs: BUDGET_MS / 2 - 1 };
		const { state } = await roundOf({ u1: {}, u2: cutOff }, { isTimeUp: true, round });
		expect([Object.keys(state.behind), state.round]).toEqual([['u2'], undefined]);
	});

	it('remembers which read it cut off', async () => {
		const { state } = await roundOf({ u1: {}, u2: { problem: refused, tookMs: 1 } }, { isTimeUp: true });
		expect(state.round?.limited).toEqual([doneKeyOf({ user: user('u2') })]);
	});

	it('has a failed user who fails again after the deadline', async () => {
		const behind = { u2: { from: Date.now() } };
		const { failedUsers } = await roundOf({ u1: {}, u2: { problem: refused, tookMs: 1 } }, { isTimeUp: true, behind });
		expect(failedUsers.problemCount).toBe(1);
	});

	it.each([
		['is refused alone, as in the poll before, gets an own window', true, { u1: { problem: limit }, u2: {} }, ['u1']],
		['is refused again while others are left, stays open', true, { u1: { problem: limit } }, []],
		['is refused alone for the first time, stays open', false, { u1: { problem: limit }, u2: {} }, []],
	])('a user who %s', async (_, wasLimited, given, behind) => {
		const limited = wasLimited ? [doneKeyOf({ user: user('u1') })] : undefined;
		const round = { at: 0, last: [], began: Date.now(), limited };
		const { state } = await roundOf(given, { round });
		expect([Object.keys(state.behind), state.round === undefined]).toEqual([behind, behind.length > 0]);
	});

	it.each([
		['fails once time is up', true, {}],
		['fails while failed users are read', false, { behind: { u2: { from: 1 } } }],
	])('is kept when the user list %s, not when it is refused', async (_, isTimeUp, more) => {
		const given = { u1: {}, u2: { problem: refused, tookMs: BUDGET_MS / 2 } };
		const listOf = (httpCode: string, kind?: 'temporarily-unavailable') =>
			new Problem(httpCode, '', { httpCode, kind });
		const down = listOf('503', 'temporarily-unavailable');
		const { hasRead, failedUsers } = await roundOf(given, { isTimeUp, listError: down, ...more });
		expect([hasRead, failedUsers.problemCount]).toEqual([true, 1]);
		const wrongKey = roundOf(given, { isTimeUp, listError: listOf('401'), ...more });
		await expect(wrongKey).rejects.toMatchObject({ httpCode: '401' });
	});

	it('is kept when the user list fails once time is up, though no user was read', async () => {
		const listError = new Problem('Down', '', { kind: 'temporarily-unavailable' });
		await expect(roundOf({}, { isTimeUp: true, listed: 0, listError })).resolves.toMatchObject({ hasRead: false });
	});

	it('is kept when the user list fails while failed users are read, though no other user was left', async () => {
		const round = { at: 2, last: [fingerprintOf({ user: user('u2') })], began: Date.now() };
		const listError = new Problem('Down', '', { kind: 'temporarily-unavailable' });
		const { hasRead } = await roundOf({}, { round, behind: { u1: { from: 1 } }, listError });
		expect(hasRead).toBe(false);
	});

	it('reads a failed user first, and once, if the poll before had no time for it', async () => {
		const behind = { u2: { from: 1 } };
		const orderOf = async (more: Partial<TriggerState>, given: Parameters<typeof roundOf>[0]) => {
			const asked: string[] = [];
			const { state } = await roundOf(given, { asked, behind, ...more });
			return [...asked, state.overdue ?? false];
		};
		expect(await orderOf({}, { u1: {}, u2: {} })).toEqual(['u1', 'u2', false]);
		expect(await orderOf({ overdue: true }, { u1: {}, u2: {} })).toEqual(['u2', 'u1', false]);
		expect(await orderOf({ overdue: true }, { u1: {}, u2: { problem: refused } })).toEqual(['u2', 'u1', false]);
		// A limit that only this user meets.
		const limitNow = new Problem('Limited', 'Wait', { kind: 'rate-limited', retryAfterMs: 5000 });
		expect(await orderOf({ overdue: true }, { u1: {}, u2: { problem: limitNow } })).toEqual(['u2', 'u1', false]);
		// No time for it.
		expect(await orderOf({}, { u1: {} })).toEqual(['u1', 'u2', true]);
	});

	it('is kept when every read fails', async () => {
		const { state } = await roundOf({ u1: { problem: refused }, u2: { problem: refused } });
		expect([Object.keys(state.behind), state.round]).toEqual([['u1', 'u2'], undefined]);
	});

	it('starts over for the first user of another team, and for no other user', async () => {
		const team = userPrefix('red');
		expect(await roundOf({ u1: { team: 'blue' }, u2: {} }, { team })).toMatchObject({ otherTeam: userPrefix('blue') });
		const { otherTeam, state } = await roundOf({ u1: { team: 'red' }, u2: { team: 'blue' } }, { team });
		expect([otherTeam, state.team]).toEqual([undefined, team]);
		expect((await roundOf({ u1: { team: 'blue' }, u2: {} })).state.team).toBe(userPrefix('blue'));
	});
});
