/** Corners of the trigger in which readings were lost, went out too old, or one answer stopped everybody. */
import type { INodeParameters } from 'n8n-workflow';
import { byUserId } from '../helpers/requests';
import { timeline } from '../helpers/timeline';
import { allUsers, HOUR, iso, MINUTE, onBothSchedulers } from '../helpers/watch';

const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

onBothSchedulers((scheduler) => {
	const t = timeline(scheduler);
	const systolics = (rows: Array<Record<string, unknown>>) => rows.map(({ systolic }) => systolic);

	it('who joins a team in which nobody measured for ten days brings nothing older than the lookback', async () => {
		t.users(2);
		const n8n = t.trigger();
		await n8n.start();
		await t.polls(n8n, 20, DAY / 2);
		const carl = t.history.addUser('carl');
		for (const days of [9, 6, 3, 1]) t.measure(carl, 100 + days, days * DAY);
		expect(systolics(await t.polls(n8n, 2))).toEqual([101]);
	});

	it('a user who appears on the list days after `created_on` is new; those who were there are not', async () => {
		t.history.addUser('there', iso(t.time.now - 30 * DAY));
		const n8n = t.trigger({ event: 'user' });
		await n8n.start();
		t.history.addUser('late', iso(t.time.now - 5 * DAY));
		expect((await t.polls(n8n, 3)).map(({ client_user_id }) => client_user_id)).toEqual(['late']);
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
			const n8n = t.trigger({ ...allUsers, options: { minSystolic: 100 } });
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

		it('in `created_on` is the error of its user', async () => {
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
			expect([t.errors, n8n.reported.length]).toEqual([[], 1]);
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

		it.each<[string, number, number]>([
			["of n8n a day behind at publication, the service's right", -DAY, 0],
			['of the service a day behind at publication', 0, -DAY],
		])('%s: what was there does not go out', async (_, n8nError, serviceError) => {
			const users = t.users(3);
			for (const user of users) t.measure(user, 90, HOUR);
			wrong(n8nError);
			t.used.sandbox.switches.date = () => t.time.now + serviceError;
			const n8n = t.trigger();
			await n8n.start();
			wrong(0);
			t.used.sandbox.switches.date = undefined;
			await t.polls(n8n, 3);
			expect(systolics(t.rows)).toEqual([]);
			t.measure(users[1], 121);
			expect(systolics(await t.polls(n8n, 1))).toEqual([121]);
		});
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
