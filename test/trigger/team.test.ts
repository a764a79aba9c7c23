/** Users of the team: who joins, leaves, comes back or connects a provider, New User, a picked user, and the key of another team. */
import type { INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import { type Team, uuid } from '../../dev/sandbox/world';
import { createUser } from '../helpers/people';
import type { PollingHost } from '../helpers/pollingHost';
import { allUsers, HOUR, iso, MINUTE, onBothSchedulers, valuesOf, watch } from '../helpers/watch';

/** Of the new user `carl`: users of the trigger match their tables by it, so it must never change. */
const NEW_CARL = 'user-a192dc87c32456a3ea304ce87b672973';
const DAY = 24 * HOUR;

describe('a user who joins', () => {
	const w = watch('durable');
	/** Readings of a user who comes onto a list: within the lookback of 48 hours, and older ones. */
	const bringsOld = (user = w.history.addUser('carl')) => {
		for (const hours of [20, 60, 65]) w.measure(user, hours, hours * HOUR);
	};
	const polls = async (n8n: PollingHost, count = 4) => valuesOf(await w.polls(n8n, count));

	it('while n8n was down loses nothing, however long that was', async () => {
		const n8n = await w.started();
		n8n.kill();
		w.pass(DAY);
		w.measure(w.history.addUser('cleo'), 121);
		w.pass(20 * DAY);
		expect(valuesOf(await n8n.start('init'))).toEqual([121]);
	});

	it('brings nothing older, though a user who was never read is gone', async () => {
		w.switches.users = { ben: 'removed' };
		const n8n = await w.started();
		w.pass(100 * HOUR);
		await n8n.tick();
		bringsOld();
		expect(await polls(n8n)).toEqual([20]);
	});

	it('a team in which nobody measured for ten days brings nothing older', async () => {
		const n8n = await w.started();
		await w.polls(n8n, 4, 2 * DAY);
		await w.polls(n8n, 2, DAY / 2);
		bringsOld();
		expect(await polls(n8n)).toEqual([20]);
	});

	it.each<[string, (n8n: PollingHost) => unknown]>([
		['n8n starts again', async (n8n) => [n8n.kill(), w.rows.push(...((await n8n.start('init')) ?? []))]],
		["n8n's clock goes back an hour", () => (w.time.error = -HOUR)],
		[
			'Lookback Hours becomes 49',
			async (n8n) => {
				n8n.parameters = { ...allUsers, options: { lookback: 49 } };
				w.rows.push(...((await n8n.start('update')) ?? []));
			},
		],
	])('brings nothing older: not when %s either', async (_, change) => {
		w.switches.date = w.switches.now = () => w.clock;
		const n8n = await w.started();
		await w.polls(n8n, 3, 2 * DAY);
		await w.polls(n8n, 2);
		w.measure(w.history.addUser('carl'), 190, 60 * HOUR);
		await w.polls(n8n, 2);
		await change(n8n);
		await w.polls(n8n, 2);
		expect(w.rows).toEqual([]);
	});
});

describe('New User', () => {
	const w = watch('memory');
	const event = 'user';
	const namesOf = async (n8n: PollingHost, polls = 3) =>
		(await w.polls(n8n, polls)).map(({ client_user_id }) => client_user_id);

	it('a user who joins is a row, once', async () => {
		const n8n = w.trigger({ event });
		expect(await n8n.start()).toBeUndefined();
		w.pass(HOUR);
		const carl = w.history.addUser('carl', iso(w.clock));
		const [row] = (await n8n.tick())!;
		expect(row).toMatchObject({ ...carl, row_id: NEW_CARL, change: 'created' });
		expect(Object.keys(row).slice(0, 2)).toEqual(['row_id', 'change']);
		carl.connected_sources.pop();
		expect(await n8n.tick()).toBeUndefined();
	});

	it('who appears on the list days after `created_on` is new', async () => {
		const n8n = await w.started({ event });
		await w.polls(n8n, 1);
		w.history.addUser('late', iso(w.clock - 5 * DAY));
		w.history.addUser('zero', '0001-01-01T00:00:00Z');
		expect(await namesOf(n8n)).toEqual(['zero', 'late']);
	});

	it('who was there is not new when the service changes `created_on`', async () => {
		const n8n = await w.started({ event });
		await w.polls(n8n, 5, DAY);
		w.anna.created_on = iso(w.clock);
		expect(await namesOf(n8n)).toEqual([]);
	});

	it('until the list was read once, users are noted, unless they are created after the publication', async () => {
		w.answer({ '/v2/user': { status: 503 } });
		const n8n = await w.started({ event });
		await w.time.pass(HOUR);
		w.history.addUser('created', iso(w.clock));
		w.answer({});
		expect(await namesOf(n8n)).toEqual(['created']);
	});

	it('a malformed `created_on` stops no other user', async () => {
		const n8n = await w.started({ event });
		const odd = { ...w.anna, user_id: 'odd', created_on: { toString: null } };
		const users = [w.anna, odd, { ...w.history.addUser('new'), created_on: iso(w.clock) }];
		w.switches.fault = (_, url) => {
			const offset = Number(/[?&]offset=(\d+)/.exec(url)?.[1] ?? 0);
			return { status: 200, body: { users: users.slice(offset), total: 3 } };
		};
		w.switches.date = () => w.clock;
		expect(await namesOf(n8n)).toContain('new');
		expect(w.errors).toEqual([]);
	});
});

describe('Only Connected Users', () => {
	const w = watch('durable');
	const provider = { __rl: true, mode: 'slug', value: 'withings' };
	const connected: INodeParameters = { ...allUsers, provider, options: { onlyConnected: true } };
	const connect = (user: User, created_on = user.connected_sources[0].created_on) =>
		user.connected_sources.push({
			...user.connected_sources[0],
			created_on,
			source: { ...user.connected_sources[0].source, slug: 'withings' },
		});
	const add = (user: User, systolic: number, minutes: number) =>
		w.history.add(user, w.reading(minutes, systolic, 'withings'), { late: -minutes * MINUTE });

	it('requests users with the provider connected now, and no others', async () => {
		connect(w.ben);
		const n8n = await w.started(connected);
		expect(w.readingRequests()).toEqual([w.ben.user_id]);
		connect(w.anna);
		w.used.sandbox.requests.length = 0;
		w.pass(MINUTE);
		add(w.anna, 121, 0);
		expect(await w.after(n8n, 0)).toEqual([121]);
		expect(w.readingRequests()).toHaveLength(2);
	});

	it('a user who connects after publication brings nothing that was measured before it', async () => {
		connect(w.ben);
		const n8n = await w.started(connected);
		w.pass(10 * MINUTE);
		for (const minutes of [-20, -10, -5]) add(w.anna, 120 + minutes, minutes);
		connect(w.anna, iso(w.clock - MINUTE));
		// It comes late from a user who was connected at publication.
		add(w.ben, 120, -20);
		expect(await w.after(n8n, 0)).toEqual([120, 115]);
		expect(await w.after(n8n, 0)).toEqual([]);
		w.pass(71 * HOUR);
		add(w.ben, 121, 0);
		expect(await w.after(n8n, 0)).toEqual([121]);
		w.history.remove(add(w.anna, 122, -72 * 60));
		expect(await w.after(n8n, 0)).toEqual([]);
		w.pass(2 * HOUR);
		add(w.ben, 123, 0);
		expect(await w.after(n8n, 0)).toEqual([123]);
	});

	it.each<[string, INodeParameters]>([
		['off', { provider, options: { onlyConnected: false } }],
		['not added', { provider }],
		['without a provider', { options: { onlyConnected: true } }],
	])('requests all users: %s', async (_, more) => {
		connect(w.ben);
		await w.started({ ...allUsers, ...more });
		expect(w.readingRequests()).toHaveLength(2);
	});
});

describe('a picked user', () => {
	const w = watch('durable');
	const BUDGET_MS = 2500;
	const picked = (): INodeParameters => ({
		event: 'bloodPressure',
		userScope: 'one',
		user: { __rl: true, mode: 'list', value: w.anna.user_id, cachedResultName: 'anna (Omron)' },
	});
	const resolves = () => w.used.sandbox.requests.filter((url) => url.includes('/resolve/'));

	it('is confirmed by a request in each poll', async () => {
		const n8n = await w.started(picked());
		w.used.sandbox.requests.length = 0;
		w.measure(w.anna, 121);
		expect(await n8n.tick()).toMatchObject([
			{ systolic: 121, client_user_id: 'anna', local_time: '2026-06-01 12:00:00', change: 'created' },
		]);
		expect(resolves()).toEqual(['/v2/user/resolve/anna']);
		expect(await n8n.tick()).toBeUndefined();
		expect(resolves()).toHaveLength(2);
	});

	it('emits new readings though Resolve fails', async () => {
		const n8n = await w.started(picked());
		w.measure(w.anna, 121);
		w.answer({ '/resolve/': { status: 500 } });
		expect(await n8n.tick()).toMatchObject([{ systolic: 121, client_user_id: null }]);
		expect(n8n.reported).toEqual([]);
	});

	it.each([
		['', {}],
		['and has to wait for its turn', { requestsPerSecond: 1 }],
	])('emits within its budget though Resolve hangs %s', async (_, options) => {
		const n8n = await w.started({ ...picked(), options }, { budgetMs: BUDGET_MS });
		w.measure(w.anna, 121);
		w.answer({ '/resolve/': { delayMs: 4000 } });
		const begun = w.time.elapsed;
		expect(await n8n.tick()).toMatchObject([{ systolic: 121, client_user_id: null }]);
		expect(w.time.elapsed - begun).toBeLessThanOrEqual(BUDGET_MS);
	});

	it('a test event has it, too', async () => {
		w.measure(w.anna, 120, HOUR);
		expect(await w.trigger(picked()).fetchTestEvent()).toMatchObject([{ client_user_id: 'anna' }]);
		expect(resolves()).toHaveLength(1);
	});

	it('a test event is found within ten seconds though the readings are slow and Resolve hangs', async () => {
		w.measure(w.anna, 120, 80 * DAY);
		w.answer({ '/resolve/': { delayMs: 7000 }, '': { delayMs: 2400 } });
		const begun = w.time.elapsed;
		expect(await w.trigger(picked()).fetchTestEvent()).toMatchObject([{ client_user_id: null }]);
		expect(w.time.elapsed - begun).toBeLessThanOrEqual(10_000);
	});
});

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const teams = () => w.history.teams as Team[];
	let carl: User;
	beforeEach(() => {
		carl = { ...createUser('carl', ['omron']), team_id: uuid('other team') };
		teams().push({ key: 'other key', users: [carl] });
	});
	afterEach(() => void teams().splice(1));

	it.each(['activate', 'init'] as const)(
		'the key of another team: told, and the trigger starts over (%s)',
		async (mode) => {
			w.measure(carl, 100, HOUR);
			const n8n = await w.started();
			w.measure(w.anna, 121);
			expect(await w.after(n8n)).toEqual([121]);
			n8n.credential = { ...n8n.credential, apiKey: 'other key' };
			w.used.sandbox.requests.length = 0;
			w.pass(HOUR);
			if (mode === 'init') n8n.kill();
			expect(await n8n.start(mode)).toBeUndefined();
			const told = expect.stringContaining('belongs to another team than before');
			expect(n8n.reported).toMatchObject([
				{ message: told, description: expect.stringContaining('of the team before') },
			]);
			expect(w.readingRequests()).toEqual([carl.user_id]);
			w.pass(MINUTE);
			w.measure(carl, 131);
			expect(await w.after(n8n, 0)).toEqual([131]);
			expect(await n8n.tick()).toBeUndefined();
		},
	);

	it('the key of another team whose user fails at first: told once, and readings from then on go out, though n8n is killed', async () => {
		const n8n = w.trigger();
		n8n.credential = { ...n8n.credential };
		await n8n.start();
		w.pass(HOUR);
		n8n.credential.apiKey = 'other key';
		w.switches.users = { carl: 'fails' };
		await n8n.tick();
		n8n.kill();
		w.pass(MINUTE);
		w.measure(carl, 131);
		w.pass(MINUTE);
		w.switches.users = {};
		expect(valuesOf(await n8n.start('init'))).toEqual([131]);
		expect(n8n.reported.filter(({ message }) => message.includes('another team'))).toHaveLength(1);
	});
});

describe('another team', () => {
	const w = watch('durable', { names: ['anna', 'ben'], isPatient: true });
	const stranger = (name: string) => ({ ...createUser(name, []), team_id: uuid('other team') });
	/** The list is one of another team: its user has a reading of two hours ago. */
	const startedOver = async (event: string) => {
		const n8n = await w.started({ ...allUsers, event });
		const carl = stranger('carl');
		w.history.team.users = [carl];
		w.measure(carl, 101, 2 * HOUR);
		expect(await w.polls(n8n, 1)).toEqual([]);
		expect(n8n.reported).toHaveLength(1);
		return n8n;
	};

	it.each<[string, string, object]>([
		['user', 'client_user_id', ['dora']],
		['bloodPressure', 'systolic', [102]],
	])('%s: who joins before the next poll is new, who was there is not', async (event, column, expected) => {
		const n8n = await startedOver(event);
		w.measure(w.history.addUser('dora', iso(w.clock - 5 * DAY)), 102, HOUR);
		expect((await w.polls(n8n, 3)).map((row) => row[column])).toEqual(expected);
	});

	it('the next poll reads nobody, with a `Date` that is a day behind: nothing old is new', async () => {
		const n8n = await startedOver('bloodPressure');
		w.switches.date = () => w.clock - DAY;
		w.answer({ timeseries: { status: 500 } });
		await w.polls(n8n, 1);
		w.answer({});
		w.switches.date = undefined;
		await w.polls(n8n, 2);
		expect(w.rows).toEqual([]);
	});

	it('with a list that takes most of a poll: the trigger starts over once', async () => {
		w.switches.userPageCap = 1;
		const n8n = await w.started();
		w.history.team.users = w
			.users(6)
			.map((user, i) => ({ ...user, user_id: uuid('new', i), team_id: uuid('other team') }));
		w.answer({ '/v2/user?': { delayMs: 8000 } });
		await w.polls(n8n, 6, 6 * MINUTE);
		expect(w.errors).toEqual([]);
		expect(n8n.reported).toMatchObject([{ message: expect.stringContaining('another team') }]);
	});

	it('with a list that takes longer than a poll: it is told, and no old reading goes out', async () => {
		const n8n = await w.started({ ...allUsers, options: { requestsPerSecond: 0.1 } }, { budgetMs: 36_000 });
		await w.polls(n8n, 1);
		w.switches.userPageCap = 1;
		w.history.team.users = Array.from({ length: 10 }, (_, i) => ({
			...stranger(`new ${i}`),
			user_id: uuid('new', i),
		}));
		for (const user of w.history.team.users) w.measure(user, 150, HOUR);
		await w.polls(n8n, 6, 5 * MINUTE);
		expect(n8n.reported).toHaveLength(1);
		expect(n8n.reported[0].message).toMatch(/The key of the credential may belong to another team than before/);
		w.switches.userPageCap = 500;
		await w.polls(n8n, 6);
		w.measure(w.history.team.users[9], 131);
		await w.polls(n8n, 6);
		expect(valuesOf(w.rows)).toEqual([131]);
	});

	it('of some users of one key, in any order: nothing is lost, nothing starts over', async () => {
		const carl = stranger('carl');
		w.history.team.users = [w.anna, carl];
		const n8n = await w.started();
		for (let poll = 0; poll < 4; poll++) {
			w.history.team.users = [...w.history.team.users].reverse();
			if (poll === 3) w.history.removeUser(w.anna);
			w.measure(carl, 120 + poll);
			expect(await w.after(n8n)).toEqual([120 + poll]);
		}
		expect(n8n.reported).toEqual([]);
	});

	it('of new users who fill the first page, while the next one is limited: nothing starts over', async () => {
		const n8n = await w.started();
		w.pass(HOUR);
		w.measure(w.anna, 190, 5 * MINUTE);
		w.history.team.users = [stranger('carl'), stranger('dora'), ...w.history.team.users];
		w.switches.userPageCap = 2;
		w.answer({ 'offset=1': { status: 429, headers: { 'retry-after': '30' } } });
		await w.polls(n8n, 1, 5 * MINUTE);
		w.answer({});
		await w.polls(n8n, 2, 5 * MINUTE);
		expect(valuesOf(w.rows)).toEqual([190]);
		expect(n8n.reported.filter(({ message }) => message.includes('starts over'))).toEqual([]);
	});
});
