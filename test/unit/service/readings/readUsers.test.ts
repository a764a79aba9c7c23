/** Concurrent reads of many users, over made-up answers: the time of one user, and a problem from before the read. */
import type { Get, Query, RequestOptions } from '../../../../nodes/HealthDataService/http/client';
import { readUsers, type UserResult } from '../../../../nodes/HealthDataService/service/readings/readUsers';
import { HeldReadings } from '../../../../nodes/HealthDataService/service/readings/heldReadings';
import { limitOfUser } from '../../../../nodes/HealthDataService/service/readings/rowLimit';
import { readingRows } from '../../../../nodes/HealthDataService/service/readings/rows';
import type { SelectedUser } from '../../../../nodes/HealthDataService/service/users/selection';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';
import { bloodPressure as metric } from '../../../helpers/metrics';
import { fc } from '../../../helpers/properties';
import { useVirtualTime } from '../../../helpers/virtualTime';

const time = useVirtualTime();

type Options = Partial<Parameters<typeof readUsers>[1]>;
/** Reads these users one after the other; `answer` gets what is asked with each request, and may let time pass. */
async function read(
	users: Array<Partial<SelectedUser>>,
	answer: (once: RequestOptions, path: string) => Promise<object>,
	options: Options = {},
) {
	const get = (async (path: string, _: Query, __: unknown, once: RequestOptions) =>
		await answer(once, path)) as unknown as Get;
	const selection = {
		async *users() {
			for (const [at, user] of users.entries())
				yield { user: { user_id: `u${at}`, client_user_id: null }, place: 1, ...user };
		},
	};
	const toRows: NonNullable<Options['toRows']> = (groups, { user }) => readingRows({ metric }, groups, user);
	const held = new HeldReadings();
	const all = { metric, query: () => ({}), selection, width: 1, toRows, held, ...options };
	const results: UserResult[] = [];
	for await (const one of readUsers(get, all)) results.push(one);
	return results;
}

it('time in the queue does not count as time of a user, whose requests share what there is', async () => {
	const stopped: unknown[] = [];
	let asked = 0;
	const answer = async ({ budget }: RequestOptions) => {
		stopped.push(budget!.stoppedBy);
		await time.pass(100);
		if (++asked < 3) budget!.start();
		await time.pass(100);
		budget!.stop();
		return { groups: {}, ...(asked === 1 && { next_cursor: 'x' }) };
	};
	const begun = time.elapsed;
	const results = await read([{}, {}], answer, { budget: () => ({ retryMs: 0, totalMs: 100 }) });
	// Two pages, each half its time in the queue; a user without a request has taken no time.
	const tooSlow = { message: 'Reading one user takes longer than a poll may last' };
	const description = expect.stringMatching(/^The next polls try again/);
	expect(stopped).toMatchObject([undefined, { ...tooSlow, description }, undefined]);
	expect(results.map(({ tookMs }) => tookMs)).toEqual([200, 0]);
	expect(results.map(({ endedAt }) => endedAt - begun)).toEqual([400, 600]);
});

it('retries end before requests do, and a request that was sent is not cancelled', async () => {
	const noted: unknown[] = [];
	let isTimeUp = false;
	const answer = async ({ budget, isCancelled }: RequestOptions) => {
		const note = () => noted.push([budget!.mayRetry, budget!.stoppedBy?.kind, isCancelled!()]);
		isTimeUp = true;
		note();
		budget!.start();
		for (const ms of [10, 60, 70]) {
			await time.pass(ms);
			note();
		}
		return { groups: {} };
	};
	await read([{}], answer, { budget: () => ({ retryMs: 50, totalMs: 100 }), isTimeUp: () => isTimeUp });
	expect(noted).toEqual([
		[true, undefined, true],
		[true, undefined, false],
		[false, undefined, false],
		[false, 'temporarily-unavailable', false],
	]);
});

it('a problem of an unresolved user is reported without a request, and the user is not gone', async () => {
	const problem = new Problem('Theirs', '');
	const answer = jest.fn();
	expect(await read([{ resolve: async () => await Promise.reject(problem) }], answer)).toMatchObject([
		{ problem, rows: [], isGone: false },
	]);
	expect(answer).not.toHaveBeenCalled();
});

it('a range in which there can be no readings is not requested', async () => {
	const answer = jest.fn();
	expect(await read([{}], answer, { query: () => undefined })).toMatchObject([{ rows: [], isGone: false }]);
	expect(answer).not.toHaveBeenCalled();
});

it('each request of a user has as many attempts as the user may have', async () => {
	const given: unknown[] = [];
	const answer = async ({ maxAttempts }: RequestOptions) => {
		given.push(maxAttempts);
		return { groups: {} };
	};
	await read([{}, {}], answer, { attemptsOf: ({ user }) => (user.user_id === 'u0' ? 2 : undefined) });
	expect(given).toEqual([2, undefined]);
});

it('a user who fails after the end of the read is not reported', async () => {
	const onDone = jest.fn(() => {
		throw new Error('Stop');
	});
	let asked = 0;
	const answer = async () => {
		if (++asked === 1) return { groups: {} };
		await time.pass(100);
		throw new Problem('Late', '');
	};
	await expect(read([{}, {}], answer, { width: 2, onDone })).rejects.toThrow('Stop');
	await time.pass(200);
	expect([asked, onDone.mock.calls.length]).toEqual([2, 1]);
});

it('a Limit ends the read at another time, also of another source type', async () => {
	let pages = 0;
	const answer = async () => {
		const timestamp = `2026-03-02T07:00:0${++pages}Z`;
		const source = { type: pages === 1 ? 'Cuff' : 'watch' };
		return { groups: { omron: [{ data: [{ timestamp }], source }] }, next_cursor: `${pages}` };
	};
	const [{ rows }] = await read([{}], answer, { sourceTypes: ['cuff'], limit: limitOfUser(1, 100) });
	expect([rows.length, pages]).toEqual([1, 2]);
});

it('a user with room goes on when the others hold few readings again, not before', async () => {
	const held = new HeldReadings(10);
	const [first, second, third] = [{}, {}, {}];
	for (const [user, readings] of [
		[first, 11],
		[second, 1],
		[third, 1],
	] as const)
		held.add(user, readings);
	let goesOn = false;
	void held.room(third).then(() => (goesOn = true));
	const progress: boolean[] = [];
	for (const user of [{}, first]) {
		held.end(user);
		await time.pass(1);
		progress.push(goesOn);
	}
	expect(progress).toEqual([false, true]);
});

describe('readings of random users', () => {
	/** In place of 100,000: of one user as rows. Counted only, and held by all, 2.5 times as many. */
	const MANY = 100;
	const someUser = fc.record({
		/** Readings of each page. */
		sizes: fc.array(fc.oneof(fc.nat(9), fc.nat(MANY / 2), fc.constantFrom(0, MANY)), { minLength: 1, maxLength: 6 }),
		/** What comes after these pages: more like the last one, without end. */
		then: fc.constantFrom('nothing', 'nothing', 'more', 'more', 'an error'),
		haveOneTime: fc.boolean(),
		turns: fc.nat(9),
	});
	type SomeUser = typeof someUser extends fc.Arbitrary<infer User> ? User : never;
	const sizeOf = ({ sizes }: SomeUser, page: number) => sizes[page] ?? Math.max(1, sizes.at(-1)!);
	/** The last four are of a Limit. */
	const someLimit = fc.constantFrom(
		...[MANY, 2.5 * MANY].map((most) => ({ most, maxRows: Infinity })),
		...[1, 5, 60, MANY].map((maxRows) => ({ most: MANY, maxRows })),
	);
	type SomeLimit = typeof someLimit extends fc.Arbitrary<infer Limit> ? Limit : never;

	/** The readings of each page that is in the rows, or the error. */
	function expectedOf(user: SomeUser, { most, maxRows }: SomeLimit): number[] | string {
		const used: number[] = [];
		let total = 0;
		let isEnough = false;
		for (let page = 0; ; page++) {
			if (page >= user.sizes.length && user.then === 'nothing') return used;
			if (page >= user.sizes.length && user.then === 'an error') return 'Theirs';
			const size = sizeOf(user, page);
			total += size;
			used.push(size);
			const isOfNewTime = size > 0 && !user.haveOneTime;
			if (isEnough && isOfNewTime) return used;
			if (maxRows === Infinity && total > most)
				return `More than ${most.toLocaleString('en')} readings of one user: read fewer days`;
			isEnough ||= total >= maxRows;
			if (isEnough && total > 2.5 * MANY) return used;
		}
	}

	it('exactly the users with too many fail, the others lose none, and memory is bounded', async () => {
		const drawn = fc.array(someUser, { minLength: 1, maxLength: 30 });
		const run = async (users: SomeUser[], bounds: SomeLimit, width: number) => {
			const progress = users.map((user) => ({ user, pages: 0, readings: 0 }));
			let [inMemory, peak] = [0, 0];
			const answer = async (_: RequestOptions, path: string) => {
				const one = progress[Number(/u(\d+)/.exec(path)![1])];
				const { user } = one;
				const page = one.pages++;
				for (let turn = 0; turn < user.turns; turn++) await Promise.resolve();
				const isOver = page >= user.sizes.length;
				if (isOver && user.then === 'an error') throw new Problem('Theirs', '');
				const size = sizeOf(user, page);
				inMemory += size;
				one.readings += size;
				peak = Math.max(peak, inMemory);
				const timestamp = new Date(user.haveOneTime ? 0 : page).toISOString();
				const isLast = page + 1 >= user.sizes.length && user.then === 'nothing';
				return {
					groups: { omron: [{ data: Array(size).fill({ timestamp }) as object[], source: {} }] },
					next_cursor: isLast ? null : `${page}`,
				};
			};
			const results = await read(
				users.map((_, place) => ({ place })),
				answer,
				{
					width,
					asCompleted: bounds.maxRows === Infinity,
					held: new HeldReadings(2.5 * MANY),
					limit: limitOfUser(bounds.maxRows, bounds.most),
					toRows: (groups) => groups.map(({ data }) => ({ readings: data.length })),
					onDone: ({ place }) => void (inMemory -= progress[place].readings),
				},
			);
			results.sort((a, b) => a.place - b.place);
			const outcomes = results.map(({ rows, problem }) => problem?.message ?? rows.map(({ readings }) => readings));
			expect(outcomes).toEqual(users.map((user) => expectedOf(user, bounds)));
			expect(results.filter(({ rows, problem }) => problem && rows.length > 0)).toEqual([]);
			// What all may hold, what the first user may have, and a page that is on its way for each.
			const onTheWay = users.map(({ sizes }) => Math.max(1, ...sizes)).reduce((sum, size) => sum + size);
			expect(peak).toBeLessThanOrEqual(2 * 2.5 * MANY + onTheWay);
		};
		await fc.assert(fc.asyncProperty(drawn, someLimit, fc.integer({ min: 1, max: 30 }), run));
	});
});
