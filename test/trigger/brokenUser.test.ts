/** Failed user: the readings of all others are emitted in the same poll, theirs after recovery, and the failure is reported. */
import type { TroubleName } from '../../dev/sandbox/troubles';
import { SeenReadings } from '../../nodes/HealthDataService/trigger/seen';
import { everythingIn, n8nLogger } from '../helpers/machine';
import { allUsers, failedUsers, HOUR, MINUTE, onBothSchedulers, savedState, valuesOf, watch } from '../helpers/watch';

const STATUSES: TroubleName[] = ['fails', 'refused', 'invalid', 'missing', 'lostOnPageTwo', 'failsOnPageTwo'];
const REDIRECTS: TroubleName[] = ['redirected', 'redirectedNowhere', 'notModified'];
const BODIES: TroubleName[] = ['cut', 'repeatedCursor', 'webPage', 'nullGroups', 'numberCursor'];

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const troubled = (users: Record<string, TroubleName>) => {
		w.used.sandbox.switches.users = users;
	};

	it.each([...STATUSES, ...REDIRECTS, ...BODIES])(
		'%s: the readings of others are emitted in the same poll, those of the user once readable',
		async (trouble) => {
			w.used.sandbox.switches.pageSize = 2;
			const n8n = w.trigger();
			await n8n.start();
			for (let i = 0; i < 3; i++) w.history.add(w.anna, w.reading(i, 120 + i));
			w.history.add(w.ben, w.reading(0, 140));
			w.pass(5 * MINUTE);

			troubled({ anna: trouble });
			expect(valuesOf(await n8n.tick())).toEqual([140]);
			expect(n8n.reported).toHaveLength(1);
			expect(n8n.reported[0]).toMatchObject({
				message: expect.stringMatching(/^The readings of 1 user could not be read\. ./),
				description: expect.stringContaining(`Not read: ${w.anna.user_id} since 2026-06-01 12:00 (times in UTC). `),
				failure: { cause: expect.any(String) },
			});
			expect(JSON.stringify(n8n.reported)).not.toContain('anna');
			w.history.add(w.ben, w.reading(0, 141));
			expect(valuesOf(await n8n.tick())).toEqual([141]);

			troubled({});
			expect(valuesOf(await n8n.tick())).toEqual([120, 121, 122]);
			expect(await n8n.tick()).toBeUndefined();
			expect(n8n.reported).toHaveLength(1);
			expect(failedUsers(savedState(n8n))).toBe(0);
		},
	);

	it('fails for some attempts only: read in the same poll, and nothing is reported', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 120));
		let left = 4;
		w.used.sandbox.switches.fault = (_, url) =>
			url.includes(w.anna.user_id) && left-- > 0 ? { status: 502 } : undefined;
		expect(valuesOf(await n8n.tick())).toEqual([120]);
		expect(n8n.reported).toEqual([]);
	});

	it('a fault of the code: reported and logged without its message, and others go out', async () => {
		const logged = jest.spyOn(n8nLogger(), 'error').mockImplementation();
		const n8n = w.trigger();
		await n8n.start();
		const { changes } = SeenReadings.prototype;
		const fails = jest.spyOn(SeenReadings.prototype, 'changes').mockImplementation(function (this: never, ...given) {
			if (given[1].some(({ user_id }) => user_id === w.anna.user_id)) throw new TypeError('"151/93" is no list');
			return changes.apply(this, given);
		});
		w.history.add(w.anna, w.reading(0, 120));
		w.history.add(w.ben, w.reading(0, 140));
		expect(valuesOf(await n8n.tick())).toEqual([140]);
		expect(await n8n.tick()).toBeUndefined();
		expect(n8n.reported).toMatchObject([
			{ message: "The readings of 1 user could not be read. This user's data could not be processed." },
		]);
		expect(logged.mock.calls).toEqual([[expect.stringMatching(/^Workflow "Test", node "Node": TypeError at /)]]);
		expect(everythingIn([n8n.reported, logged.mock.calls])).not.toContain('151/93');
		fails.mockRestore();
		expect(valuesOf(await n8n.tick())).toEqual([120]);
	});

	it('has a single attempt once known to fail', async () => {
		const n8n = w.trigger();
		await n8n.start();
		troubled({ anna: 'fails' });
		await n8n.tick();
		w.used.sandbox.requests.length = 0;
		await n8n.tick();
		expect(w.readingRequests()).toEqual([w.ben.user_id, w.anna.user_id]);
	});

	it('has left while a poll runs: in the next poll, the others are read', async () => {
		const n8n = w.trigger();
		await n8n.start();
		const missing = { status: 404 };
		w.used.sandbox.switches.fault = (_, url) =>
			/\/ben$/.test(url) || url.includes(w.ben.user_id) ? missing : undefined;
		await n8n.tick();
		w.used.sandbox.switches.fault = () => undefined;
		w.history.removeUser(w.ben);
		w.history.add(w.anna, w.reading(0, 190));
		expect(valuesOf(await n8n.tick())).toEqual([190]);
		expect(n8n.reported).toEqual([]);
	});

	it('fails before any other user is answered: the others, in progress or waiting, are still read', async () => {
		for (let i = 0; i < 30; i++) w.history.addUser(`more ${i}`);
		const n8n = w.trigger();
		await n8n.start();
		for (const user of w.history.team.users) w.history.add(user, w.reading(0));
		w.used.sandbox.switches.fault = (_, url) => {
			if (url.includes(w.anna.user_id)) return { status: 500 };
			return url.includes('timeseries') ? { delayMs: 200 } : undefined;
		};
		expect(await n8n.tick()).toHaveLength(31);
		expect(n8n.reported[0].message).toMatch('of 1 user ');
	});

	it('fails while another user waits for a retry: that one is read in the next poll', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.ben, w.reading(0, 141));
		let isFirst = true;
		w.used.sandbox.switches.fault = (_, url) => {
			if (url.includes(w.anna.user_id)) return { status: 500 };
			if (!url.includes(w.ben.user_id) || !isFirst) return undefined;
			isFirst = false;
			return { status: 500, headers: { 'retry-after': '1' } };
		};
		// A Retry-After that the list does not have is one of this user only, who comes after the others in the next poll.
		expect(await n8n.tick()).toBeUndefined();
		expect(valuesOf(await n8n.tick())).toEqual([141]);
		expect(isFirst).toBe(false);
	});

	it.each<TroubleName>(['missing', 'fails'])(
		'%s for longer than the lookback: nothing is lost, though the window of the others has moved',
		async (trouble) => {
			const n8n = w.trigger({ ...allUsers, options: { lookback: 2 } });
			await n8n.start();
			w.history.add(w.anna, w.reading(0, 100));
			w.history.add(w.ben, w.reading(0, 200));
			expect(valuesOf(await n8n.tick())).toEqual([100, 200]);
			troubled({ anna: trouble });
			for (let day = 1; day <= 6; day++) {
				w.pass(24 * HOUR);
				w.history.add(w.anna, w.reading(0, 100 + day));
				w.history.add(w.ben, w.reading(0, 200 + day));
				expect(valuesOf(await n8n.tick())).toEqual([200 + day]);
			}
			n8n.kill();
			troubled({});
			expect(valuesOf(await n8n.start('init'))).toEqual(Array.from({ length: 6 }, (_, i) => 101 + i));
			expect(await n8n.tick()).toBeUndefined();
		},
	);

	it('has no state when gone from the team for the lookback', async () => {
		const n8n = w.trigger();
		await n8n.start();
		troubled({ anna: 'missing' });
		w.history.add(w.ben, w.reading(0));
		await n8n.tick();
		expect(failedUsers(savedState(n8n))).toBe(1);
		w.history.removeUser(w.anna);
		for (const failed of [1, 0]) {
			w.pass(49 * HOUR);
			w.history.add(w.ben, w.reading(0));
			await n8n.tick();
			expect(failedUsers(savedState(n8n))).toBe(failed);
		}
		expect(n8n.reported).toHaveLength(1);
	});

	it('is on the list, but neither readings nor Resolve know the user: told by the second poll, and nothing is lost', async () => {
		const n8n = w.trigger();
		await n8n.start();
		troubled({ anna: 'removed' });
		w.used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/') ? { status: 404 } : undefined);
		for (let poll = 0; poll < 4; poll++) {
			w.pass(poll < 2 ? MINUTE : 30 * HOUR);
			w.history.add(w.anna, w.reading(0, 120 + poll));
			expect((await n8n.tick()) ?? []).toEqual([]);
			expect(n8n.reported).toHaveLength(poll);
		}
		expect(n8n.reported[0].message).toContain('does not find a user of its list (status 404)');
		troubled({});
		w.used.sandbox.switches.fault = () => undefined;
		expect(valuesOf(await n8n.tick())).toEqual([120, 121, 122, 123]);
	});

	it('is not a user removed after the list was read', async () => {
		const n8n = w.trigger();
		await n8n.start();
		troubled({ anna: 'removed' });
		w.history.add(w.ben, w.reading(0));
		expect(await n8n.tick()).toHaveLength(1);
		expect(failedUsers(savedState(n8n))).toBe(0);
		expect(n8n.reported).toEqual([]);
	});

	it('is reported when all users fail, and nothing is lost', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		expect(await n8n.tick()).toHaveLength(1);
		w.history.add(w.anna, w.reading(1, 122));
		w.history.add(w.ben, w.reading(1, 123));
		w.pass(MINUTE);
		troubled({ anna: 'fails', ben: 'invalid' });
		expect(await n8n.tick()).toBeUndefined();
		expect(n8n.reported).toMatchObject([
			{ message: expect.stringMatching(/^The readings of 2 users could not be read\. ./) },
		]);
		troubled({});
		expect(valuesOf(await n8n.tick())?.sort()).toEqual([122, 123]);
	});

	it.each([
		['__proto__', '__proto__'],
		['constructor', 'constructor'],
		['toString', 'toString'],
		['long', 'x'.repeat(2000)],
	])('a user whose ID is %s stops no other, also when it cannot be read', async (_, user_id) => {
		const users = [{ ...w.anna, user_id, client_user_id: 'odd' }, w.ben];
		let status = 500;
		// The sandbox's own list has nothing but UUIDs.
		w.used.sandbox.switches.fault = (_, url) => {
			const offset = Number(/[?&]offset=(\d+)/.exec(url)?.[1] ?? 0);
			const body = { users: users.slice(offset), total: users.length, offset, limit: 500 };
			if (url.startsWith('/v2/user?')) return { status: 200, body };
			return url.includes(user_id) ? { status, body: { groups: {} } } : undefined;
		};
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.ben, w.reading(0, 121));
		w.pass(MINUTE);
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		expect(failedUsers(savedState(n8n))).toBe(1);
		status = 200;
		w.history.add(w.ben, w.reading(0, 122));
		w.pass(MINUTE);
		expect(valuesOf(await n8n.tick())).toEqual([122]);
		expect(failedUsers(savedState(n8n))).toBe(0);
	});

	it('one of many who can be read again at once: all are read in few polls', async () => {
		const names = Array.from({ length: 33 }, (_, i) => `user ${i}`);
		for (const name of [...names, 'a', 'b', 'c', 'd', 'e']) w.history.addUser(name);
		const n8n = w.trigger({ ...allUsers, options: { concurrency: 1 } }, { budgetMs: 36_000 });
		await n8n.start();
		w.used.sandbox.switches.users = Object.fromEntries(names.map((name) => [name, 'invalid' as const]));
		await n8n.tick();
		w.used.sandbox.switches.users = {};
		w.used.sandbox.switches.latencyMs = 2000;
		for (const user of w.history.team.users) w.history.add(user, w.reading(0));
		let polls = 0;
		while (n8n.executions.flat().length < 40 && polls < 15) {
			w.pass(MINUTE);
			await n8n.tick();
			polls++;
		}
		expect(polls).toBeLessThanOrEqual(7);
	});
});
