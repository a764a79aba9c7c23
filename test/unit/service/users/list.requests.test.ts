/** Requests of the user paginator: how many, which together, and which are cancelled. */
import type { Get, RequestOptions } from '../../../../nodes/HealthDataService/http/client';
import { PagesAhead, userPages, type ListSlice } from '../../../../nodes/HealthDataService/service/users/list';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';
import { nextTurn } from '../../../helpers/machine';
import { idsOf, movingTeam, TOTALS, type TeamOptions } from '../../../helpers/movingTeam';
import { useVirtualTime } from '../../../helpers/virtualTime';

const time = useVirtualTime();

const requestsOf = async (options: TeamOptions, slice: ListSlice = {}) => {
	const { get, asked } = movingTeam(options);
	await idsOf(userPages(get, slice));
	return asked;
};
const count = async (size: number, options: Partial<TeamOptions> = {}, slice = {}) =>
	(await requestsOf({ size, ...options }, slice)).length;

// Each page repeats one user, and the last one has room.
it.each([0, 1, 2, 499, 500, 501, 999, 1000, 1001, 1200, 1400, 10_000, 19_500, 20_000])(
	'%i users: two more than pages at most',
	async (size) => {
		const pages = Math.max(1, Math.ceil(size / 500));
		expect(await count(size)).toBeLessThanOrEqual(pages + 2);
		expect(await count(size, { total: TOTALS.missing })).toBeLessThanOrEqual(pages + 2);
		expect(await count(size, { cap: 250 })).toBeLessThanOrEqual(Math.max(1, Math.ceil(size / 250)) + 2);
		expect(await count(size, {}, { pagesOnDemand: 0 })).toBe(await count(size));
	},
);

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
	const pages = new PagesAhead(get);
	const ask = { offset: 0, pageSize: 10, isBeyondTotal: false };
	pages.start(ask);
	pages.start(ask);
	expect(asked).toHaveLength(1);
	pages.cancel();
	expect((await pages.take(ask)).users).toEqual([{ user_id: 'u2' }]);
	expect((await pages.take(ask)).users).toEqual([{ user_id: 'u3' }]);
});
