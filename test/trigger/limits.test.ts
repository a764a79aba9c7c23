/**
 * Limits of a poll: the timeout of one answer, the budget of time for attempts and users, and the number of rows. What does not fit
 * into one poll comes with the next.
 */
import { RequestQueue } from '../../nodes/HealthDataService/http/requestQueue';
import { RETRY_LIMITS } from '../../nodes/HealthDataService/http/retry';
import { MAX_PAGE_SIZE } from '../../nodes/HealthDataService/service/users/users';
import { bloodPressure } from '../helpers/people';
import type { HostOptions } from '../helpers/pollingHost';
import { allUsers, HOUR, iso, isPassComplete, MINUTE, onBothSchedulers, savedState, watch } from '../helpers/watch';

const MAX_ROWS = 10_000;

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	describe('many rows after weeks down', () => {
		const add = (user: typeof w.anna, count: number, from: number) => {
			const step = Math.floor((w.clock - from) / (count + 1));
			for (let i = 1; i <= count; i++) w.history.add(user, bloodPressure(iso(from + i * step), 100 + (i % 50), 80));
		};

		const teams: Array<[string, number[]]> = [
			['three users', [4500, 4500, 4500]],
			['one of them alone', [0, 12_345, 5]],
			['exactly as many', [5000, 5000, 0]],
		];
		it.each(scheduler === 'memory' ? teams : teams.slice(0, 1))(
			'of %s: none is lost, none comes twice',
			async (_, counts) => {
				w.used.sandbox.switches.pageSize = 5000;
				const users = [w.anna, w.ben, w.history.addUser('carl')];
				const n8n = w.trigger();
				await n8n.start();
				const from = w.clock;
				n8n.kill();
				w.pass(20 * 24 * HOUR);
				users.forEach((user, at) => add(user, counts[at], from));

				const total = counts.reduce((a, b) => a + b);
				const first = (await n8n.start('init'))!;
				expect(first).toHaveLength(MAX_ROWS);
				expect(first.map(({ timestamp }) => timestamp)).toEqual(first.map(({ timestamp }) => timestamp).sort());
				if (total > MAX_ROWS) {
					const second = (await n8n.tick())!;
					expect(second).toHaveLength(total - MAX_ROWS);
					expect(String(second[0].timestamp) >= String(first.at(-1)!.timestamp) || counts[0] === 0).toBe(true);
				}
				expect(await n8n.tick()).toBeUndefined();
				expect(new Set(n8n.executions.flat().map(({ row_id }) => row_id)).size).toBe(total);
				if (scheduler === 'durable') expect(isPassComplete(savedState(n8n))).toBe(true);
			},
		);

		it('of the first user: no other one is asked for in the same poll', async () => {
			w.used.sandbox.switches.pageSize = 5000;
			const n8n = w.trigger({ ...allUsers, options: { concurrency: 1 } });
			await n8n.start();
			const from = w.clock;
			w.pass(20 * 24 * HOUR);
			add(w.anna, MAX_ROWS, from);
			w.used.sandbox.requests.length = 0;
			expect(await n8n.tick()).toHaveLength(MAX_ROWS);
			expect(new Set(w.readingRequests())).toEqual(new Set([w.anna.user_id]));
		});
	});
});

describe('timeout of one answer', () => {
	const w = watch();
	let run: jest.SpyInstance;
	beforeEach(() => (run = jest.spyOn(RequestQueue.prototype, 'run')));
	const limits = () => [...new Set(run.mock.calls.map(([, { timeoutMs }]) => Math.round(timeoutMs)))];

	it.each([
		['a poll in memory, which has five minutes', undefined, 60_000],
		['a poll that has 36 seconds: four ninths of them', 36_000, 16_000],
	])('%s', async (_, budgetMs, expected) => {
		const n8n = w.trigger(allUsers, { budgetMs });
		await n8n.start();
		run.mockClear();
		await n8n.tick();
		expect(limits()).toEqual([expected]);
	});

	it('the poll at a start, which must not delay n8n: four ninths of a minute', async () => {
		await w.trigger().start('init');
		expect(limits()).toEqual([26_667]);
	});

	it('a test event, which a person waits for: four seconds', async () => {
		w.history.add(w.anna, w.reading(-10));
		await w.trigger().fetchTestEvent();
		expect(limits()).toEqual([4_000]);
	});
});

describe('a throttle', () => {
	const w = watch();
	const limit = (headers: Record<string, string> = {}) => {
		w.used.sandbox.switches.fault = () => ({ status: 429, headers });
	};

	it('that names a time: nothing is sent until then, and the report says why', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.used.sandbox.switches.users = { anna: 'invalid' };
		await n8n.tick();
		w.pass(50 * MINUTE);
		limit({ 'retry-after': '3000' });
		await n8n.tick();
		expect(n8n.reported).toHaveLength(1);
		w.pass(11 * MINUTE);
		w.used.sandbox.requests.length = 0;
		await n8n.tick();
		expect(w.used.sandbox.requests).toEqual([]);
		expect(n8n.reported[1].message).toMatch(
			/^The readings of 2 users could not be read\. .*The service limits the requests.*\. The service is receiving too many requests \(status 429\)/,
		);
		// A clock that was set back makes it no longer.
		w.pass(-HOUR);
		await n8n.tick();
		expect(w.used.sandbox.requests).not.toEqual([]);
	});

	it('that names a time, in the middle of a list: the poll after it goes on there', async () => {
		const userIds = [w.anna, w.ben].map(({ user_id }) => user_id).join();
		const options = { concurrency: 1 };
		const n8n = w.trigger({ ...allUsers, userScope: 'listed', usersBy: 'userId', userIds, options });
		await n8n.start();
		for (const allowed of [1, 0, 9]) {
			let left = allowed;
			w.used.sandbox.requests.length = 0;
			w.used.sandbox.switches.fault = () =>
				left-- > 0 ? undefined : { status: 429, headers: { 'retry-after': '600' } };
			await n8n.tick();
			w.pass(6 * MINUTE);
		}
		expect(w.readingRequests()).toEqual([w.ben.user_id]);
	});

	it('that lasts is told every hour, not as a round that takes long', async () => {
		const n8n = w.trigger();
		await n8n.start();
		limit({ 'retry-after': '3000' });
		for (let poll = 0; poll < 10; poll++) {
			w.pass(25 * MINUTE);
			await n8n.tick();
		}
		expect(n8n.reported).toHaveLength(4);
		expect(n8n.reported[3].message).not.toContain('end before their turn');
	});

	it('that names a time before anybody was read: nothing is sent until then either', async () => {
		const n8n = w.trigger();
		limit({ 'retry-after': '3000' });
		await n8n.start();
		w.pass(11 * MINUTE);
		w.used.sandbox.requests.length = 0;
		await n8n.tick();
		expect(w.used.sandbox.requests).toEqual([]);
	});

	it('that is over before the end of the poll is not reported', async () => {
		const n8n = w.trigger();
		await n8n.start();
		let asked = 0;
		w.used.sandbox.switches.fault = (_, url) =>
			url.includes('/timeseries/') && asked++ === 0 ? { status: 429 } : undefined;
		await n8n.tick();
		expect(asked).toBe(2);
		expect(n8n.reported).toEqual([]);
	});

	it('of readings only, after others were read in the poll: one of these is asked, and the poll ends', async () => {
		for (const place of [2, 3, 4]) w.history.addUser(`user ${place}`);
		const n8n = w.trigger({ ...allUsers, options: { concurrency: 1 } });
		await n8n.start();
		let left = 2;
		w.used.sandbox.switches.fault = (_, url) =>
			url.includes('timeseries') && left-- <= 0 ? { status: 429, headers: { 'retry-after': '600' } } : undefined;
		w.used.sandbox.requests.length = 0;
		await n8n.tick();
		expect(w.readingRequests()).toHaveLength(4);
	});

	it('of readings only, after others were read in the pass: one of these is asked, each has the same chance', async () => {
		const more = [2, 3, 4].map((place) => w.history.addUser(`user ${place}`));
		w.used.sandbox.switches.oddUserIds = { anna: 'a#1' };
		const n8n = w.trigger({ ...allUsers, options: { concurrency: 1 } });
		let left = Infinity;
		w.used.sandbox.switches.fault = (_, url) => {
			if (url.includes('timeseries') && left-- <= 0) return { status: 429, headers: { 'retry-after': '600' } };
			// The sandbox does not know it.
			return url.includes('/a%231/') ? { status: 200, body: { groups: {}, next_cursor: null } } : undefined;
		};
		await n8n.start();
		left = 2;
		await n8n.tick();
		const samples = new Set<string>();
		for (let poll = 0; poll < 8; poll++) {
			w.pass(HOUR);
			w.used.sandbox.requests.length = 0;
			await n8n.tick();
			expect(new Set(w.readingRequests()).size).toBe(2);
			for (const id of w.readingRequests()) if (id !== more[0].user_id) samples.add(id);
		}
		expect(samples).toEqual(new Set(['a%231', w.ben.user_id]));
	});

	it('is not waited out at a start', async () => {
		limit();
		await w.trigger().start('init');
		expect(w.used.sandbox.requests.length).toBeLessThanOrEqual(3);
	});

	it.each(['memory', 'durable'] as const)(
		'that holds back the list until the poll is almost over is reported: %s',
		async (scheduler) => {
			for (let i = 0; i < 18; i++) w.history.addUser(`user ${i}`);
			const n8n = w.trigger(allUsers, { scheduler });
			await n8n.start();
			let asked = 0;
			w.used.sandbox.switches.fault = () =>
				asked++ === 0
					? { status: 429, headers: { 'retry-after': scheduler === 'durable' ? '19' : '239' } }
					: { delayMs: 2000 };
			await n8n.tick();
			expect(n8n.reported).toMatchObject([{ message: expect.stringContaining('The service limits the requests') }]);
		},
	);
});

describe('budget', () => {
	const BUDGET_MS = 18_000;
	const w = watch();

	describe('a service that is down', () => {
		const { baseDelayMs, maxDelayMs } = RETRY_LIMITS;
		beforeAll(() => void Object.assign(RETRY_LIMITS, { baseDelayMs: 2000, maxDelayMs: 4000 }));
		afterAll(() => void Object.assign(RETRY_LIMITS, { baseDelayMs, maxDelayMs }));

		it('is retried while there is time for an answer', async () => {
			const n8n = w.trigger(undefined, { budgetMs: BUDGET_MS });
			await n8n.start();
			w.used.sandbox.switches.fault = () => ({ status: 503 });
			const begun = w.time.elapsed;
			await expect(n8n.tick()).rejects.toMatchObject({
				httpCode: '503',
				description: expect.stringMatching(/^Tried \d times in \d+ s\. /),
			});
			const tookMs = w.time.elapsed - begun;
			expect(tookMs).toBeGreaterThan(BUDGET_MS / 4);
			expect(tookMs).toBeLessThanOrEqual(BUDGET_MS);
		});
	});

	it('an n8n that knows no budgets polls without one', async () => {
		const onContext: HostOptions['onContext'] = (context) => Object.assign(context, { getPollBudgetMs: undefined });
		const n8n = w.trigger(undefined, { onContext });
		await n8n.start();
		w.history.add(w.anna, w.reading(0));
		expect(await n8n.tick()).toHaveLength(1);
	});

	it('a list whose end hangs: what was read goes out', async () => {
		const n8n = w.trigger(allUsers, { budgetMs: BUDGET_MS });
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		w.used.sandbox.switches.fault = (_, url) => (/offset=[1-9]/.test(url) ? { delayMs: HOUR } : undefined);
		expect(await n8n.tick()).toHaveLength(1);
	});

	describe('a page of the user list after the deadline', () => {
		/** How long a poll takes that requests the second page ten seconds after the first. */
		const pollMs = async (budgetMs: number, pageMs: number) => {
			for (let place = 0; place < 2 * MAX_PAGE_SIZE; place++) w.history.addUser(`user ${place}`);
			const n8n = w.trigger({ event: 'user', options: { requestsPerSecond: 0.1 } }, { budgetMs });
			await n8n.start();
			w.used.sandbox.switches.fault = (_, url) => (/offset=[1-9]/.test(url) ? { delayMs: pageMs } : undefined);
			const begun = w.time.elapsed;
			await n8n.tick().catch(() => undefined);
			return w.time.elapsed - begun;
		};

		it.each([
			['sent', 6000, 0],
			['awaited', 12_000, HOUR],
		])('is not %s once the budget is used up', async (_, budgetMs, pageMs) => {
			expect(await pollMs(budgetMs, pageMs)).toBeLessThanOrEqual(budgetMs + 100);
		});
	});
});
