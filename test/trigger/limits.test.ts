/**
 * Limits of a poll: the rate limits of the service, the timeout of one answer, the budget of time, and the number of rows. What does
 * not fit into one poll comes with the next.
 */
import type { INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/sandbox/switches';
import { MAX_PAGE_SIZE } from '../../nodes/HealthDataService/service/users/users';
import { bloodPressure } from '../helpers/people';
import type { HostOptions } from '../helpers/pollingHost';
import { byUserId } from '../helpers/requests';
import { allUsers, HOUR, iso, MINUTE, onBothSchedulers, valuesOf, watch } from '../helpers/watch';

const throttle = (seconds?: number): Fault => ({
	status: 429,
	headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
});
const serial: INodeParameters = { ...allUsers, options: { concurrency: 1 } };

describe('rows', () => {
	const w = watch('memory');
	const MAX_ROWS = 10_000;

	it('of the first user fill a poll: no other one is asked for in it', async () => {
		w.switches.pageSize = 5000;
		const n8n = await w.started(serial);
		const from = w.clock;
		w.pass(20 * 24 * HOUR);
		for (let i = 1; i <= MAX_ROWS; i++) w.history.add(w.anna, bloodPressure(iso(from + i * MINUTE), 120, 80));
		w.used.sandbox.requests.length = 0;
		expect(await n8n.tick()).toHaveLength(MAX_ROWS);
		expect(new Set(w.readingRequests())).toEqual(new Set([w.anna.user_id]));
	});
});

describe('a throttle', () => {
	const w = watch('memory');

	it('that names a time: nothing is sent until then, and the report says why', async () => {
		const n8n = await w.started();
		w.switches.users = { anna: 'invalid' };
		await n8n.tick();
		w.pass(50 * MINUTE);
		w.answer({ '': throttle(3000) });
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
		const n8n = await w.started({ ...serial, userScope: 'listed', usersBy: 'userId', userIds });
		for (const allowed of [1, 0, 9]) {
			let left = allowed;
			w.used.sandbox.requests.length = 0;
			w.answer({ '': () => (left-- > 0 ? undefined : throttle(600)) });
			await n8n.tick();
			w.pass(6 * MINUTE);
		}
		expect(w.readingRequests()).toEqual([w.ben.user_id]);
	});

	it('that is over before the end of the poll is not reported', async () => {
		const n8n = await w.started();
		let asked = 0;
		w.answer({ '/timeseries/': () => (asked++ === 0 ? throttle() : undefined) });
		await n8n.tick();
		expect(asked).toBe(2);
		expect(n8n.reported).toEqual([]);
	});

	it('of readings only, after others were read in the poll: one of these is asked, and the poll ends', async () => {
		w.users(3);
		const n8n = await w.started(serial);
		let left = 2;
		w.answer({ timeseries: () => (left-- <= 0 ? throttle(600) : undefined) });
		w.used.sandbox.requests.length = 0;
		await n8n.tick();
		expect(w.readingRequests()).toHaveLength(4);
	});

	it('of readings only, after others were read in the pass: one of these is asked, each has the same chance', async () => {
		const more = w.users(3);
		w.switches.oddUserIds = { anna: 'a#1' };
		const n8n = w.trigger(serial);
		let left = Infinity;
		w.answer({
			timeseries: (url) => {
				if (left-- <= 0) return throttle(600);
				// The sandbox does not know it.
				return url.includes('/a%231/') ? { status: 200, body: { groups: {}, next_cursor: null } } : undefined;
			},
		});
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
		w.answer({ '': throttle() });
		await w.trigger().start('init');
		expect(w.used.sandbox.requests.length).toBeLessThanOrEqual(3);
	});

	it.each<[HostOptions['scheduler'], number]>([
		['memory', 239],
		['durable', 19],
	])('that holds back the list until the poll is almost over is reported: %s', async (scheduler, seconds) => {
		w.users(18);
		const n8n = await w.started(allUsers, { scheduler });
		let asked = 0;
		w.answer({ '': () => (asked++ === 0 ? throttle(seconds) : { delayMs: 2000 }) });
		await n8n.tick();
		expect(n8n.reported).toMatchObject([{ message: expect.stringContaining('The service limits the requests') }]);
	});
});

onBothSchedulers((scheduler) => {
	const w = watch(scheduler, { names: [], isPatient: true });

	it.each<[string, number, number | undefined]>([
		['the whole team', 1, 40],
		['every second user', 2, undefined],
		['one user', 100, 40],
		['the one User', 0, undefined],
	])(
		'readings of %s (every %i) are limited for hours, Retry-After %s: told each hour, and the others are read',
		async (_, every, seconds) => {
			const users = w.users(6);
			const one = { ...allUsers, userScope: 'one', user: byUserId(users[0].user_id) };
			const lastRead = iso(w.clock).slice(0, 16).replace('T', ' ');
			const n8n = await w.started(every === 0 ? one : allUsers);
			const limited = users.filter((_user, i) => i % (every || 1) === 0);
			w.answer(Object.fromEntries(limited.map(({ user_id }) => [user_id, throttle(seconds)])));
			// Tells whoever was not read for an hour.
			await w.polls(n8n, 4, 20 * MINUTE);
			const before = n8n.reported.length;
			w.measure(users[1], 121);
			w.used.sandbox.requests.length = 0;
			const rows = await w.polls(n8n, 3, 20 * MINUTE);
			const tries = w.readingRequests().filter((id) => id === limited[0].user_id);
			expect(tries.length).toBeLessThanOrEqual(3);
			expect(valuesOf(rows)).toEqual(every > 1 ? [121] : []);
			expect(n8n.reported).toHaveLength(before + 1);
			const { message, description } = n8n.reported.at(-1)!;
			expect(message).toMatch(/limit|many requests/i);
			expect(description).toMatch(`Not read: ${limited[0].user_id} since ${lastRead}`);
			expect(description!.includes('New readings of all other users go out')).toBe(every > 1);
			expect(w.errors).toEqual([]);
		},
	);
});

describe('a limit of all', () => {
	const w = watch('durable', { names: [], isPatient: true });

	it("a Retry-After of all pauses all, and is not a user's", async () => {
		const users = w.users(12);
		const n8n = await w.started();
		w.answer({ '': throttle(600) });
		await w.polls(n8n, 1);
		const before = w.used.sandbox.requests.length;
		await w.polls(n8n, 5);
		expect(w.used.sandbox.requests).toHaveLength(before);
		w.answer({});
		users.forEach((user, i) => w.measure(user, 100 + i));
		expect(await w.polls(n8n, 6)).toHaveLength(12);
		expect(n8n.reported).toHaveLength(1);
	});

	it('one User and one request at a time, and a limit of all: the report tells of no list', async () => {
		const [{ user_id }] = w.users(1);
		const n8n = await w.started({ ...serial, userScope: 'one', user: byUserId(user_id) });
		w.answer({ '': throttle(3000) });
		await w.polls(n8n, 12, 20 * MINUTE);
		expect(n8n.reported.at(-1)!.message).not.toContain('list');
	});
});

describe('time', () => {
	const BUDGET_MS = 18_000;
	const w = watch('durable', { names: ['anna', 'ben'], isPatient: true });
	const took = async (work: () => Promise<unknown>) => {
		const begun = w.time.elapsed;
		const result = await work().catch((error: Error) => error);
		return { result, ms: w.time.elapsed - begun };
	};

	it.each<[string, HostOptions, boolean, number]>([
		['a poll in memory, which has five minutes: a minute', { scheduler: 'memory' }, false, 60_000],
		['a poll that has 36 seconds: four ninths of them', { budgetMs: 36_000 }, false, 16_000],
		['the poll at a start, which must not delay n8n: four ninths of a minute', {}, true, 26_667],
	])('of one answer in %s', async (_, options, isStart, expected) => {
		const n8n = await w.started(allUsers, options);
		w.answer({ [w.anna.user_id]: { delayMs: HOUR } });
		const { ms } = await took(() => (isStart ? n8n.start('init') : n8n.tick()));
		// A timer may be late.
		expect(Math.abs(ms - expected)).toBeLessThan(200);
	});

	it('a service that is down is retried while there is time for an answer', async () => {
		const n8n = await w.started(undefined, { budgetMs: BUDGET_MS });
		w.answer({ '': { status: 503 } });
		const { result, ms } = await took(() => n8n.tick());
		expect(result).toMatchObject({
			httpCode: '503',
			description: expect.stringMatching(/^Tried \d times in \d+ s\. /),
		});
		expect(ms).toBeGreaterThan(BUDGET_MS / 4);
		expect(ms).toBeLessThanOrEqual(BUDGET_MS);
	});

	it('an n8n that knows no budgets polls without one', async () => {
		const onContext: HostOptions['onContext'] = (context) => Object.assign(context, { getPollBudgetMs: undefined });
		const n8n = await w.started(undefined, { onContext });
		w.measure(w.anna, 121);
		expect(await w.after(n8n)).toEqual([121]);
	});

	it('a list whose end hangs: what was read goes out', async () => {
		const n8n = await w.started(allUsers, { budgetMs: BUDGET_MS });
		w.measure(w.anna, 121);
		w.answer({ 'offset=1': { delayMs: HOUR } });
		expect(await w.after(n8n)).toEqual([121]);
	});

	it.each([
		['sent', 6000, 0],
		['awaited', 12_000, HOUR],
	])(
		'a second page of the user list, ten seconds after the first, is not %s after the deadline',
		async (_, budgetMs, delayMs) => {
			w.users(2 * MAX_PAGE_SIZE);
			const n8n = await w.started({ event: 'user', options: { requestsPerSecond: 0.1 } }, { budgetMs });
			w.answer({ '/v2/user?': (url) => (url.includes('offset=0') ? undefined : { delayMs }) });
			expect((await took(() => n8n.tick())).ms).toBeLessThanOrEqual(budgetMs + 100);
		},
	);
});
