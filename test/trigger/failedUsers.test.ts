/**
 * Failed users, once or for long: the readings of all others are emitted in the same poll, theirs after recovery. Nobody fails in
 * silence, and no failing user uses up the polls of the others.
 */
import type { Fault } from '../../dev/sandbox/switches';
import type { TroubleName } from '../../dev/sandbox/troubles';
import { SeenReadings } from '../../nodes/HealthDataService/trigger/seen';
import { everythingIn, n8nLogger } from '../helpers/machine';
import { byClientId } from '../helpers/requests';
import { allUsers, failedUsers, HOUR, MINUTE, savedState, valuesOf, watch } from '../helpers/watch';

const HANGS: Fault = { delayMs: 400_000 };
const FAILS: Fault = { status: 422 };
const waits = (seconds: number): Fault => ({ status: 503, headers: { 'retry-after': String(seconds) } });
const faultOf = (users: ReadonlyArray<{ user_id: string }>, fault: Fault) =>
	Object.fromEntries(users.map(({ user_id }) => [user_id, fault]));

describe('a user who fails', () => {
	const w = watch('durable');
	const troubled = (users: Record<string, TroubleName>) => {
		w.switches.users = users;
	};

	it.each<TroubleName>(['fails', 'lostOnPageTwo', 'redirected', 'repeatedCursor', 'nullGroups'])(
		'%s: the readings of others are emitted in the same poll, those of the user once readable',
		async (trouble) => {
			w.switches.pageSize = 2;
			const n8n = await w.started();
			for (let i = 0; i < 3; i++) w.history.add(w.anna, w.reading(i, 120 + i));
			w.history.add(w.ben, w.reading(0, 140));
			troubled({ anna: trouble });
			expect(await w.after(n8n, 5 * MINUTE)).toEqual([140]);
			expect(n8n.reported).toHaveLength(1);
			expect(n8n.reported[0]).toMatchObject({
				message: expect.stringMatching(/^The readings of 1 user could not be read\. ./),
				description: expect.stringContaining(`Not read: ${w.anna.user_id} since 2026-06-01 12:00 (times in UTC). `),
				failure: { cause: expect.any(String) },
			});
			expect(JSON.stringify(n8n.reported)).not.toContain('anna');
			w.history.add(w.ben, w.reading(0, 141));
			expect(await w.after(n8n, 0)).toEqual([141]);
			troubled({});
			expect(await w.after(n8n, 0)).toEqual([120, 121, 122]);
			expect(n8n.reported).toHaveLength(1);
			expect(failedUsers(savedState(n8n))).toBe(0);
		},
	);

	it('for some attempts only is read in the same poll, and nothing is reported', async () => {
		const n8n = await w.started();
		w.measure(w.anna, 120);
		let left = 4;
		w.answer({ [w.anna.user_id]: () => (left-- > 0 ? { status: 502 } : undefined) });
		expect(await w.after(n8n)).toEqual([120]);
		expect(n8n.reported).toEqual([]);
	});

	it('by a fault of the code: reported and logged without its message, and others go out', async () => {
		const logged = jest.spyOn(n8nLogger(), 'error').mockImplementation();
		const n8n = await w.started();
		const { changes } = SeenReadings.prototype;
		const fails = jest.spyOn(SeenReadings.prototype, 'changes').mockImplementation(function (this: never, ...given) {
			if (given[1].some(({ user_id }) => user_id === w.anna.user_id)) throw new TypeError('"151/93" is no list');
			return changes.apply(this, given);
		});
		w.measure(w.anna, 120);
		w.measure(w.ben, 140);
		expect(await w.after(n8n)).toEqual([140]);
		expect(n8n.reported).toMatchObject([
			{ message: "The readings of 1 user could not be read. This user's data could not be processed." },
		]);
		expect(logged.mock.calls).toEqual([[expect.stringMatching(/^Workflow "Test", node "Node": TypeError at /)]]);
		expect(everythingIn([n8n.reported, logged.mock.calls])).not.toContain('151/93');
		fails.mockRestore();
		expect(await w.after(n8n)).toEqual([120]);
	});

	it('has a single attempt once known to fail, after the others', async () => {
		const n8n = await w.started();
		troubled({ anna: 'fails' });
		await n8n.tick();
		w.used.sandbox.requests.length = 0;
		await n8n.tick();
		expect(w.readingRequests()).toEqual([w.ben.user_id, w.anna.user_id]);
	});

	it('before any other user is answered: the others, in progress or waiting, are still read', async () => {
		const users = w.users(12);
		const n8n = await w.started();
		for (const user of users) w.measure(user);
		w.answer({ [w.anna.user_id]: { status: 500 }, timeseries: { delayMs: 200 } });
		expect(await w.after(n8n)).toHaveLength(12);
		expect(n8n.reported[0].message).toMatch('of 1 user ');
	});

	it('while another user waits for a retry: that one is read in the next poll', async () => {
		const n8n = await w.started();
		w.measure(w.ben, 141);
		let asked = 0;
		w.answer({
			[w.anna.user_id]: { status: 500 },
			[w.ben.user_id]: () => (asked++ === 0 ? { status: 500, headers: { 'retry-after': '1' } } : undefined),
		});
		// A Retry-After that the list does not have is one of this user only, who comes after the others in the next poll.
		expect(await n8n.tick()).toBeUndefined();
		expect(await w.after(n8n, 0)).toEqual([141]);
	});

	it.each<TroubleName>(['missing', 'fails'])(
		'%s for longer than the lookback: nothing is lost, though the window of the others has moved',
		async (trouble) => {
			const n8n = await w.started({ ...allUsers, options: { lookback: 2 } });
			w.measure(w.anna, 100);
			w.measure(w.ben, 200);
			expect(await w.after(n8n)).toEqual([100, 200]);
			troubled({ anna: trouble });
			for (let day = 1; day <= 3; day++) {
				w.pass(24 * HOUR);
				w.measure(w.anna, 100 + day);
				w.measure(w.ben, 200 + day);
				expect(await w.after(n8n, 0)).toEqual([200 + day]);
			}
			n8n.kill();
			troubled({});
			expect(valuesOf(await n8n.start('init'))).toEqual([101, 102, 103]);
			expect(await n8n.tick()).toBeUndefined();
		},
	);

	it('is on the list, but neither readings nor Resolve know the user: told by the second poll, and nothing is lost', async () => {
		const n8n = await w.started();
		troubled({ anna: 'removed' });
		w.answer({ '/resolve/': { status: 404 } });
		for (let poll = 0; poll < 4; poll++) {
			w.pass(poll < 2 ? MINUTE : 30 * HOUR);
			w.measure(w.anna, 120 + poll);
			expect(await w.after(n8n, 0)).toEqual([]);
			expect(n8n.reported).toHaveLength(poll);
		}
		expect(n8n.reported[0].message).toContain('does not find a user of its list (status 404)');
		troubled({});
		w.answer({});
		expect(await w.after(n8n)).toEqual([120, 121, 122, 123]);
	});

	it('is not a user removed after the list was read', async () => {
		const n8n = await w.started();
		troubled({ anna: 'removed' });
		w.measure(w.ben, 121);
		expect(await w.after(n8n)).toEqual([121]);
		expect(failedUsers(savedState(n8n))).toBe(0);
		w.history.removeUser(w.anna);
		w.measure(w.ben, 122);
		expect(await w.after(n8n)).toEqual([122]);
		expect(n8n.reported).toEqual([]);
	});

	it.each(['__proto__', 'x'.repeat(2000)])('and whose ID is %.20s stops no other', async (user_id) => {
		const users = [{ ...w.anna, user_id, client_user_id: 'odd' }, w.ben];
		let status = 500;
		// The sandbox's own list has nothing but UUIDs.
		w.switches.fault = (_, url) => {
			const offset = Number(/[?&]offset=(\d+)/.exec(url)?.[1] ?? 0);
			const body = { users: users.slice(offset), total: users.length, offset, limit: 500 };
			if (url.startsWith('/v2/user?')) return { status: 200, body };
			return url.includes(user_id) ? { status, body: { groups: {} } } : undefined;
		};
		const n8n = await w.started();
		w.measure(w.ben, 121);
		expect(await w.after(n8n)).toEqual([121]);
		expect(failedUsers(savedState(n8n))).toBe(1);
		status = 200;
		w.measure(w.ben, 122);
		expect(await w.after(n8n)).toEqual([122]);
		expect(failedUsers(savedState(n8n))).toBe(0);
	});
});

describe('users who fail for long', () => {
	const w = watch('durable', { names: [], isPatient: true });

	it.each<[string, Fault]>([
		['answer 500', { status: 500 }],
		['hang', HANGS],
	])('%s, while the others take two seconds: the readings of these go out within two polls', async (_, fault) => {
		const users = w.users(10);
		const n8n = await w.started();
		w.answer({ ...faultOf(users.slice(3, 7), fault), timeseries: { delayMs: 2000 } });
		await w.polls(n8n, 2);
		for (const [i, user] of [users[0], users[7], users[9]].entries()) {
			w.measure(user, 121 + i);
			expect(valuesOf(await w.polls(n8n, 2))).toEqual([121 + i]);
		}
		expect(n8n.reported).toHaveLength(1);
	});

	it('come last; if they hang, their reads begin within 30 % of a poll, which costs one timeout at most', async () => {
		const users = w.users(15);
		const n8n = await w.started({ ...allUsers, options: { concurrency: 2 } });
		w.answer(faultOf(users.slice(0, 10), HANGS));
		await w.polls(n8n, 12, 10 * MINUTE);
		w.used.sandbox.requests.length = 0;
		const begun = w.time.elapsed;
		await n8n.tick();
		expect(w.time.elapsed - begun).toBe(16_000);
		expect(w.readingRequests().slice(0, 5)).toEqual(users.slice(10).map(({ user_id }) => user_id));
	});

	it('one with slow pages takes half a poll at most', async () => {
		const [slow] = w.users(2);
		w.switches.pageSize = 1;
		for (let i = 0; i < 100; i++) w.measure(slow, 120, i * MINUTE);
		const n8n = await w.started();
		w.answer({ [slow.user_id]: { delayMs: 1000 } });
		const begun = w.time.elapsed;
		await n8n.tick();
		expect(w.time.elapsed - begun).toBeLessThanOrEqual(19_000);
		expect(n8n.reported.at(-1)!.message).toContain('Reading one user takes longer than a poll may last');
	});

	it("one's Retry-After of an hour holds up nobody else", async () => {
		const users = w.users(12);
		const n8n = await w.started();
		w.answer({ [users[3].user_id]: waits(3600) });
		for (let poll = 0; poll < 4; poll++) {
			w.used.sandbox.requests.length = 0;
			users.forEach((user, i) => w.measure(user, 100 + i));
			expect(await w.polls(n8n, 1)).toHaveLength(11);
			// The list, or a user who was read, tells whose it is.
			const lists = w.used.sandbox.requests.filter((url) => url === '/v2/user?limit=1');
			expect(lists.length).toBeLessThanOrEqual(1);
			expect(w.readingRequests().filter((id) => id === users[3].user_id)).toHaveLength(1);
		}
		w.answer({});
		expect(await w.polls(n8n, 1)).toHaveLength(4);
	});

	const pages: Fault = { delayMs: 1400 };
	it.each<[string, boolean, (slow: string, other: string) => Record<string, Fault>]>([
		['fails once', false, (slow) => ({ [slow]: FAILS })],
		['is read while another one fails', false, (slow, other) => ({ [other]: FAILS, [slow]: pages })],
		['is read when n8n starts', true, (slow) => ({ [slow]: { delayMs: 9000 } })],
	])('one whose read takes more than a third of a poll, and who %s, is read again', async (_, isStart, faults) => {
		const [other, slow] = w.users(2);
		w.switches.pageSize = 1;
		for (let i = 0; i < 12; i++) w.measure(slow, 100 + i, i * MINUTE);
		const n8n = await w.started();
		w.answer(faults(slow.user_id, other.user_id));
		if (isStart) n8n.kill();
		if (isStart) await n8n.start('init');
		else await w.polls(n8n, 2, 6 * MINUTE);
		w.answer({ ...faults(slow.user_id, other.user_id), [slow.user_id]: pages });
		w.measure(slow, 132);
		expect(valuesOf(await w.polls(n8n, 4, 6 * MINUTE))).toEqual([132]);
	});

	it.each<[string, object, object]>([
		['timestamp', { timestamp: { toString: null } }, {}],
		['a deep systolic', { systolic: 'DEEP' }, {}],
		['source.provider', {}, { provider: { toString: null } }],
	])('a malformed value in %s is the error of its user', async (_, data, from) => {
		const users = w.users(3);
		const n8n = await w.started({ ...allUsers, limits: { high: { systolic: 100, diastolic: null } } });
		const point = { timestamp: '2026-06-01T12:00:00Z', systolic: 120, diastolic: 80, unit: 'mmHg', ...data };
		const groups = { omron: [{ source: { provider: 'omron', type: 'cuff', ...from }, data: [point] }] };
		const deep = '['.repeat(20_000) + ']'.repeat(20_000);
		const body = JSON.stringify({ groups, next_cursor: null }).replace('"DEEP"', deep);
		w.answer({ [users[0].user_id]: { status: 200, body, type: 'application/json' } });
		w.measure(users[1], 121);
		const values = valuesOf(await w.polls(n8n, 2))!;
		expect(values.filter((one) => typeof one === 'number')).toContain(121);
		expect(w.errors).toEqual([]);
		for (const { description } of n8n.reported) expect(description).toContain(users[0].user_id);
	});

	it.each<[string, number, string, Fault]>([
		['of three hangs', 3, 'user%201', HANGS],
		['of twenty, the only one not on the list, hangs', 19, 'nobody', HANGS],
		['of three, the first, answers 429', 3, 'user%200', { status: 429 }],
	])('an entry whose Resolve %s: the others are read, and it is told', async (_, count, part, fault) => {
		const users = w.users(count);
		const userIds = [...users.map(({ client_user_id }) => client_user_id), 'nobody'].join();
		const n8n = await w.started({ ...allUsers, userScope: 'listed', usersBy: 'clientUserId', userIds });
		n8n.reported.length = 0;
		w.answer({ [`/resolve/${part}`]: fault });
		for (let poll = 0; poll < 2; poll++) {
			w.measure(users[2], 130 + poll);
			expect(valuesOf(await w.polls(n8n, 1, 40 * MINUTE))).toEqual([130 + poll]);
		}
		await w.polls(n8n, 1);
		expect(n8n.reported.length).toBeGreaterThan(0);
		expect(w.errors).toEqual([]);
	});

	it('the one User, whose Resolve answers 429, is told by the name of the field', async () => {
		w.users(1);
		const n8n = await w.started({ event: 'bloodPressure', userScope: 'one', user: byClientId('user 0') });
		w.answer({ '/resolve/': { status: 429 } });
		await w.polls(n8n, 4, 20 * MINUTE);
		expect(n8n.reported.at(-1)!.description).toContain("Not read: the 'User' since");
	});
});

describe('a night without poll times', () => {
	const w = watch('durable', { names: [], isPatient: true });

	it('is no long round, which a report would name', async () => {
		w.users(20);
		w.switches.latencyMs = 4000;
		const n8n = await w.started({ ...allUsers, options: { concurrency: 2 } });
		await w.polls(n8n, 12);
		await w.time.pass(14 * HOUR);
		await w.polls(n8n, 8);
		expect(n8n.reported).toEqual([]);
	});

	it('delays no report of a user who is limited since the morning', async () => {
		const [user] = w.users(2);
		const n8n = await w.started();
		await w.polls(n8n, 2);
		await w.time.pass(12 * HOUR);
		await w.polls(n8n, 2);
		w.answer({ [user.user_id]: { status: 429 } });
		await w.polls(n8n, 5, 15 * MINUTE);
		expect(n8n.reported).toHaveLength(1);
	});

	it('does not hide a user who is limited for days', async () => {
		const [, ben] = w.users(2);
		const n8n = await w.started();
		w.answer({ [ben.user_id]: waits(600) });
		for (let day = 0; day < 4; day++) {
			await w.polls(n8n, 4, 15 * MINUTE);
			await w.time.pass(23 * HOUR);
		}
		expect(n8n.reported.length).toBeGreaterThan(0);
	});
});
