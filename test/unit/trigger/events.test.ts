/** Events of the trigger: what is requested for one, over made-up answers. */
import type { Get, Query } from '../../../nodes/HealthDataService/http/client';
import type { SelectedUser } from '../../../nodes/HealthDataService/service/users/selection';
import { events, readingEvents, type ReadOptions } from '../../../nodes/HealthDataService/trigger/events';
import { nextTurn } from '../../helpers/machine';

const START = Date.UTC(2026, 5, 1, 12);
/** All but the last digit of a user ID. */
const ID = 'FC05F045-F97A-4F1C-8794-0186A8753A8';
const users = Array.from({ length: 16 }, (_, i) => ({
	user: { user_id: `${ID}${i.toString(16)}`, client_user_id: null },
	record: { user_id: `${ID}${i.toString(16)}`, created_on: 'today' },
	place: i + 1,
}));
const target = {
	selection: {
		async *users() {
			yield* users as SelectedUser[];
		},
		whenMissing: async () => undefined,
	},
	provider: 'omron',
	concurrency: 2,
};
const options = { windowStartOf: () => START };
const answerOf = (count: number) => ({
	groups: {
		omron: [{ source: {}, data: Array.from({ length: count }, (_, i) => ({ timestamp: `t${i}`, systolic: i })) }],
	},
});

async function read(
	event: (typeof events)[number],
	answer: (name: string) => Promise<object>,
	given: Partial<ReadOptions> = {},
	more = {},
) {
	const asked: Query[] = [];
	const get = (async (path: string, query: Query) => {
		asked.push(query);
		return await answer(/timeseries\/([^/]+)/.exec(path)![1]);
	}) as unknown as Get;
	const results = [];
	const wanted = { ...options, ...given, target: { ...target, ...more } as never };
	for await (const one of event.read(get, target.selection.users(), wanted)) results.push(one);
	return { asked, results };
}

describe('New User', () => {
	const newUser = events.at(-1)!;

	it('is every user of the list, with an id and the user ID in lower case', async () => {
		const { results } = await read(newUser, async () => ({}));
		expect(results).toHaveLength(16);
		expect(Object.entries(results[1].rows[0])).toEqual([
			...[['row_id', null] as unknown[], ['user_id', `${ID}1`.toLowerCase()], ['created_on', 'today']],
		]);
		expect(results[1]).toMatchObject({ place: 2, isGone: false, tookMs: 0 });
	});

	it('ends in time', async () => {
		const { results } = await read(newUser, async () => ({}), { isTimeUp: () => true });
		expect(results).toHaveLength(1);
	});
});

describe('New Blood Pressure Reading', () => {
	const [event] = readingEvents;

	it('is looked for in the window of each user, without an id yet, as users are completed', async () => {
		let release: () => void;
		const first = new Promise<void>((resolve) => (release = resolve));
		const answer = async (name: string) => {
			if (name.toLowerCase().endsWith('80')) await first;
			if (name.toLowerCase().endsWith('8f')) release();
			return answerOf(1);
		};
		const { asked, results } = await read(event, answer);
		expect(asked[0]).toMatchObject({ start_date: new Date(START).toISOString(), provider: 'omron' });
		expect(results.at(-1)!.user.user_id).toBe(`${ID}0`);
		expect(results[0].rows[0].row_id).toBeNull();
	});

	it.each([
		['concurrency', {}, 8],
		['the rate limit', { requestsPerSecond: 1 }, 4],
	])('reads no more users at once than %s has room for', async (_, more, most) => {
		let started = 0;
		let release: () => void;
		const all = new Promise<void>((resolve) => (release = resolve));
		const work = read(event, async () => (started++, await all, answerOf(0)), {}, more);
		for (let i = 0; i < 50; i++) await nextTurn();
		expect(started).toBe(most);
		release!();
		await work;
	});

	it('of more readings than n8n can take is an error that says what to do', async () => {
		const { results } = await read(event, async (name) => answerOf(name.toLowerCase().endsWith('80') ? 100_001 : 0));
		expect(results[0].problem).toMatchObject({
			message: "More than 100,000 readings of one user within 'Lookback Hours'",
			description: "Lower 'Lookback Hours' in the options, or choose a 'Provider'",
		});
	});
});
