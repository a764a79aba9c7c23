/**
 * User paginator, against a list that records its users: any `total`, and users who join and leave while it is read: each user who
 * stays comes once and in order.
 */
import type { Get, RequestOptions } from '../../../../nodes/HealthDataService/http/client';
import type { UserPage } from '../../../../nodes/HealthDataService/service/users/users';
import { prefetch, userPages, type ListSlice } from '../../../../nodes/HealthDataService/service/users/list';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';
import { nextTurn, watchUnhandled } from '../../../helpers/machine';
import { idsOf, listOf, movingTeam, TOTALS, type Move, type TeamOptions } from '../../../helpers/movingTeam';
import { fc } from '../../../helpers/properties';
import { useVirtualTime } from '../../../helpers/virtualTime';

const time = useVirtualTime();
const ENDLESS = 'The user list of the service cannot be read to its end';
const broken = (httpCode = '500') => new Problem('Broken', '', { httpCode });

const read = async (options: TeamOptions, slice: ListSlice = {}) => {
	const team = movingTeam(options);
	return { ...team, ids: await idsOf(userPages(team.get, slice)) };
};
const team = (size: number) => Array.from({ length: size }, (_, i) => `u${i}`);
const turns = fc.array(fc.nat(5), { minLength: 1 });
const slices = fc.record({
	offset: fc.oneof(fc.constant(0), fc.nat(70)),
	maxUsers: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 70 })),
	isLazy: fc.boolean(),
});

describe('total only helps to prefetch: all users once and in order, none requested beyond the slice', () => {
	const list = fc.record({
		size: fc.nat(60),
		// A shorter page is not the end.
		cap: fc.oneof(
			fc.integer({ min: 1, max: 20 }),
			fc.constant(500),
			fc.array(fc.integer({ min: 5, max: 9 }), { minLength: 2, maxLength: 6 }),
		),
		ignores: fc.record({ limit: fc.boolean() }),
		turns,
	});
	const odd = fc.oneof(fc.integer({ min: -5, max: 80 }), fc.constantFrom(undefined, null, '5', NaN, 1.5));
	const anyTotal = fc.array(odd, { minLength: 1, maxLength: 5 }).map(
		(totals): TeamOptions['total'] =>
			(_, __, request) =>
				totals[request % totals.length],
	);
	const named = Object.entries(TOTALS).map(([name, total]) => [name, fc.constant(total)] as const);

	it.each([...named, ['any', anyTotal] as const])('%s', async (_, totals) => {
		await fc.assert(
			fc.asyncProperty(list, totals, slices, async (options, total, slice) => {
				const { offset, maxUsers: limit } = slice;
				const { ids, asked } = await read({ ...options, total }, slice);
				expect(ids).toEqual(team(options.size).slice(offset, offset + limit));
				expect(asked.filter((one) => one.offset < offset || one.offset + one.limit > offset + limit)).toEqual([]);
			}),
		);
	});
});

describe('stall detection', () => {
	/** Pages of one user each, then an empty page. */
	const readPages = async (...ids: string[]) => {
		const get = listOf((request) => ids.slice(request, request + 1));
		return await idsOf(userPages(get, { isLazy: true }));
	};
	const times = (count: number, id: string) => Array<string>(count).fill(id);

	it('49 pages in a row without a new user are no error', async () => {
		expect(await readPages('u0', ...times(49, 'u0'), 'u1', ...times(49, 'u0'))).toEqual(['u0', 'u1']);
	});

	it.each([
		['the first user of the list again', ['u0', ...times(49, 'u0'), 'u1', ...times(50, 'u0')]],
		['another user than the list', ['u0', 'u1', ...times(50, 'u1')]],
	])('50 are an error, beginning with %s', async (_, ids) => {
		await expect(readPages(...ids)).rejects.toMatchObject({
			message: ENDLESS,
			description: expect.stringMatching(/^It ignores 'offset', changes faster/),
			concernsAll: true,
		});
	});
});

describe('a service that refuses a page after the last user', () => {
	it.each([
		[1, 500],
		[3, 1],
		[1000, 500],
	])('%i users, pages of %i: all users once, requested there once at most', async (size, cap) => {
		const { ids, asked } = await read({ size, cap, failsAtEnd: 422 });
		expect(ids).toEqual(team(size));
		const beyondEnd = asked.filter(({ offset }) => offset >= size);
		expect(beyondEnd.length).toBeLessThanOrEqual(1);
		expect(beyondEnd.every(({ once }) => once?.maxAttempts === 1)).toBe(true);
	});
});

/** Reads one page, and no further. */
async function readOne(pages: AsyncGenerator<unknown>) {
	await pages.next();
	await pages.return(undefined);
}

describe('a page that fails where there must be users', () => {
	/** A list of which the pages from this offset on fail. */
	const failing = (from: number) => movingTeam({ size: 5000, fails: ({ offset }) => offset >= from && broken() });

	it.each([1, 450])('from %i on: an error, prefetched or not', async (from) => {
		await expect(idsOf(userPages(failing(from).get))).rejects.toThrow('Broken');
	});

	it('returns the pages before it, and its error only when its turn comes', async () => {
		const unhandled = watchUnhandled();
		const found: unknown[] = [];
		const reading = async () => {
			for await (const { users } of userPages(failing(1400).get)) {
				found.push(...users);
				await time.pass(5);
			}
		};
		await expect(reading()).rejects.toThrow('Broken');
		expect(found.length).toBeGreaterThanOrEqual(1000);

		// After an early stop, no request is left that could fail later.
		await readOne(userPages(failing(1).get));
		await time.pass(5);
		unhandled.stop();
		expect(unhandled.seen).toEqual([]);
	});

	it.each([
		['an error', async (pages: AsyncGenerator<UserPage>) => await idsOf(pages).catch(() => undefined)],
		['a reader that stops', readOne],
	])('prefetched pages are cancelled by %s', async (_, reading) => {
		const { get, asked } = failing(450);
		await reading(userPages(get));
		expect(asked.length).toBeGreaterThan(3);
		expect(asked.slice(1).every(({ once }) => once?.isCancelled?.())).toBe(true);
	});
});

describe('an empty first page', () => {
	const reading = async (total: unknown, offset = 0) => {
		const get = listOf(() => [], total);
		return await idsOf(userPages(get, { offset }));
	};

	it.each([500, 1])('with the total %i is an error', async (total) => {
		await expect(reading(total)).rejects.toThrow('The first page of the user list is empty');
	});

	it.each<[unknown, number]>([
		[0, 0],
		[-1, 0],
		[undefined, 0],
		[500, 500],
	])('with the total %p, from %p on, is the end', async (total, offset) => {
		expect(await reading(total, offset)).toEqual([]);
	});
});

it('gives a user that is twice on a page once, also in upper and lower case', async () => {
	const id = '3bda88cc-8883-437b-8b36-a0c94618b676';
	const pages = [[id, id.toUpperCase(), 'u2'], ['u2', 'u3', 'u3'], ['u3']];
	expect(await idsOf(userPages(listOf((request) => pages[request] ?? pages[2], 3)))).toEqual([id, 'u2', 'u3']);
});

it('a list that never ends is an error that says so', async () => {
	const get = listOf((request) => [`u${request}`], 1e9);
	const read = async () => {
		for await (const { users } of userPages(get, { isLazy: true })) if (users.length > 1) throw new Error('Two');
	};
	await expect(read()).rejects.toMatchObject({ message: ENDLESS, concernsAll: true });
});

const leave = fc.record({ leaves: fc.nat(100) });
const join = fc.record({ joins: fc.oneof(fc.constant(0), fc.nat(100)) });
const swap = fc.tuple(leave, join).map((both): Move[] => both);
const moves = fc.array(fc.oneof(fc.constant<Move[]>([]), swap, fc.array(fc.oneof(leave, join), { maxLength: 3 })), {
	maxLength: 12,
});
const moving = fc.record({ size: fc.nat(60), cap: fc.integer({ min: 2, max: 20 }), moves, turns });
const totals = fc.constantFrom(...Object.values(TOTALS));

it('each remaining user comes once and in order, no user twice, and it ends: any moves, any total, any slice', async () => {
	await fc.assert(
		fc.asyncProperty(moving, totals, slices, async (options, total, slice) => {
			const { offset, maxUsers: limit } = slice;
			const { ids, stayed, asked } = await read({ ...options, total }, slice);
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
		}),
	);
});

it('one leaves at the front while one joins at the end, in every pause: total shows nothing', async () => {
	const moves = Array.from({ length: 20 }, () => [{ leaves: 0 }, { joins: 1e9 + 7 }]);
	const { ids, stayed } = await read({ size: 1500, moves });
	expect(ids).toEqual(expect.arrayContaining(stayed()));
});

it('a Limit of several pages: an empty page is the end only if no user has moved to an earlier page', async () => {
	const { ids } = await read({ size: 501, total: TOTALS.missing, moves: [[], [{ leaves: 0 }]] }, { maxUsers: 1000 });
	expect(ids).toEqual(team(501));
});

it('steps back to the first user that was wanted at most', async () => {
	const left = Array.from({ length: 10 }, () => ({ leaves: 5 }));
	const { ids, asked } = await read({ size: 30, cap: 10, moves: [[], left] }, { offset: 5, isLazy: true });
	expect(ids).toEqual(team(30).slice(5));
	expect(Math.min(...asked.map(({ offset }) => offset))).toBe(5);
});

it('an error while it steps back at the end of the list is an error', async () => {
	const moves: Move[][] = [[], [], [], [{ leaves: 0 }, { joins: 25 }]];
	const fails: TeamOptions['fails'] = (_, request) => request === 5 && new Problem('Broken', '');
	await expect(read({ size: 26, cap: 10, moves, fails }, { isLazy: true })).rejects.toThrow('Broken');
});

it('a removal with every request costs half a page each time', async () => {
	const { asked } = await read({ size: 5000, moves: Array(40).fill([{ leaves: 0 }]) }, { isLazy: true });
	expect(asked.length).toBeLessThanOrEqual(40);
});

it('a list that is another one each time ends with an error', async () => {
	let requests = 0;
	const get = listOf((request) => {
		requests = request;
		if (request > 1000) throw new Error('Without end');
		return [`u${(request * 7) % 5}`, `u${(request * 11) % 7}`];
	}, 100);
	await expect(idsOf(userPages(get))).rejects.toThrow(ENDLESS);
	expect(requests).toBeLessThan(150);
});

const count = async (size: number, options: Partial<TeamOptions> = {}, slice = {}) =>
	(await read({ size, ...options }, slice)).asked.length;

// Each page repeats one user, and the last one has room.
it.each([0, 1, 499, 500, 501, 1000, 1400, 10_000])('%i users: two more than pages at most', async (size) => {
	const pages = Math.max(1, Math.ceil(size / 500));
	expect(await count(size)).toBeLessThanOrEqual(pages + 2);
	expect(await count(size, { total: TOTALS.missing })).toBeLessThanOrEqual(pages + 2);
	expect(await count(size, { cap: 250 })).toBeLessThanOrEqual(Math.max(1, Math.ceil(size / 250)) + 2);
	expect(await count(size, {}, { isLazy: true })).toBe(await count(size));
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

it.each([
	['and so are the last ones and the end', 1400, {}, [[0], [499, 998, 1399]]],
	['as many as a Limit needs', 2000, { maxUsers: 1500 }, [[0], [499, 998, 1497]]],
])('the pages after the first are requested together, %s', async (_, size, slice, waves) => {
	expect(await wavesOf(size, slice)).toEqual(waves);
});

it('of a long list, eight pages are requested ahead, after the first as after later ones', async () => {
	const waves = await wavesOf(10_000);
	expect(waves[1]).toHaveLength(8);
	expect(waves.length).toBeLessThanOrEqual(4);
});

it('a cancelled page is requested again, and a page that was taken is not kept', async () => {
	const asked: Array<() => boolean> = [];
	const get = (async (_: string, __: unknown, ___: unknown, { isCancelled }: RequestOptions) => {
		asked.push(isCancelled!);
		await nextTurn();
		if (isCancelled!()) throw new Problem('The request is no longer needed', '');
		return { users: [{ user_id: `u${asked.length}` }], total: 1 };
	}) as unknown as Get;
	const pages = prefetch(get);
	const ask = { offset: 0, pageSize: 10, isBeyondTotal: false };
	void pages.start(ask);
	void pages.start(ask);
	expect(asked).toHaveLength(1);
	pages.cancel();
	expect((await pages.take(ask)).users).toEqual([{ user_id: 'u2' }]);
	expect((await pages.take(ask)).users).toEqual([{ user_id: 'u3' }]);
});
