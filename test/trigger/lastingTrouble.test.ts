/** Lasting trouble: users or limits that fail for hours. The others are read in time, and no trouble is silent for longer than an hour. */
import type { INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/sandbox/switches';
import { byClientId, byUserId } from '../helpers/requests';
import { allUsers, HOUR, iso, MINUTE, onBothSchedulers, timeline } from '../helpers/watch';

const LATENCY: Fault = { delayMs: 2000 };
const throttle = (seconds?: number): Fault => ({
	status: 429,
	headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
});

onBothSchedulers((scheduler) => {
	const t = timeline(scheduler);
	const systolics = (rows: Array<Record<string, unknown>>) => rows.map(({ systolic }) => systolic);

	it.each<[string, Fault]>([
		['answer 403', { status: 403 }],
		['answer 500', { status: 500 }],
		['hang', { delayMs: 400_000 }],
	])('some users %s, the others take two seconds: their readings go out within two polls', async (_, fault) => {
		const users = t.users(10);
		const n8n = t.trigger();
		await n8n.start();
		const sick = users.slice(3, 7);
		t.answer({ ...Object.fromEntries(sick.map(({ user_id }) => [user_id, fault])), timeseries: LATENCY });
		await t.polls(n8n, 2);
		for (const [i, user] of [users[0], users[7], users[9]].entries()) {
			t.measure(user, 121 + i);
			expect(systolics(await t.polls(n8n, 2))).toEqual([121 + i]);
		}
		expect(n8n.reported).toHaveLength(1);
	});

	it('users who failed come last; if they hang, their reads begin within 30 % of a poll, which costs two timeouts at most', async () => {
		const users = t.users(15);
		const n8n = t.trigger({ ...allUsers, options: { concurrency: 2 } });
		await n8n.start();
		t.answer(Object.fromEntries(users.slice(0, 10).map(({ user_id }) => [user_id, { delayMs: 400_000 }])));
		await t.polls(n8n, 12, 10 * MINUTE);
		t.used.sandbox.requests.length = 0;
		const begun = t.time.elapsed;
		await n8n.tick();
		expect(t.time.elapsed - begun).toBe(scheduler === 'memory' ? 120_000 : 16_000);
		expect(t.readingRequests().slice(0, 5)).toEqual(users.slice(10).map(({ user_id }) => user_id));
	});

	it('one user with slow pages takes half a poll at most', async () => {
		const [slow] = t.users(2);
		t.used.sandbox.switches.pageSize = 1;
		for (let i = 0; i < 100; i++) t.measure(slow, 120, i * MINUTE);
		const n8n = t.trigger();
		await n8n.start();
		t.answer({ [slow.user_id]: { delayMs: scheduler === 'memory' ? 10_000 : 1000 } });
		const begun = t.time.elapsed;
		await n8n.tick();
		expect(t.time.elapsed - begun).toBeLessThanOrEqual(scheduler === 'memory' ? 160_000 : 19_000);
		expect(n8n.reported.at(-1)!.message).toContain('Reading one user takes longer than a poll may last');
	});

	it('a list of more pages than a limit allows in a poll: those at its beginning are read, and it is told', async () => {
		const users = t.users(20);
		t.used.sandbox.switches.userPageCap = 2;
		let [since, lists] = [0, 0];
		const ofList = () => {
			if (t.time.now - since >= MINUTE) [since, lists] = [t.time.now, 0];
			return ++lists > 10 ? throttle() : undefined;
		};
		t.answer({ '/v2/user?': ofList });
		const n8n = t.trigger(allUsers, { budgetMs: 36_000 });
		await n8n.start();
		await t.polls(n8n, 11, 6 * MINUTE);
		t.measure(users[0], 131);
		expect(systolics(await t.polls(n8n, 4, 6 * MINUTE))).toEqual([131]);
		expect(n8n.reported.at(-1)!.message).toContain('not reached for an hour');
	});

	describe('readings answer 429 for hours while the list answers', () => {
		const event = 'bloodPressure';
		const one = (userId: string): INodeParameters => ({ event, userScope: 'one', user: byUserId(userId) });
		const cases: Array<[string, number]> = [
			['the whole team', 1],
			['every second user', 2],
			['one user', 100],
			['the one User', 0],
		];
		const both = cases.flatMap(([who, every]) => [undefined, 40].map((seconds) => [who, every, seconds] as const));
		it.each(both)('%s (%i), Retry-After %s: told each hour, and the others are read', async (_, every, seconds) => {
			const users = t.users(6);
			const n8n = t.trigger(every === 0 ? one(users[0].user_id) : allUsers);
			const lastRead = iso(t.time.now).slice(0, 16).replace('T', ' ');
			await n8n.start();
			const limited = users.filter((_, i) => i % (every || 1) === 0);
			t.answer(Object.fromEntries(limited.map(({ user_id }) => [user_id, throttle(seconds)])));
			// Tells whoever was not read for an hour.
			await t.polls(n8n, 4, 20 * MINUTE);
			for (let hour = 2; hour < 4; hour++) {
				const before = n8n.reported.length;
				t.measure(users[1], 120 + hour);
				t.used.sandbox.requests.length = 0;
				const rows = await t.polls(n8n, 3, 20 * MINUTE);
				const tries = t.used.sandbox.requests.filter((url) => url.includes(`timeseries/${limited[0].user_id}`));
				expect(tries.length).toBeLessThanOrEqual(3);
				expect(systolics(rows)).toEqual(every > 1 ? [120 + hour] : []);
				expect(n8n.reported).toHaveLength(before + 1);
				expect(n8n.reported.at(-1)!.message).toMatch(/limit|many requests/i);
				const { description } = n8n.reported.at(-1)!;
				expect(description).toMatch(`Not read: ${limited[0].user_id} since ${lastRead}`);
				expect(description!.includes('New readings of all other users go out')).toBe(every > 1);
			}
			expect(t.errors).toEqual([]);
		});
	});

	it('Resolve of the one User answers 429 for hours: told by the name of the field', async () => {
		t.users(1);
		const n8n = t.trigger({ event: 'bloodPressure', userScope: 'one', user: byClientId('user 0') });
		await n8n.start();
		t.answer({ '/resolve/': throttle() });
		await t.polls(n8n, 4, 20 * MINUTE);
		expect(n8n.reported.at(-1)!.description).toContain("Not read: the 'User' since");
	});

	describe('an entry of Listed Users whose Resolve', () => {
		const listing = (count: number): INodeParameters => ({
			event: 'bloodPressure',
			userScope: 'listed',
			usersBy: 'clientUserId',
			userIds: [...Array.from({ length: count }, (_, i) => `user ${i}`), 'nobody'].join(),
		});
		it.each<[string, number, string, Fault]>([
			['of three hangs', 3, 'user%201', { delayMs: 400_000 }],
			['of twenty, the only one not on the list, hangs', 19, 'nobody', { delayMs: 400_000 }],
			['of three, the first, answers 429', 3, 'user%200', throttle()],
		])('%s: the others are read, and it is told', async (_, count, part, fault) => {
			const users = t.users(count);
			const n8n = t.trigger(listing(count));
			await n8n.start();
			n8n.reported.length = 0;
			t.answer({ [`/resolve/${part}`]: fault });
			for (let poll = 0; poll < 2; poll++) {
				t.measure(users[2], 130 + poll);
				expect(systolics(await t.polls(n8n, 1, 40 * MINUTE))).toEqual([130 + poll]);
			}
			await t.polls(n8n, 1);
			expect(n8n.reported.length).toBeGreaterThan(0);
			expect(t.errors).toEqual([]);
		});
	});

	it("one user's Retry-After of an hour holds up nobody else", async () => {
		const users = t.users(12);
		const n8n = t.trigger();
		await n8n.start();
		t.answer({ [users[3].user_id]: { status: 503, headers: { 'retry-after': '3600' } } });
		for (let poll = 0; poll < 4; poll++) {
			t.used.sandbox.requests.length = 0;
			users.forEach((user, i) => t.measure(user, 100 + i));
			expect(await t.polls(n8n, 1)).toHaveLength(11);
			// The list, or a user who was read, tells whose it is.
			const lists = t.used.sandbox.requests.filter((url) => url === '/v2/user?limit=1');
			expect(lists.length).toBeLessThanOrEqual(1);
			expect(t.readingRequests().filter((id) => id === users[3].user_id)).toHaveLength(1);
		}
		t.answer({});
		expect(await t.polls(n8n, 1)).toHaveLength(4);
	});

	it('one 429 of one user: the next poll reads that user, before those who hang', async () => {
		const users = t.users(9);
		const n8n = t.trigger({ ...allUsers, options: { concurrency: 1 } });
		await n8n.start();
		const hanging = Object.fromEntries(users.slice(1, 7).map(({ user_id }) => [user_id, { delayMs: 400_000 }]));
		t.answer(hanging);
		await t.polls(n8n, 8);
		t.answer({ ...hanging, [users[0].user_id]: throttle() });
		t.measure(users[0], 131);
		expect(await t.polls(n8n, 1)).toEqual([]);
		t.answer(hanging);
		expect(systolics(await t.polls(n8n, 1))).toEqual([131]);
	});

	it('retries for one user who answers 500 use up the limit of all: the others are read by the next poll', async () => {
		const users = t.users(3);
		const n8n = t.trigger();
		await n8n.start();
		let left = 0;
		t.answer({
			'': (url) => {
				left--;
				if (left < 0) return throttle(Math.ceil((HOUR - (t.time.elapsed % HOUR)) / 1000));
				return url.includes(users[1].user_id) ? { status: 500 } : undefined;
			},
		});
		for (const systolic of [131, 132]) {
			t.measure(users[2], systolic);
			left = 5;
			await t.polls(n8n, 1, HOUR);
		}
		expect(systolics(t.rows)).toEqual([131, 132]);
	});

	it("a Retry-After of all pauses all, and is not a user's", async () => {
		const users = t.users(12);
		const n8n = t.trigger();
		await n8n.start();
		t.answer({ '': throttle(600) });
		await t.polls(n8n, 1);
		const before = t.used.sandbox.requests.length;
		await t.polls(n8n, 5);
		expect(t.used.sandbox.requests).toHaveLength(before);
		t.answer({});
		users.forEach((user, i) => t.measure(user, 100 + i));
		expect(await t.polls(n8n, 6)).toHaveLength(12);
		expect(n8n.reported).toHaveLength(1);
	});

	it('after a night without poll times, no report says that a round takes the night', async () => {
		t.users(20);
		t.used.sandbox.switches.latencyMs = scheduler === 'durable' ? 4000 : 40_000;
		const n8n = t.trigger({ ...allUsers, options: { concurrency: 2 } });
		await n8n.start();
		const everyMs = scheduler === 'durable' ? MINUTE : 6 * MINUTE;
		await t.polls(n8n, 12, everyMs);
		await t.time.pass(14 * HOUR);
		await t.polls(n8n, 8, everyMs);
		expect(n8n.reported).toEqual([]);
	});

	it('polls in the morning only: a user who is limited for days is told', async () => {
		const [, ben] = t.users(2);
		const n8n = t.trigger();
		await n8n.start();
		t.answer({ [ben.user_id]: throttle(600) });
		for (let day = 0; day < 4; day++) {
			await t.polls(n8n, 4, 15 * MINUTE);
			await t.time.pass(23 * HOUR);
		}
		expect(n8n.reported.length).toBeGreaterThan(0);
	});

	it('after a night without poll times, a user who is limited since the morning is told within the hour', async () => {
		const [user] = t.users(2);
		const n8n = t.trigger();
		await n8n.start();
		await t.polls(n8n, 2);
		await t.time.pass(12 * HOUR);
		await t.polls(n8n, 2);
		t.answer({ [user.user_id]: throttle() });
		await t.polls(n8n, 5, 15 * MINUTE);
		expect(n8n.reported).toHaveLength(1);
	});

	it('a list that is not read to its end for hours is told each hour, though all users within reach are read', async () => {
		t.users(4);
		t.used.sandbox.switches.userPageCap = 2;
		t.answer({ 'offset=2': { delayMs: 10 * HOUR } });
		const n8n = t.trigger();
		await n8n.start();
		await t.polls(n8n, 10, 20 * MINUTE);
		expect(n8n.reported.length).toBeGreaterThan(1);
		for (const { message } of n8n.reported) expect(message).toContain('The last users of the list were not reached');
	});

	it('a list that is not read to its end for an hour is told, and so is a round that takes longer', async () => {
		t.users(60);
		const n8n = t.trigger({ ...allUsers, options: { requestsPerSecond: 0.1 } }, { budgetMs: 36_000 });
		await n8n.start();
		await t.polls(n8n, 4, 25 * MINUTE);
		expect(n8n.reported).toHaveLength(1);
		expect(n8n.reported[0].message).toMatch(
			/^The readings of \d+ users could not be read\. .* 'Requests per Second'\. The last users of the list were not reached for an hour\.$/,
		);
		expect(n8n.reported[0]).toMatchObject({
			description: expect.stringMatching(
				/^Not read: [\w-]{36} since .* \(times in UTC\)\. New readings of all other users go out\. The missing/,
			),
			failure: { cause: 'temporarily-unavailable' },
		});
		await t.polls(n8n, 8, 25 * MINUTE);
		expect(n8n.reported).toHaveLength(1);
		t.answer({ timeseries: { status: 500 } });
		await t.polls(n8n, 1);
		expect(n8n.reported[1].message).toContain('(status 500)');
		expect(n8n.reported[1].message).not.toContain('end before their turn');
		t.answer({});
		await t.time.pass(24 * HOUR);
		await t.polls(n8n, 4, 25 * MINUTE);
		expect(n8n.reported).toHaveLength(3);
	});

	it('entries that no poll has reached are told by their positions', async () => {
		const userIds = t.users(20).map(({ client_user_id }) => client_user_id);
		const listed = { userScope: 'listed', usersBy: 'clientUserId', userIds: userIds.join() };
		const options = { requestsPerSecond: 0.1 };
		const n8n = t.trigger({ event: 'bloodPressure', ...listed, options }, { budgetMs: 36_000 });
		await n8n.start();
		await t.polls(n8n, 4, 25 * MINUTE);
		expect(n8n.reported[0].description).toMatch(
			/^Not read: (entry \d+ of 'User IDs' since [\d :-]+(, )?){5} and \d+ more/,
		);
	});
});
