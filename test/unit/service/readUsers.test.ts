/**
 * Concurrent reads of many users, over made-up answers: order of the results, and the requests.
 */
import type { Get, RequestOptions, Query } from '../../../nodes/HealthDataService/http/client';
import { rowsWithoutId } from '../../../nodes/HealthDataService/service/readings';
import { readUsers } from '../../../nodes/HealthDataService/service/readUsers';
import { Problem } from '../../../nodes/HealthDataService/shared/problem';
import { nextTurn } from '../../helpers/machine';
import { bloodPressure as metric } from '../../helpers/metrics';
import { listed, page, play, systolic, type Asked } from '../../helpers/playedReads';
import { RowLimit } from '../../../nodes/HealthDataService/service/rowLimit';
import { useVirtualTime } from '../../helpers/virtualTime';

const time = useVirtualTime();

it('gives the rows of each user in the order of the list, with the user', async () => {
	const users = [listed('u 1', { place: 7, team: 't' }), listed('u2', { entry: { id: 'e', at: 3 } })];
	const { results, asked, error } = await play({ users, answer: (name) => page(name === 'u2' ? 2 : 1) });
	expect(error).toBeUndefined();
	expect(systolic(results)).toEqual([[1], [2]]);
	expect(results[0]).toMatchObject({ user: users[0].user, place: 7, team: 't', isGone: false });
	expect(results[1].entry).toEqual({ id: 'e', at: 3 });
	expect(asked[0]).toMatchObject({ path: '/v2/timeseries/u%201/blood_pressure/grouped', query: { provider: 'p' } });
});

it.each(['', '.', '..', 'a/b', 'a\\b', '../../user', '\ud800', 'a\udc00b'])(
	'a user of the service with the ID %j is an error of this user, and nothing is sent for it',
	async (id) => {
		const query = jest.fn(() => ({}));
		const { results, asked, error } = await play({
			users: [listed('u1'), listed(id), listed('u2')],
			answer: () => page(1),
			options: { query },
		});
		expect(error).toBeUndefined();
		expect(systolic(results)).toEqual([[1], [], [1]]);
		expect(results[1].problem).toMatchObject({
			message: 'The service gives this user an ID that cannot be part of an address',
			concernsAll: false,
			isTransient: false,
		});
		expect(asked.map(({ name }) => name)).toEqual(['u1', 'u2']);
	},
);

it('allows other parameters and fewer attempts for each user', async () => {
	const { asked } = await play({
		users: [listed('u1'), listed('u2')],
		answer: () => page(),
		options: {
			query: ({ user }) => ({ provider: user.user_id }),
			isTriedOnce: ({ user }) => user.user_id === 'u1',
		},
	});
	expect(asked).toMatchObject([
		{ query: { provider: 'u1' }, once: { maxAttempts: 1 } },
		{ query: { provider: 'u2' }, once: expect.not.objectContaining({ maxAttempts: 1 }) },
	]);
});

it('time in the queue does not count as time of a user', async () => {
	const stopped: unknown[] = [];
	const answer = async (name: string, nth: number) => {
		const budget = asked.at(-1)!.once!.budget!;
		stopped.push(budget.stoppedBy()?.message);
		await time.pass(100);
		if (name === 'u1') budget.sentAt ??= performance.now();
		await time.pass(100);
		return { ...page(1), ...(nth === 1 && { next_cursor: 'x' }) };
	};
	const asked: Asked[] = [];
	const { results } = await play({
		users: [listed('u1'), listed('u2')],
		answer,
		asked,
		options: {
			width: 1,
			budget: () => ({ retryMs: 0, totalMs: 100 }),
		},
	});
	// Two pages, each half its time in the queue; a user without a request has taken no time.
	const tooSlow = 'Reading one user takes longer than a poll may last';
	expect(stopped).toEqual([undefined, tooSlow, undefined, undefined]);
	expect(results.map(({ tookMs }) => tookMs)).toEqual([300, 0]);
});

it('reports the row count of each user, and starts none once the time is up', async () => {
	const onRead = jest.fn();
	let read = 0;
	const { results } = await play({
		users: [listed('u1'), listed('u2'), listed('u3')],
		answer: () => page(1, 2),
		options: { width: 1, onRead: (rows) => onRead(rows, ++read), isTimeUp: () => read === 2 },
	});
	expect(onRead.mock.calls).toEqual([
		[2, 1],
		[2, 2],
	]);
	expect(results).toHaveLength(2);
});

it('leaves out a user in the queue when time is up, also if there is more time when the request is rejected', async () => {
	let isUp = false;
	const asked: Asked[] = [];
	const { results, error } = await play({
		users: [listed('u1'), listed('u2')],
		answer: (name) => {
			if (name === 'u1') return page(1);
			isUp = true;
			const isCancelled = asked.at(-1)!.once!.isCancelled!();
			isUp = false;
			return new Problem(isCancelled ? 'Cancelled' : 'Sent', '', { concernsAll: true });
		},
		asked,
		options: { asCompleted: true, isTimeUp: () => isUp },
	});
	expect([error, results.map(({ user }) => user.user_id)]).toEqual([undefined, ['u1']]);
});

it.each([
	[true, ['u2', 'u3', 'u1']],
	[false, ['u1', 'u2', 'u3']],
])(
	'gives results as they are completed where it may (%p), else in the order of the users',
	async (asCompleted, order) => {
		const answer = async (name: string) => {
			if (name === 'u1') await time.pass(100);
			return page(1);
		};
		const users = ['u1', 'u2', 'u3'].map((name) => listed(name));
		const { results } = await play({ users, answer, options: { width: 2, asCompleted } });
		expect(results.map(({ user }) => user.user_id)).toEqual(order);
	},
);

it('stopping the read cancels all requests in flight, and their errors are not reported', async () => {
	const asked: RequestOptions[] = [];
	const late: Array<(reason: Error) => void> = [];
	const reported = jest.fn();
	const get = (async (path: string, _: Query, __: unknown, once: RequestOptions) => {
		asked.push(once);
		if (path.includes('/u1/')) return page(1);
		return await new Promise((___, reject) => late.push(reject));
	}) as unknown as Get;
	for await (const { rows } of readUsers(get, {
		metric,
		query: () => ({}),
		selection: {
			async *users() {
				yield* [listed('u1'), listed('u2'), listed('u3')];
			},
			whenMissing: async () => {},
		},
		width: 3,
		collect: rowsWithoutId(metric, new RowLimit()),
		onUnreadable: reported,
	})) {
		expect(rows).toHaveLength(1);
		expect(asked.at(-1)!.isCancelled?.()).toBe(false);
		break;
	}
	expect(asked.every(({ isCancelled }) => isCancelled?.())).toBe(true);
	for (const reject of late) reject(new Problem('Late', ''));
	await nextTurn();
	expect(reported).not.toHaveBeenCalled();
});
