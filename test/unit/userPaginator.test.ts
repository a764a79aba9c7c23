/**
 * User paginator, against a list that records its users: any `total`, and changes during the read.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Get, RequestOptions } from '../../nodes/HealthDataService/http/client';
import { Prefetch, userPages, type ListSlice } from '../../nodes/HealthDataService/service/userPaginator';
import { stopAtLongList } from '../../nodes/HealthDataService/service/rowLimit';
import { Problem } from '../../nodes/HealthDataService/shared/problem';
import { nextTurn, watchUnhandled } from '../helpers/machine';
import { idsOf, movingTeam, TOTALS, type Move, type TeamOptions } from '../helpers/movingTeam';
import { fc } from '../helpers/properties';
import { useVirtualTime } from '../helpers/virtualTime';

const time = useVirtualTime();
const SAME_PAGE = 'The service gives the same page of its user list again and again';

const read = async (options: TeamOptions, slice: ListSlice = {}) => {
	const team = movingTeam(options);
	return { ...team, ids: await idsOf(userPages(team.get, slice)) };
};
const team = (size: number) => Array.from({ length: size }, (_, i) => `u${i}`);

describe('total only helps to prefetch', () => {
	it.each(Object.entries(TOTALS))('%s: all users once, with any maximum page size', async (_, total) => {
		for (const size of [0, 1, 2, 3, 99, 100, 101, 250]) {
			for (const cap of [1, 2, 3, 7, 100, 500]) {
				expect((await read({ size, cap, total })).ids).toEqual(team(size));
				expect((await read({ size, cap, total }, { isLazy: true })).ids).toEqual(team(size));
			}
		}
	});

	it('any total, any cap, any window, answers in any order: all users once, and in order', async () => {
		const odd = fc.oneof(fc.integer({ min: -5, max: 80 }), fc.constantFrom(undefined, null, '5', NaN, 1.5));
		await fc.assert(
			fc.asyncProperty(
				fc.record({
					size: fc.nat(60),
					cap: fc.integer({ min: 1, max: 20 }),
					turns: fc.array(fc.nat(5), { minLength: 1 }),
				}),
				fc.array(odd, { minLength: 1, maxLength: 5 }),
				fc.nat(70),
				fc.option(fc.integer({ min: 1, max: 70 })),
				fc.boolean(),
				async (options, totals, offset, most, isLazy) => {
					const limit = most ?? Infinity;
					const { ids } = await read(
						{ ...options, total: (_, __, request) => totals[request % totals.length] },
						{ offset, limit, isLazy },
					);
					expect(ids).toEqual(team(options.size).slice(offset, offset + limit));
				},
			),
		);
	});
});

describe('pages of different lengths', () => {
	it('any lengths, total missing or wrong: a shorter page is not the end', async () => {
		const caps = fc.array(fc.integer({ min: 5, max: 9 }), { minLength: 2, maxLength: 6 });
		await fc.assert(
			fc.asyncProperty(
				fc.nat(60),
				caps,
				fc.constantFrom(...Object.keys(TOTALS)),
				fc.boolean(),
				async (size, cap, name, isLazy) => {
					expect((await read({ size, cap, total: TOTALS[name] }, { isLazy })).ids).toEqual(team(size));
				},
			),
		);
	});

	it('nor is a very short one that ends at a total which is another one on each page', async () => {
		const total: TeamOptions['total'] = (_, onPage, __, offset) => offset + onPage;
		expect((await read({ size: 60, cap: [10, 10, 3, 10], total })).ids).toEqual(team(60));
	});

	it('nor is a very short one in the middle, with the right total, or with a total that the first page had not', async () => {
		const cap = [10, 10, 3, 10];
		expect((await read({ size: 60, cap })).ids).toEqual(team(60));
		const total: TeamOptions['total'] = (_, onPage, request, offset) => (request > 1 ? offset + onPage : undefined);
		expect((await read({ size: 60, cap: [10, 3, 10], total })).ids).toEqual(team(60));
	});
});

describe('more users than the maximum', () => {
	const tooMany = () => new Problem('Too many', '');
	const atMost = async (options: TeamOptions, window: ListSlice = {}) =>
		await read({ cap: 10, ...options }, { most: { users: 50, tooMany }, ...window });

	it('ends after the first page and one more request, if total predicts more', async () => {
		const { get, asked } = movingTeam({ size: 51, cap: 10 });
		await expect(idsOf(userPages(get, { most: { users: 50, tooMany } }))).rejects.toThrow('Too many');
		expect(asked.map(({ offset, limit, once }) => [offset, limit, once?.maxAttempts])).toEqual([
			[0, 500, undefined],
			[50, 1, 1],
		]);
		await expect(atMost({ size: 61 }, { offset: 10 })).rejects.toThrow('Too many');
		await expect(atMost({ size: 61 }, { limit: 51 })).rejects.toThrow('Too many');
	});

	it.each(Object.entries(TOTALS))('total %s: the maximum, all users once', async (_, total) => {
		expect((await atMost({ size: 50, total })).ids).toEqual(team(50));
		expect((await atMost({ size: 60, total }, { offset: 10 })).ids).toEqual(team(60).slice(10));
		expect((await atMost({ size: 60, total }, { limit: 50 })).ids).toEqual(team(60).slice(0, 50));
	});

	it('sends no request when total predicts no more', async () => {
		for (const window of [{ offset: 10 }, { limit: 50 }]) {
			const { asked } = await atMost({ size: 60 }, window);
			expect(asked.filter(({ limit }) => limit === 1)).toEqual([]);
		}
	});

	it('a service that gives its first page for any offset has not shown that there are more', async () => {
		await expect(atMost({ size: 60, ignores: { offset: true } })).rejects.toThrow(SAME_PAGE);
	});

	it('a first page without users proves nothing', async () => {
		const { get } = movingTeam({ size: 51 });
		const empty = { users: [], total: 51 } as never;
		await expect(stopAtLongList(get, 0, empty, { users: 50, tooMany })).rejects.toThrow('Too many');
	});

	it('sends one request, and continues when that is refused', async () => {
		const { ids, asked } = await atMost({ size: 45, total: () => 1000, failsAtEnd: 500 }, { limit: 51 });
		expect(ids).toEqual(team(45));
		expect(asked.filter(({ limit }) => limit === 1)).toHaveLength(1);
	});

	it('an error that is no Problem does not count as an answer', async () => {
		const { get } = movingTeam({ size: 51, cap: 10 });
		const broken = (async (path: string, query: never, ...rest: never[]) => {
			if ((query as { limit: number }).limit === 1) throw new TypeError('broken');
			return await (get as (...all: unknown[]) => Promise<unknown>)(path, query, ...rest);
		}) as unknown as typeof get;
		await expect(idsOf(userPages(broken, { most: { users: 50, tooMany } }))).rejects.toThrow('broken');
	});
});

describe('users added and removed while the list is read', () => {
	const leave = fc.record({ leaves: fc.nat(100) });
	const join = fc.record({ joins: fc.oneof(fc.constant(0), fc.nat(100)) });
	const swap = fc.tuple(leave, join).map((both): Move[] => both);
	const moves = fc.array(fc.oneof(fc.constant<Move[]>([]), swap, fc.array(fc.oneof(leave, join), { maxLength: 3 })), {
		maxLength: 12,
	});
	const totalName = fc.constantFrom(...Object.keys(TOTALS));

	it('each remaining user comes once and in order, no user twice, and it ends: any moves, any total, any window', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.record({
					size: fc.nat(60),
					cap: fc.integer({ min: 2, max: 20 }),
					moves,
					turns: fc.array(fc.nat(5), { minLength: 1 }),
				}),
				totalName,
				fc.oneof(fc.constant(0), fc.nat(30)),
				fc.option(fc.integer({ min: 1, max: 70 })),
				fc.boolean(),
				async (options, name, offset, most, isLazy) => {
					const limit = most ?? Infinity;
					const { ids, stayed, asked } = await read({ ...options, total: TOTALS[name] }, { offset, limit, isLazy });
					const wanted = stayed(offset, offset + limit);
					const found = ids.filter((id) => wanted.includes(id as string));

					expect(new Set(ids).size).toBe(ids.length);
					expect(ids.length).toBeLessThanOrEqual(limit);
					// Limit may be reached by users removed since.
					expect(found).toEqual(ids.length === limit ? wanted.slice(0, found.length) : wanted);
					const isMoving = options.moves.flat().length > 0;
					expect(asked.length).toBeLessThanOrEqual(
						2 + 60 / (options.cap - 1) + 8 + (isMoving ? 60 + 12 * options.moves.length : 0),
					);
				},
			),
		);
	});

	it('one leaves at the front while one joins at the end, in every pause: total shows nothing', async () => {
		const { ids, stayed } = await read({
			size: 1500,
			moves: Array.from({ length: 20 }, () => [{ leaves: 0 }, { joins: 1e9 + 7 }]),
		});
		expect(ids.filter((id) => stayed().includes(id as string))).toEqual(stayed());
	});

	it('pages of one user, which cannot overlap: a smaller total is noticed', async () => {
		const { ids, stayed } = await read(
			{ size: 30, cap: 1, moves: [[], [], [{ leaves: 0 }], [], [], [], [{ leaves: 1 }]] },
			{ isLazy: true },
		);
		expect(ids.filter((id) => stayed().includes(id as string))).toEqual(stayed());
	});

	it('a Limit of several pages: a smaller total is noticed', async () => {
		const { ids, stayed } = await read({ size: 1600, moves: [[], [{ leaves: 3 }]] }, { limit: 1200 });
		expect(ids).toHaveLength(1200);
		expect(ids.filter((id) => stayed().includes(id as string))).toEqual(stayed().slice(0, 1199));
	});

	it('a Limit of several pages: an empty page is the end only if no user has moved to an earlier page', async () => {
		const { ids } = await read({ size: 501, total: TOTALS.missing, moves: [[], [{ leaves: 0 }]] }, { limit: 1000 });
		expect(ids).toEqual(team(501));
	});

	it('steps back to the first user that was wanted at most', async () => {
		const left = Array.from({ length: 10 }, () => ({ leaves: 5 }));
		const { ids, asked } = await read({ size: 30, cap: 10, moves: [[], left] }, { offset: 5, isLazy: true });
		expect(ids).toEqual(team(30).slice(5));
		expect(Math.min(...asked.map(({ offset }) => offset))).toBe(5);
	});

	it('an error while it steps back at the end of the list is an error', async () => {
		let users = team(26);
		let request = 0;
		const get = (async (_: string, { offset, limit }: { offset: number; limit: number }) => {
			if (++request === 4) users = [...users.slice(1), 'u26'];
			if (request === 5) throw new Problem('Broken', '', { httpCode: '500' });
			return { users: users.slice(offset, offset + Math.min(limit, 10)).map((user_id) => ({ user_id })), total: 26 };
		}) as unknown as Get;
		await expect(idsOf(userPages(get, { isLazy: true }))).rejects.toThrow('Broken');
	});

	it('users that move from the front to the end do not hide that others were skipped', async () => {
		let users = team(700);
		let request = 0;
		const get = (async (_: string, { offset, limit }: { offset: number; limit: number }) => {
			if (++request === 2) users = [...users.slice(2), 'u0', 'u1'];
			return { users: users.slice(offset, offset + limit).map((user_id) => ({ user_id })), total: 700 };
		}) as unknown as Get;
		expect(await idsOf(userPages(get))).toEqual(team(700));
	});

	it('a removal with every request costs an overlap, not every page twice', async () => {
		const { asked } = await read({ size: 5000, moves: Array(40).fill([{ leaves: 0 }]) }, { isLazy: true });
		expect(asked.length).toBeLessThanOrEqual(14);
	});

	it('a list that is another one each time ends with an error', async () => {
		let request = 0;
		const get = (async () => {
			if (request > 1000) throw new Error('Without end');
			return { users: [{ user_id: `u${(request * 7) % 5}` }, { user_id: `u${(request++ * 11) % 7}` }], total: 100 };
		}) as unknown as Get;
		await expect(idsOf(userPages(get))).rejects.toThrow('The user list changes while it is read');
		expect(request).toBeLessThan(150);
	});
});

describe('stall detection', () => {
	/** Pages of one user each, then an empty page. */
	const readPages = async (...ids: string[]) => {
		const get = (async () => ({ users: ids.length > 0 ? [{ user_id: ids.shift() }] : [] })) as unknown as Get;
		return await idsOf(userPages(get, { isLazy: true }));
	};
	const times = (count: number, id: string) => Array<string>(count).fill(id);

	it('50 pages in a row without a new user are an error, 49 are not', async () => {
		expect(await readPages('u0', ...times(49, 'u0'), 'u1', ...times(49, 'u0'))).toEqual(['u0', 'u1']);
		await expect(readPages('u0', ...times(49, 'u0'), 'u1', ...times(50, 'u0'))).rejects.toThrow(SAME_PAGE);
	});

	it('a page that begins with another user than the list says that the list changes', async () => {
		const error: unknown = await readPages('u0', 'u1', ...times(50, 'u1')).catch((reason: unknown) => reason);
		expect(error).toMatchObject({
			message: 'The user list changes while it is read, faster than it can be read',
			description: expect.stringContaining('Try again when fewer users come and go'),
			concernsAll: true,
		});
	});

	it('the error of a repeated page says that offset is ignored', async () => {
		const error: unknown = await readPages(...times(51, 'u0')).catch((reason: unknown) => reason);
		expect(error).toMatchObject({
			message: SAME_PAGE,
			description: expect.stringContaining("It seems to ignore 'offset'"),
			concernsAll: true,
		});
	});
});

describe('a service that ignores its parameters', () => {
	it.each(Object.entries(TOTALS))('offset, total %s: an error that says so, never a part', async (_, total) => {
		for (const cap of [1, 2, 100, 500]) {
			const { get, asked } = movingTeam({ size: 1200, cap, total, ignores: { offset: true } });
			await expect(idsOf(userPages(get))).rejects.toThrow(SAME_PAGE);
			expect(asked.length).toBeLessThanOrEqual(60);
		}
	});

	it('offset, with a Limit of several pages', async () => {
		const { get, asked } = movingTeam({ size: 1200, ignores: { offset: true } });
		await expect(idsOf(userPages(get, { limit: 620 }))).rejects.toThrow(SAME_PAGE);
		expect(asked.length).toBeLessThanOrEqual(60);
	});

	it.each(Object.entries(TOTALS))('limit, total %s: all users once', async (_, total) => {
		expect((await read({ size: 1200, total, ignores: { limit: true } })).ids).toEqual(team(1200));
		expect((await read({ size: 1200, total, ignores: { limit: true } }, { offset: 3, limit: 10 })).ids).toEqual(
			team(13).slice(3),
		);
	});

	it('limit, with pages of ten: no user beyond Limit', async () => {
		const get = (async (_: string, { offset }: { offset: number }) => ({
			users: team(60)
				.slice(offset, offset + 10)
				.map((user_id) => ({ user_id })),
		})) as unknown as Get;
		expect(await idsOf(userPages(get, { limit: 15 }))).toEqual(team(15));
	});

	it('both: an error, or no user beyond Limit', async () => {
		const ignores = { offset: true, limit: true };
		await expect(read({ size: 1200, ignores })).rejects.toThrow(SAME_PAGE);
		expect((await read({ size: 1200, ignores }, { limit: 10 })).ids).toEqual(team(10));
	});
});

describe('a service that refuses a page after the last user', () => {
	it.each([400, 404, 416, 422, 500])('%i: all users once, requested there once at most', async (failsAtEnd) => {
		for (const [size, cap] of [
			[1, 500],
			[3, 1],
			[2, 500],
			[500, 500],
			[1000, 500],
			[1200, 100],
		]) {
			const { ids, asked } = await read({ size, cap, failsAtEnd });
			expect(ids).toEqual(team(size));
			const beyondEnd = asked.filter(({ offset }) => offset >= size);
			expect(beyondEnd.length).toBeLessThanOrEqual(1);
			expect(beyondEnd.every(({ once }) => once?.maxAttempts === 1)).toBe(true);
		}
	});

	it('with a Limit beyond the end', async () => {
		expect((await read({ size: 1000, failsAtEnd: 500 }, { limit: 5000 })).ids).toEqual(team(1000));
		expect((await read({ size: 20, failsAtEnd: 500 }, { limit: 50 })).ids).toEqual(team(20));
	});

	it.each(['missing', 'zero', 'of the page', 'too small'])('total %s: all users once', async (name) => {
		expect((await read({ size: 1200, failsAtEnd: 500, total: TOTALS[name] })).ids).toEqual(team(1200));
	});

	it('a 429 is no end: requested again, with all attempts', async () => {
		const { get, asked } = movingTeam({ size: 1, failsAtEnd: 429 });
		await expect(idsOf(userPages(get))).rejects.toThrow('Refused');
		expect(asked.map(({ once }) => once?.maxAttempts)).toEqual([undefined, 1, undefined]);
	});
});

/** A list of which the pages from this offset on fail. */
const failing = (size: number, from: number, httpCode = '500') => {
	const { get, asked } = movingTeam({ size });
	const failingGet = (async (path: string, query: { offset: number }, missing: never, once: never) => {
		const answer = await get(path, query as never, missing, once);
		if (query.offset >= from) throw new Problem('Broken', '', { httpCode });
		return answer;
	}) as unknown as Get;
	return { get: failingGet, asked };
};

/** Reads one page, and no further. */
async function readOne(pages: AsyncGenerator<unknown>) {
	await pages.next();
	await pages.return(undefined);
}

describe('a page that fails where there must be users', () => {
	it.each([1, 450, 900, 1400])('from %i on: an error, prefetched or not', async (from) => {
		await expect(idsOf(userPages(failing(5000, from).get))).rejects.toThrow('Broken');
	});

	it('returns the pages before it, and its error only when its turn comes', async () => {
		const unhandled = watchUnhandled();
		const found: unknown[] = [];
		const pages = userPages(failing(5000, 1400).get);
		await expect(
			(async () => {
				for await (const { users } of pages) {
					found.push(...users);
					await time.pass(5);
				}
			})(),
		).rejects.toThrow('Broken');
		expect(found.length).toBeGreaterThanOrEqual(1000);

		// After an early stop, no request is left that could fail later.
		await readOne(userPages(failing(5000, 1).get));
		await time.pass(5);
		unhandled.stop();
		expect(unhandled.seen).toEqual([]);
	});

	it.each<[string, (get: Get) => Promise<unknown>]>([
		['an error', async (get) => await idsOf(userPages(get)).catch(() => undefined)],
		[
			'a reader that stops',
			async (get) => {
				await readOne(userPages(get));
			},
		],
	])('prefetched pages are cancelled by %s', async (_, reading) => {
		const { get, asked } = failing(5000, 450);
		await reading(get);
		expect(asked.length).toBeGreaterThan(3);
		expect(asked.slice(1).every(({ once }) => once?.isCancelled?.())).toBe(true);
	});
});

describe('a record without a user_id', () => {
	it.each([null, undefined, '', '  ', 7, {}])('%p is an error that says so', async (user_id) => {
		const get = (async () => ({
			users: [{ user_id: 'u0' }, { user_id, client_user_id: 'secret' }],
			total: 2,
		})) as unknown as Get;
		await expect(idsOf(userPages(get))).rejects.toThrow("A user in the service's list has no 'user_id'");
	});
});

describe('requests', () => {
	const count = async (size: number, options: Partial<TeamOptions> = {}, window = {}) =>
		(await read({ size, ...options }, window)).asked.length;

	// The minimum: one for each full page.
	it.each([0, 1, 2, 499, 500, 501, 999, 1000, 1001, 1200, 1400, 10_000, 19_500, 20_000])(
		'%i users: one more than pages at most',
		async (size) => {
			const pages = Math.max(1, Math.ceil(size / 500));
			expect(await count(size)).toBeLessThanOrEqual(pages + 1);
			expect(await count(size, { total: TOTALS.missing })).toBeLessThanOrEqual(Math.floor(size / 500) + 2);
			expect(await count(size, { cap: 250 })).toBeLessThanOrEqual(Math.max(1, Math.ceil(size / 250)) + 1);
			expect(await count(size, {}, { isLazy: true })).toBe(await count(size));
		},
	);

	it('a total that is much too large costs the prefetch before the second page, no more', async () => {
		expect(await count(11, { cap: 10, total: TOTALS['too large'] })).toBeLessThanOrEqual(10);
	});

	/** Offsets of the requests that were sent together. */
	const wavesOf = async (size: number, slice: ListSlice = {}) => {
		const waves: number[][] = [];
		const { get } = movingTeam({ size });
		let answered: Promise<unknown> | undefined;
		const slow = (async (...args: Parameters<Get>) => {
			if (!answered) waves.push([]);
			answered ??= time.pass(5).then(() => (answered = undefined));
			waves.at(-1)!.push((args[1] as { offset: number }).offset);
			const answer = await get(...args);
			await answered;
			return answer;
		}) as unknown as Get;
		await idsOf(userPages(slow, slice));
		return waves;
	};

	it('the pages after the first are requested together, and so are the last ones and the end', async () => {
		expect(await wavesOf(1400)).toEqual([[0], [499, 998, 1399]]);
		expect(await wavesOf(2000, { limit: 1500 })).toEqual([[0], [500, 1000]]);
	});

	it('of a long list, eight pages are requested ahead, after the first as after later ones', async () => {
		const waves = await wavesOf(10_000);
		expect(waves[1]).toHaveLength(8);
		expect(waves.length).toBeLessThanOrEqual(4);
	});

	it('a Limit beyond a list of one full page: one more request', async () => {
		expect(await count(500, {}, { limit: 1000, isLazy: true })).toBe(2);
	});

	it.each([
		[1, [[0, 1]]],
		[500, [[0, 500]]],
		[
			620,
			[
				[0, 500],
				[500, 120],
			],
		],
		[
			1500,
			[
				[0, 500],
				[500, 500],
				[1000, 500],
			],
		],
	])('Limit %i asks for no more records than that', async (limit, expected) => {
		const { asked } = await read({ size: 2000 }, { limit });
		expect(asked.map(({ offset, limit }) => [offset, limit])).toEqual(expected);
	});

	it('Limit requests nothing beyond its window, with any cap', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.nat(60),
				fc.integer({ min: 1, max: 20 }),
				fc.nat(20),
				fc.integer({ min: 1, max: 70 }),
				async (size, cap, offset, limit) => {
					const { asked } = await read({ size, cap }, { offset, limit });
					for (const one of asked) {
						expect(one.offset).toBeGreaterThanOrEqual(offset);
						expect(one.offset + one.limit).toBeLessThanOrEqual(offset + limit);
					}
				},
			),
		);
	});

	it('no prefetch for a reader that may stop early', async () => {
		const { get, asked } = movingTeam({ size: 5000 });
		await readOne(userPages(get, { isLazy: true }));
		expect(asked).toHaveLength(1);
	});
});

it('gives a user that is twice on a page once', async () => {
	const pages = [['u1', 'u1', 'u2'], ['u2', 'u3', 'u3'], ['u3']].map((ids) => ({
		users: ids.map((user_id): IDataObject => ({ user_id })),
		total: 3,
	}));
	let request = 0;
	const get = (async () => pages[Math.min(request++, 2)]) as unknown as Get;
	expect(await idsOf(userPages(get))).toEqual(['u1', 'u2', 'u3']);
});

it('a cancelled page is requested again, and a page that was taken is not kept', async () => {
	const asked: Array<() => boolean> = [];
	const get = (async (_: string, __: unknown, ___: unknown, { isCancelled }: RequestOptions) => {
		asked.push(isCancelled!);
		await nextTurn();
		if (isCancelled!()) throw new Problem('The request is no longer needed', '');
		return { users: [{ user_id: `u${asked.length}` }], total: 1 };
	}) as unknown as Get;
	const pages = new Prefetch(get);
	const ask = { offset: 0, limit: 10, isBeyondTotal: false };
	pages.start(ask);
	pages.start(ask);
	expect(asked).toHaveLength(1);
	pages.cancel();
	expect((await pages.take(ask)).users).toEqual([{ user_id: 'u2' }]);
	expect((await pages.take(ask)).users).toEqual([{ user_id: 'u3' }]);
});

it.each<[unknown, boolean]>([
	[500, true],
	[1, true],
	[0, false],
	[-1, false],
	[undefined, false],
])('an empty first page with the total %p: an error, %p', async (total, isError) => {
	const reading = idsOf(userPages((async () => ({ users: [], total })) as unknown as Get));
	if (isError) await expect(reading).rejects.toThrow('The first page of the user list is empty');
	else expect(await reading).toEqual([]);
});

it('a list that never ends is an error that says so', async () => {
	let requests = 0;
	const get = (async () => ({ users: [{ user_id: `u${requests++}` }], total: 1e9 })) as unknown as Get;
	const read = async () => {
		for await (const { users } of userPages(get)) expect(users.length).toBeLessThanOrEqual(1);
	};
	await expect(read()).rejects.toMatchObject({
		message: 'The user list of the service does not end: it has more than 20,000 pages',
		concernsAll: true,
	});
});
