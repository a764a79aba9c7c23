/** User paginator, against a list that users join and leave while it is read: each user who stays comes once and in order. */
import { userPages, type ListSlice } from '../../../../nodes/HealthDataService/service/users/list';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';
import { idsOf, listOf, movingTeam, TOTALS, type Move, type TeamOptions } from '../../../helpers/movingTeam';
import { fc } from '../../../helpers/properties';

const read = async (options: TeamOptions, slice: ListSlice = {}) => {
	const team = movingTeam(options);
	return { ...team, ids: await idsOf(userPages(team.get, slice)) };
};
const team = (size: number) => Array.from({ length: size }, (_, i) => `u${i}`);
const offsets = fc.oneof(fc.constant(0), fc.nat(70));
const limits = fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 70 }));

const leave = fc.record({ leaves: fc.nat(100) });
const join = fc.record({ joins: fc.oneof(fc.constant(0), fc.nat(100)) });
const swap = fc.tuple(leave, join).map((both): Move[] => both);
const moves = fc.array(fc.oneof(fc.constant<Move[]>([]), swap, fc.array(fc.oneof(leave, join), { maxLength: 3 })), {
	maxLength: 12,
});
const list = fc.record({
	size: fc.nat(60),
	cap: fc.integer({ min: 2, max: 20 }),
	moves,
	turns: fc.array(fc.nat(5), { minLength: 1 }),
});
const totals = fc.constantFrom(...Object.values(TOTALS));

it('each remaining user comes once and in order, no user twice, and it ends: any moves, any total, any slice', async () => {
	await fc.assert(
		fc.asyncProperty(
			list,
			totals,
			offsets,
			limits,
			fc.constantFrom(0, 1, undefined),
			async (options, total, offset, limit, pagesOnDemand) => {
				const { ids, stayed, asked } = await read({ ...options, total }, { offset, maxUsers: limit, pagesOnDemand });
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

it.each<[string, TeamOptions, ListSlice]>([
	[
		'one leaves at the front while one joins at the end, in every pause: total shows nothing',
		{ size: 1500, moves: Array.from({ length: 20 }, () => [{ leaves: 0 }, { joins: 1e9 + 7 }]) },
		{},
	],
	[
		'pages of one user, which cannot overlap: a smaller total is noticed',
		{ size: 30, cap: 1, moves: [[], [], [{ leaves: 0 }], [], [], [], [{ leaves: 1 }]] },
		{ pagesOnDemand: 0 },
	],
	[
		'a Limit of several pages: a smaller total is noticed',
		{ size: 1600, moves: [[], [{ leaves: 3 }]] },
		{ maxUsers: 1200 },
	],
	[
		'users that move from the front to the end do not hide that others were skipped',
		{ size: 700, moves: [[], [{ firstToEnd: 2 }]] },
		{},
	],
])('%s', async (_, options, slice) => {
	const { ids, stayed } = await read(options, slice);
	const remaining = new Set(stayed());
	const expected = team(options.size).filter((id) => remaining.has(id));
	expect(ids.filter((id) => remaining.has(id as string))).toEqual(expected.slice(0, (slice.maxUsers ?? Infinity) - 1));
	if (slice.maxUsers) expect(ids).toHaveLength(slice.maxUsers);
});

it('a Limit of several pages: an empty page is the end only if no user has moved to an earlier page', async () => {
	const { ids } = await read({ size: 501, total: TOTALS.missing, moves: [[], [{ leaves: 0 }]] }, { maxUsers: 1000 });
	expect(ids).toEqual(team(501));
});

it('steps back to the first user that was wanted at most', async () => {
	const left = Array.from({ length: 10 }, () => ({ leaves: 5 }));
	const { ids, asked } = await read({ size: 30, cap: 10, moves: [[], left] }, { offset: 5, pagesOnDemand: 0 });
	expect(ids).toEqual(team(30).slice(5));
	expect(Math.min(...asked.map(({ offset }) => offset))).toBe(5);
});

it('an error while it steps back at the end of the list is an error', async () => {
	const moves: Move[][] = [[], [], [], [{ leaves: 0 }, { joins: 25 }]];
	const fails: TeamOptions['fails'] = (_, request) => request === 5 && new Problem('Broken', '');
	await expect(read({ size: 26, cap: 10, moves, fails }, { pagesOnDemand: 0 })).rejects.toThrow('Broken');
});

it('a removal with every request costs half a page each time', async () => {
	const { asked } = await read({ size: 5000, moves: Array(40).fill([{ leaves: 0 }]) }, { pagesOnDemand: 0 });
	expect(asked.length).toBeLessThanOrEqual(40);
});

it('a list that is another one each time ends with an error', async () => {
	let requests = 0;
	const get = listOf((request) => {
		requests = request;
		if (request > 1000) throw new Error('Without end');
		return [`u${(request * 7) % 5}`, `u${(request * 11) % 7}`];
	}, 100);
	await expect(idsOf(userPages(get))).rejects.toThrow('The user list changes while it is read');
	expect(requests).toBeLessThan(150);
});
