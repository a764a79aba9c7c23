/** Corners of the trigger in which readings were lost, went out too old, or one answer stopped everybody. */
import type { INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import type { Fault } from '../../dev/sandbox/switches';
import { uuid } from '../../dev/sandbox/world';
import { createUser } from '../helpers/people';
import type { PollingHost } from '../helpers/pollingHost';
import { byUserId } from '../helpers/requests';
import { allUsers, HOUR, iso, MINUTE, onBothSchedulers, timeline } from '../helpers/watch';

const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

onBothSchedulers((scheduler) => {
	const t = timeline(scheduler);
	const systolics = (rows: Array<Record<string, unknown>>) => rows.map(({ systolic }) => systolic);

	it('who joins a team in which nobody measured for ten days brings nothing older than the lookback', async () => {
		t.users(2);
		const n8n = t.trigger();
		await n8n.start();
		await t.polls(n8n, 4, 2 * DAY);
		await t.polls(n8n, 2, DAY / 2);
		const carl = t.history.addUser('carl');
		for (const days of [9, 6, 3, 1]) t.measure(carl, 100 + days, days * DAY);
		expect(systolics(await t.polls(n8n, 2))).toEqual([101]);
	});

	it('a user who appears on the list days after `created_on` is new; those who were there are not', async () => {
		t.history.addUser('there', iso(t.time.now - 30 * DAY));
		const n8n = t.trigger({ event: 'user' });
		await n8n.start();
		await t.polls(n8n, 1);
		t.history.addUser('late', iso(t.time.now - 5 * DAY));
		t.history.addUser('zero', '0001-01-01T00:00:00Z');
		expect((await t.polls(n8n, 3)).map(({ client_user_id }) => client_user_id)).toEqual(['zero', 'late']);
	});

	it('New User: who was there is not new when the service changes `created_on`', async () => {
		const there = t.history.addUser('there', iso(t.time.now - 30 * DAY));
		const n8n = t.trigger({ event: 'user' });
		await n8n.start();
		await t.polls(n8n, 5, DAY);
		there.created_on = iso(t.time.now);
		expect(await t.polls(n8n, 2)).toEqual([]);
	});

	it('New User: until the list was read once, users are noted, unless they are created after the publication', async () => {
		t.history.addUser('there', iso(t.time.now - 30 * DAY));
		t.answer({ '/v2/user': { status: 503 } });
		const n8n = t.trigger({ event: 'user' });
		await n8n.start();
		await t.time.pass(HOUR);
		t.history.addUser('created', iso(t.time.now));
		t.answer({});
		expect((await t.polls(n8n, 2)).map(({ client_user_id }) => client_user_id)).toEqual(['created']);
	});

	it.each<[string, number, string, Fault, number]>([
		['takes longer than a poll', 18, '/v2/user?', { delayMs: 14_400 }, 8],
		['has a page that hangs', 4, 'offset=1', { delayMs: 10 * HOUR }, 8],
	])('a list that %s: the users at its beginning are read in each pass', async (_, count, part, fault, polls) => {
		const users = t.users(count);
		t.used.sandbox.switches.userPageCap = count > 10 ? 1 : 2;
		const n8n = t.trigger(allUsers, { budgetMs: 36_000 });
		await n8n.start();
		t.answer({ [part]: fault });
		await t.polls(n8n, 4, 6 * MINUTE);
		t.measure(users[0], 131);
		expect([systolics(await t.polls(n8n, polls, 6 * MINUTE)), t.errors]).toEqual([[131], []]);
	});

	it('a key of another team, and a list that takes most of a poll: the trigger starts over once', async () => {
		t.users(6);
		t.used.sandbox.switches.userPageCap = 1;
		const n8n = t.trigger();
		await n8n.start();
		t.history.team.users = t.users(6).map((user, i) => ({ ...user, user_id: uuid('new', i), team_id: uuid('new') }));
		t.answer({ '/v2/user?': { delayMs: scheduler === 'memory' ? 50_000 : 8000 } });
		await t.polls(n8n, 6, 6 * MINUTE);
		expect([t.errors, n8n.reported]).toMatchObject([[], [{ message: expect.stringContaining('another team') }]]);
	});

	describe('a poll has started over for a key of another team', () => {
		/** The list of the other team has one user, with a reading of two hours ago; nobody is read yet. */
		const startedOver = async (event: string) => {
			t.users(2);
			const n8n = t.trigger({ ...allUsers, event });
			await n8n.start();
			const carl = { ...createUser('carl', []), team_id: uuid('new') };
			t.history.team.users = [carl];
			t.measure(carl, 101, 2 * HOUR);
			expect(await t.polls(n8n, 1)).toEqual([]);
			expect(n8n.reported).toHaveLength(1);
			return n8n;
		};

		it.each<[string, string, object]>([
			['user', 'client_user_id', ['dora']],
			['bloodPressure', 'systolic', [102]],
		])('%s: who joins before the next poll is new, who was there is not', async (event, column, expected) => {
			const n8n = await startedOver(event);
			const dora = t.history.addUser('dora', iso(t.time.now - 5 * DAY));
			t.measure(dora, 102, HOUR);
			expect((await t.polls(n8n, 3)).map((row) => row[column])).toEqual(expected);
		});

		it('the next poll reads nobody, with a `Date` that is a day behind: nothing old is new', async () => {
			const n8n = await startedOver('bloodPressure');
			t.used.sandbox.switches.date = () => t.time.now - DAY;
			t.answer({ timeseries: { status: 500 } });
			await t.polls(n8n, 1);
			t.answer({});
			t.used.sandbox.switches.date = undefined;
			expect(systolics([...t.rows, ...(await t.polls(n8n, 2))])).toEqual([]);
		});
	});

	describe('a user whose read takes more than a third of a poll', () => {
		const FAILS: Fault = { status: 422 };
		const pages: Fault = { delayMs: scheduler === 'memory' ? 9000 : 1400 };
		it.each<[string, boolean, (slow: string, other: string) => Record<string, Fault>]>([
			['fails once', false, (slow) => ({ [slow]: FAILS })],
			['is read while another one fails', false, (slow, other) => ({ [other]: FAILS, [slow]: pages })],
			['is read when n8n starts', true, (slow) => ({ [slow]: { delayMs: 9000 } })],
		])('%s: is read again', async (_, isStart, faults) => {
			const [other, slow] = t.users(2);
			t.used.sandbox.switches.pageSize = 1;
			for (let i = 0; i < 12; i++) t.measure(slow, 100 + i, i * MINUTE);
			const n8n = t.trigger();
			await n8n.start();
			t.answer(faults(slow.user_id, other.user_id));
			if (isStart) n8n.kill();
			if (isStart) await n8n.start('init');
			else await t.polls(n8n, 2, 6 * MINUTE);
			t.answer({ ...faults(slow.user_id, other.user_id), [slow.user_id]: pages });
			t.measure(slow, 132);
			expect(systolics(await t.polls(n8n, 4, 6 * MINUTE))).toEqual([132]);
		});
	});

	describe('two entries of User IDs for one user', () => {
		const listed = { event: 'bloodPressure', userScope: 'listed', usersBy: 'clientUserId' };
		const anna = () => t.history.addUser('anna');
		const as = (user: User): Fault => ({ status: 200, body: user });

		it.each(['anna,Anna', 'Anna,anna'])('%s, one resolved ten days later: nothing goes out again', async (userIds) => {
			const user = anna();
			t.answer({ '/resolve/Anna': { status: 429 } });
			const n8n = t.trigger({ ...listed, userIds });
			await n8n.start();
			for (let day = 0; day < 10; day += 2) {
				t.measure(user, 120 + day);
				await t.polls(n8n, 1, 2 * DAY);
			}
			t.answer({ '/resolve/Anna': as(user), '/resolve/anna': { status: 404 } });
			expect([t.rows.length, await t.polls(n8n, 3)]).toEqual([5, []]);
		});

		it.each(['anna,Anna', 'Anna,anna', 'Anna'])('%s, in place of anna: a late reading goes out', async (userIds) => {
			const user = anna();
			t.answer({ '/resolve/Anna': as(user) });
			const n8n = t.trigger({ ...listed, userIds: 'anna' });
			await n8n.start();
			await t.polls(n8n, 4, DAY);
			t.measure(user, 131, 40 * HOUR);
			n8n.parameters = { ...listed, userIds };
			t.rows.push(...((await n8n.start('update')) ?? []));
			await t.polls(n8n, 2);
			expect(systolics(t.rows)).toEqual([131]);
		});

		it('who fails: the report says when the user was read last', async () => {
			const user = anna();
			const n8n = t.trigger({ ...listed, userIds: 'Anna,anna' });
			t.answer({ '/resolve/Anna': as(user) });
			await n8n.start();
			const last = iso(t.time.now).slice(0, 16).replace('T', ' ');
			t.answer({ '/resolve/Anna': as(user), timeseries: { status: 422 } });
			await t.polls(n8n, 10, 20 * MINUTE);
			expect(n8n.reported.length).toBeGreaterThan(2);
			for (const { description } of n8n.reported) expect(description).toContain(`since ${last}`);
		});
	});

	it.each<[string, (n8n: PollingHost) => unknown]>([
		['n8n starts again', async (n8n) => [n8n.kill(), t.rows.push(...((await n8n.start('init')) ?? []))]],
		["n8n's clock goes back an hour", () => (t.time.error = -HOUR)],
		[
			'Lookback Hours becomes 49',
			async (n8n) => {
				n8n.parameters = { ...allUsers, options: { lookback: 49 } };
				t.rows.push(...((await n8n.start('update')) ?? []));
			},
		],
	])('who joined brings nothing older than the lookback: not when %s either', async (_, change) => {
		t.users(2);
		t.used.sandbox.switches.date = t.used.sandbox.switches.now = () => t.time.now;
		const n8n = t.trigger();
		await n8n.start();
		await t.polls(n8n, 3, 2 * DAY);
		await t.polls(n8n, 2);
		const carl = t.history.addUser('carl');
		t.measure(carl, 190, 60 * HOUR);
		await t.polls(n8n, 2);
		await change(n8n);
		await t.polls(n8n, 2);
		expect(t.rows).toEqual([]);
	});

	it('one User and one request at a time, and a limit of all: the report tells of no list', async () => {
		const [{ user_id }] = t.users(1);
		const one = { event: 'bloodPressure', userScope: 'one', user: byUserId(user_id) };
		const n8n = t.trigger({ ...one, options: { concurrency: 1 } });
		await n8n.start();
		t.answer({ '': { status: 429, headers: { 'retry-after': '3000' } } });
		await t.polls(n8n, 12, 20 * MINUTE);
		expect(n8n.reported.at(-1)!.message).not.toContain('list');
	});

	it("n8n's clock goes back 55 minutes while a user fails: told after an hour", async () => {
		const [{ user_id }] = t.users(2);
		t.used.sandbox.switches.date = t.used.sandbox.switches.now = () => t.time.now;
		const n8n = t.trigger();
		await n8n.start();
		t.answer({ [user_id]: { status: 422 } });
		await t.polls(n8n, 1, 55 * MINUTE);
		t.time.error = -55 * MINUTE;
		await t.polls(n8n, 10, 6 * MINUTE);
		expect(n8n.reported).toHaveLength(2);
	});

	describe('a malformed value', () => {
		const deep = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
		const evil: unknown = JSON.parse('{"toString": null}');
		const point = { timestamp: '2026-06-01T12:00:00Z', systolic: 120, diastolic: 80, unit: 'mmHg' };
		const source = { provider: 'omron', type: 'cuff' };
		it.each<[string, object, object]>([
			['systolic', { ...point, systolic: evil }, source],
			['a deep systolic', { ...point, systolic: deep(20_000) }, source],
			['unit', { ...point, unit: evil }, source],
			['timestamp', { ...point, timestamp: evil }, source],
			['source.type', point, { ...source, type: evil }],
			['source.provider', point, { ...source, provider: evil }],
		])('in %s is the error of its user', async (_, data, from) => {
			const users = t.users(3);
			const n8n = t.trigger({ ...allUsers, limits: { high: { systolic: 100, diastolic: null } } });
			await n8n.start();
			const groups = { omron: [{ source: from, data: [data] }] };
			// The sandbox's own JSON does not go so deep.
			const body = text({ groups, next_cursor: null });
			t.answer({ [users[0].user_id]: { status: 200, body, type: 'application/json' } });
			t.measure(users[1], 121);
			expect(systolics(await t.polls(n8n, 2)).filter((one) => typeof one === 'number')).toContain(121);
			expect(t.errors).toEqual([]);
			for (const { description } of n8n.reported) expect(description).toContain(users[0].user_id);
		});

		it('in `created_on` stops no other user', async () => {
			const [there] = t.users(1);
			const n8n = t.trigger({ event: 'user' });
			await n8n.start();
			const odd = { ...there, user_id: 'odd', created_on: { toString: null } };
			const users = [there, odd, { ...t.history.addUser('new'), created_on: iso(t.time.now) }];
			t.used.sandbox.switches.fault = (_, url) => {
				const offset = Number(/[?&]offset=(\d+)/.exec(url)?.[1] ?? 0);
				return { status: 200, body: { users: users.slice(offset), total: 3 } };
			};
			t.used.sandbox.switches.date = () => t.time.now;
			const rows = await t.polls(n8n, 2);
			expect(rows.map(({ client_user_id }) => client_user_id)).toContain('new');
			expect(t.errors).toEqual([]);
		});
	});

	describe('a clock', () => {
		const listed: INodeParameters = { event: 'bloodPressure', userScope: 'listed', usersBy: 'userId' };
		const scopes: Array<[string, (ids: string[]) => INodeParameters]> = [
			['All Users', () => allUsers],
			['Listed Users', (ids) => ({ ...listed, userIds: ids.join() })],
			['One User', ([id]) => ({ event: 'bloodPressure', userScope: 'one', user: byUserId(id) })],
		];
		/** n8n's clock is wrong; the service's is right. */
		const wrong = (ms: number) => {
			t.time.error = ms;
			t.used.sandbox.switches.now = () => t.time.now;
		};

		it.each(scopes)(
			"of n8n a year ahead at publication, the service's right: nothing is lost or old: %s",
			async (_, of) => {
				const users = t.users(2);
				t.measure(users[0], 90, HOUR);
				wrong(YEAR);
				const n8n = t.trigger(of(users.map(({ user_id }) => user_id)));
				await n8n.start();
				await t.time.pass(MINUTE);
				for (let hour = 0; hour < 3; hour++) {
					t.measure(users[0], 121 + hour);
					await t.polls(n8n, 1, HOUR);
				}
				wrong(0);
				t.measure(users[0], 130);
				await t.polls(n8n, 2);
				expect(systolics(t.rows)).toEqual([121, 122, 123, 130]);
			},
		);
	});

	it('a provider that changes during an outage, by an expression: what is measured since goes out', async () => {
		const users = t.users(2);
		const of = (value: string): INodeParameters => ({ ...allUsers, provider: { __rl: true, mode: 'slug', value } });
		const n8n = t.trigger(of('withings'));
		await n8n.start();
		t.answer({ '': { status: 500 } });
		n8n.parameters = of('omron');
		// In memory, n8n evaluates expressions at a start.
		if (scheduler === 'memory') await n8n.start('update');
		await t.polls(n8n, 2);
		t.measure(users[0], 121);
		await t.polls(n8n, 2);
		t.answer({});
		expect(systolics(await t.polls(n8n, 3))).toEqual([121]);
	});
});

describe('durable, with a budget of exactly five minutes at poll times', () => {
	const t = timeline('durable');

	it('a poll time is no start: an outage is an error of the poll', async () => {
		t.users(1);
		const n8n = t.trigger(allUsers, { budgetMs: 300_000 });
		await n8n.start();
		await t.polls(n8n, 1);
		t.answer({ '': { status: 500 } });
		await t.polls(n8n, 2, 10 * MINUTE);
		expect(t.errors).toHaveLength(2);
	});
});

/** JSON of any depth. */
function text(value: unknown): string {
	if (Array.isArray(value) && Array.isArray(value[0]) && value.length === 1) {
		let depth = 0;
		for (let one: unknown = value; Array.isArray(one); [one] = one) depth++;
		return '['.repeat(depth) + ']'.repeat(depth);
	}
	if (Array.isArray(value)) return `[${value.map(text).join()}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	return `{${Object.entries(value)
		.map(([name, one]) => `${JSON.stringify(name)}:${text(one)}`)
		.join()}}`;
}
