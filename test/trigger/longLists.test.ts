/** A user list that a poll cannot read to its end: users within reach are read again and again, and nobody seems to have joined. */
import type { Fault } from '../../dev/sandbox/switches';
import { uuid } from '../../dev/sandbox/world';
import { createUser } from '../helpers/people';
import { allUsers, HOUR, MINUTE, onBothSchedulers, timeline, valuesOf, watch } from '../helpers/watch';

/** One poll sends requests for one second: with two of 100 ms at once that is about 15 users. */

const INVALID: Fault = { status: 422, body: { detail: [{ loc: ['path', 'user_id'] }] } };
const limited = (seconds: number): Fault => ({ status: 429, headers: { 'retry-after': String(seconds) } });

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	it.each(['bloodPressure', 'user'])(
		'limited in the first pass, for hours: nothing old goes out (%s)',
		async (event) => {
			w.history.add(w.ben, w.reading(-20 * 60, 190));
			const { switches } = w.used.sandbox;
			switches.userPageCap = 1;
			switches.fault = (_, url) => (Number(/offset=(\d+)/.exec(url)?.[1] ?? 0) > 0 ? limited(3600) : undefined);
			const n8n = w.trigger({ ...allUsers, event });
			await n8n.start();
			for (let poll = 0; poll < 3; poll++) {
				if (poll === 2) switches.fault = () => undefined;
				w.pass(61 * MINUTE);
				await n8n.tick();
			}
			expect(n8n.executions.flat()).toEqual([]);
		},
	);

	it('limited, and a user of the first page fails: the others of that page are read', async () => {
		w.history.addUser('carl');
		const { switches } = w.used.sandbox;
		switches.userPageCap = 2;
		const n8n = w.trigger();
		await n8n.start();
		w.pass(MINUTE);
		switches.fault = (_, url) => (url.includes(w.anna.user_id) ? INVALID : undefined);
		await n8n.tick();
		switches.fault = (_, url) => {
			if (url.includes(w.anna.user_id)) return INVALID;
			return url.includes('/v2/user?offset=1') ? limited(290) : undefined;
		};
		const values = [190, 191, 192, 193, 194, 195];
		for (const value of values) {
			w.pass(5 * MINUTE);
			w.history.add(w.ben, w.reading(-1, value));
			await n8n.tick();
		}
		expect(valuesOf(n8n.executions.flat())).toEqual(expect.arrayContaining(values.slice(0, 5)));
		// The user is sound again.
		switches.fault = (_, url) => (url.includes('/v2/user?offset=1') ? limited(290) : undefined);
		w.history.add(w.anna, w.reading(0, 200));
		for (let poll = 0; poll < 6; poll++) {
			w.pass(5 * MINUTE);
			await n8n.tick();
		}
		expect(valuesOf(n8n.executions.flat())).toContain(200);
	});

	it('longer than a poll, for listed client user IDs: each is read all the same', async () => {
		const team = Array.from({ length: 300 }, (_, i) => w.history.addUser(`user ${i}`));
		const listed = team.slice(-60);
		const userIds = listed.map(({ client_user_id }) => client_user_id).join();
		const parameters = { event: 'bloodPressure', userScope: 'listed', usersBy: 'clientUserId', userIds };
		const { switches } = w.used.sandbox;
		const n8n = w.trigger(parameters, { budgetMs: 36_000 });
		await n8n.start();
		switches.userPageCap = 6;
		switches.latencyMs = 450;
		for (const user of listed) w.history.add(user, w.reading(0));
		for (let poll = 0; poll < 3; poll++) {
			w.pass(5 * MINUTE);
			await n8n.tick();
		}
		expect(n8n.executions.flat()).toHaveLength(60);
		expect(n8n.reported).toEqual([]);
	});

	it('a page of new users of another team, and the next page is limited: nothing starts over', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.pass(HOUR);
		w.history.add(w.anna, w.reading(-5, 190));
		const strangers = ['dora', 'emil'].map((name) => ({ ...createUser(name, []), team_id: uuid('other team') }));
		w.history.team.users = [...strangers, ...w.history.team.users];
		const { switches } = w.used.sandbox;
		switches.userPageCap = 2;
		for (let poll = 0; poll < 3; poll++) {
			switches.fault = (_, url) => (poll === 0 && url.includes('offset=1') ? limited(30) : undefined);
			await n8n.tick();
			w.pass(5 * MINUTE);
		}
		expect(valuesOf(n8n.executions.flat())).toEqual([190]);
	});
});

onBothSchedulers((scheduler) => {
	const t = timeline(scheduler);

	it('at a low rate, a list that takes almost a whole poll: the users at its beginning are read', async () => {
		const users = t.users(20);
		t.used.sandbox.switches.userPageCap = 1;
		const n8n = t.trigger({ ...allUsers, options: { requestsPerSecond: 0.5 } }, { budgetMs: 36_000 });
		await n8n.start().catch(() => undefined);
		await t.polls(n8n, 10, 6 * MINUTE);
		t.rows.length = 0;
		for (const user of users.slice(0, 3)) t.measure(user, 190);
		await t.polls(n8n, 10, 6 * MINUTE);
		expect([t.errors, t.rows.length]).toEqual([[], 3]);
	});
});
