/** Concurrent reads of many users, over made-up answers: scope and reports of a problem, and the requests. */
import type { IDataObject } from 'n8n-workflow';
import type { Get, RequestOptions, Query } from '../../../../nodes/HealthDataService/http/client';
import { CANCELLED_REQUEST } from '../../../../nodes/HealthDataService/http/errors';
import { collectRows } from '../../../../nodes/HealthDataService/service/readings/rows';
import { readUsers, type UserResult } from '../../../../nodes/HealthDataService/service/readings/readUsers';
import type { SelectedUser, UserSelection } from '../../../../nodes/HealthDataService/service/users/selection';
import { Problem } from '../../../../nodes/HealthDataService/shared/problem';
import { allRows } from '../../../helpers/allRows';
import { nextTurn } from '../../../helpers/machine';
import { bloodPressure as metric } from '../../../helpers/metrics';
import { useVirtualTime } from '../../../helpers/virtualTime';

const time = useVirtualTime();

const listed = (name: string, more: Partial<SelectedUser> = {}): SelectedUser => ({
	user: { user_id: name, client_user_id: null },
	place: 1,
	...more,
});
const page = (...values: number[]): IDataObject => ({
	groups: { omron: [{ data: values.map((systolic) => ({ timestamp: 't', systolic })), source: {} }] },
});

interface Asked {
	name: string;
	path: string;
	query: Query;
	once?: RequestOptions;
}

interface Played {
	users: SelectedUser[];
	answer: (name: string, nth: number) => IDataObject | Problem | undefined | Promise<IDataObject>;
	whenMissing?: UserSelection['whenMissing'];
	options?: Partial<Parameters<typeof readUsers>[1]>;
	/** Filled with what is asked. */
	asked?: Asked[];
}

async function play({ users, answer, whenMissing = async () => {}, options, asked = [] }: Played) {
	const get = (async (path: string, query: Query, onMissing: () => Promise<void>, once?: RequestOptions) => {
		const [, name] = /timeseries\/([^/]+)\//.exec(path)!;
		asked.push({ name: decodeURIComponent(name), path, query, once });
		const given = await answer(decodeURIComponent(name), asked.filter((one) => one.path === path).length);
		if (given instanceof Problem) throw given;
		return given ?? (await onMissing());
	}) as unknown as Get;
	const results: UserResult[] = [];
	const error = await (async () => {
		for await (const one of readUsers(get, {
			metric,
			query: () => ({ provider: 'p' }),
			selection: {
				async *users() {
					yield* users;
				},
				whenMissing,
			},
			width: 2,
			collect: collectRows(metric, allRows),
			...options,
		}))
			results.push(one);
	})().catch((thrown: Error) => thrown);
	return { results, asked, error };
}
const systolic = (results: UserResult[]) => results.map(({ rows }) => rows.map((row) => row.systolic));

it('gives the rows of each user in the order of the list, with the user', async () => {
	const users = [listed('u 1', { place: 7, team: 't' }), listed('u2', { entry: { id: 'e', at: 3 } })];
	const { results, asked, error } = await play({ users, answer: (name) => page(name === 'u2' ? 2 : 1) });
	expect([error, systolic(results)]).toEqual([undefined, [[1], [2]]]);
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
	expect(asked.map(({ query, once }) => [query.provider, once?.maxAttempts])).toEqual([
		['u1', 1],
		['u2', undefined],
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

it('a user has time for retries and for requests from the first request sent on, and is not cancelled once sent', async () => {
	const noted: unknown[] = [];
	const asked: Asked[] = [];
	let isTimeUp = false;
	await play({
		users: [listed('u1')],
		answer: async () => {
			const { budget, isCancelled } = asked.at(-1)!.once!;
			const note = () => noted.push([budget!.mayRetry(), budget!.stoppedBy()?.kind, isCancelled!()]);
			isTimeUp = true;
			note();
			budget!.sentAt = performance.now();
			for (const ms of [0, 10, 60, 10, 60]) {
				await time.pass(ms);
				note();
			}
			return page(1);
		},
		asked,
		options: { budget: () => ({ retryMs: 50, totalMs: 100 }), isTimeUp: () => isTimeUp },
	});
	expect(noted).toEqual([
		[true, undefined, true],
		[true, undefined, false],
		[true, undefined, false],
		[false, undefined, false],
		[false, undefined, false],
		[false, 'temporarily-unavailable', false],
	]);
});

it('reports the row count of each user, and starts none once the time is up', async () => {
	const onDone = jest.fn();
	let read = 0;
	const { results } = await play({
		users: [listed('u1'), listed('u2'), listed('u3')],
		answer: () => page(1, 2),
		options: { width: 1, onDone: ({ rows }) => onDone(rows.length, ++read), isTimeUp: () => read === 2 },
	});
	expect(onDone.mock.calls).toEqual([
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
			return isCancelled ? CANCELLED_REQUEST : new Problem('Sent', '', { concernsAll: true });
		},
		asked,
		options: { asCompleted: true, isTimeUp: () => isUp },
	});
	expect([error, results.map(({ user }) => user.user_id)]).toEqual([undefined, ['u1']]);
});

it('gives results as they are completed where it may, else in the order of the users', async () => {
	const orderOf = async (options: object) => {
		const answer = async (name: string) => {
			if (name === 'u1') await time.pass(100);
			return page(1);
		};
		const { results } = await play({ users: ['u1', 'u2', 'u3'].map((name) => listed(name)), answer, options });
		return results.map(({ user }) => user.user_id);
	};
	expect(await orderOf({ width: 2, asCompleted: true })).toEqual(['u2', 'u3', 'u1']);
	expect(await orderOf({ width: 2 })).toEqual(['u1', 'u2', 'u3']);
});

describe('a problem', () => {
	const broken = new Problem('Theirs', '');
	const users = [listed('u1'), listed('u2'), listed('u3')];

	it('of one user is reported at once, and concerns that user only', async () => {
		const reported: unknown[][] = [];
		const { results, error } = await play({
			users,
			answer: (name) => (name === 'u2' ? broken : page(1)),
			options: { width: 1, onDone: ({ user, problem }) => reported.push([user.user_id, problem]) },
		});
		expect([error, systolic(results), results[1].problem]).toEqual([undefined, [[1], [], [1]], broken]);
		expect(reported).toEqual([
			['u1', undefined],
			['u2', broken],
			['u3', undefined],
		]);
	});

	it('on a later page leaves no row of the pages before', async () => {
		const { results } = await play({
			users: [listed('u1')],
			answer: (_, nth) => (nth === 1 ? { ...page(1), next_cursor: 'x' } : broken),
		});
		expect([systolic(results), results[0].problem]).toEqual([[[]], broken]);
	});

	it.each([
		['nested too deep', new RangeError('Maximum call stack size exceeded')],
		['of another shape', new TypeError('x is not iterable')],
	])('is that of the user whose answer is %s', async (_, thrown) => {
		const { results, error } = await play({
			users,
			answer: () => page(1),
			options: {
				collect: async (_pages, { user: { user_id } }) => {
					if (user_id === 'u2') throw thrown;
					return [{ systolic: 1 }];
				},
			},
		});
		expect([error, systolic(results)]).toEqual([undefined, [[1], [], [1]]]);
		expect(results[1].problem).toMatchObject({ message: "The service's answer for this user cannot be processed" });
	});

	it('of an unresolved user is reported without a request', async () => {
		const resolve = async () => await Promise.reject(broken);
		const { results, asked } = await play({ users: [listed('', { resolve })], answer: () => page(1) });
		expect(results[0]).toMatchObject({ problem: broken, rows: [], isGone: false });
		expect(asked).toEqual([]);
	});

	it.each<[string, Error]>([
		['concerns all', new Problem('All', '', { concernsAll: true })],
		['is none of ours', new Error('A fault of the code')],
	])('that %s ends it', async (_, thrown) => {
		const { error, asked } = await play({
			users,
			answer: (name) => (name === 'u1' ? Promise.reject(thrown) : page(1)),
			options: { width: 1 },
		});
		expect([error, asked.length]).toEqual([thrown, 1]);
	});

	it('ends the read when onDone throws', async () => {
		const end = new Error('Stop');
		const onDone = () => {
			throw end;
		};
		const { error, asked } = await play({ users, answer: () => broken, options: { width: 1, onDone } });
		expect([error, asked.length]).toEqual([end, 1]);
	});
});

describe('a user unknown to the service', () => {
	it('has no rows, and is gone', async () => {
		const { results } = await play({ users: [listed('u1')], answer: () => undefined });
		expect(results).toEqual([expect.objectContaining({ rows: [], isGone: true })]);
		expect(results[0].problem).toBeUndefined();
	});

	it('on a later page has none of the rows that came before', async () => {
		const answer = (_: string, nth: number) => (nth === 1 ? { ...page(1), next_cursor: 'x' } : undefined);
		const { results } = await play({ users: [listed('u1')], answer });
		expect(results).toMatchObject([{ rows: [], isGone: true }]);
	});

	it('is a problem if the caller says so', async () => {
		const missing = new Problem('Missing', '');
		const { results } = await play({
			users: [listed('u1')],
			answer: () => undefined,
			whenMissing: async () => await Promise.reject(missing),
		});
		expect(results).toMatchObject([{ rows: [], isGone: false, problem: missing }]);
	});
});

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
		collect: collectRows(metric, allRows),
		onDone: reported,
	})) {
		expect(rows).toHaveLength(1);
		expect(asked.at(-1)!.isCancelled?.()).toBe(false);
		break;
	}
	expect(asked.every(({ isCancelled }) => isCancelled?.())).toBe(true);
	for (const reject of late) reject(new Problem('Late', ''));
	await nextTurn();
	expect(reported.mock.calls.map(([{ user, problem }]) => [user.user_id, problem])).toEqual([['u1', undefined]]);
});
