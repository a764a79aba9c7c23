/** Odd answers: of the user list, of Resolve, of the clocks, and a saved state with a broken part. None silences or floods anybody. */
import type { INodeParameters } from 'n8n-workflow';
import type { User } from '../../dev/sandbox/schemas';
import { uuid } from '../../dev/sandbox/world';
import { sealed } from '../../nodes/HealthDataService/trigger/state';
import { createUser } from '../helpers/people';
import type { PollingHost } from '../helpers/pollingHost';
import { allUsers, HOUR, MINUTE, onBothSchedulers, savedState, valuesOf, watch } from '../helpers/watch';

const TEN_YEARS = 10 * 365 * 24 * HOUR;

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const { history, used } = w;

	/** A reading of now. */
	const measure = (user: User, systolic: number) => void history.add(user, w.reading(0, systolic));
	/** A poll after so long. */
	const after = async (n8n: PollingHost, ms = MINUTE) => {
		w.pass(ms);
		return valuesOf(await n8n.tick()) ?? [];
	};

	describe('a user list', () => {
		const EMPTY = { users: [], total: 0, offset: 0, limit: 500 };
		const answer = (body?: object) => {
			used.sandbox.switches.fault = (_, url) =>
				body && url.startsWith('/v2/user?') ? { status: 200, body } : undefined;
		};
		/** Empty, or without Ben. */
		const change = (isOdd: boolean, isEmpty: boolean) => {
			answer(isOdd && isEmpty ? EMPTY : undefined);
			history.team.users = isOdd ? [w.anna] : [w.anna, w.ben];
		};
		/** The rows of polls with an odd list, and of the polls after it. */
		const around = async (n8n: PollingHost, isEmpty: boolean, hours: number) => {
			const rows: unknown[] = [];
			for (let hour = 0; hour < hours + 2; hour++) {
				change(hour < hours, isEmpty);
				measure(w.anna, 200 + hour);
				measure(w.ben, 300 + hour);
				rows.push(...(await after(n8n, HOUR)));
			}
			return rows;
		};
		const expected = (hours: number) => Array.from({ length: hours + 2 }, (_, hour) => [200 + hour, 300 + hour]).flat();

		it.each([1, 72])('that is empty for %i hours loses no reading, and is told', async (hours) => {
			const n8n = w.trigger();
			await n8n.start();
			const rows = await around(n8n, true, hours);
			expect(rows.sort()).toEqual(expected(hours).sort());
			expect(n8n.reported).toHaveLength(hours);
			expect(n8n.reported[0].message).toContain('The user list of the service is empty, and had users before');
		});

		it('that is empty for longer than two lookbacks: a user who joined at the beginning is new from then on', async () => {
			const n8n = w.trigger();
			await n8n.start();
			answer(EMPTY);
			w.pass(HOUR);
			measure(history.addUser('carl'), 150);
			for (let hour = 0; hour < 110; hour++) await after(n8n, HOUR);
			answer();
			expect(await after(n8n, HOUR)).toEqual([150]);
		});

		it('that lacks a user for less than the lookback loses no reading; meanwhile that user is not read or reported', async () => {
			const n8n = w.trigger();
			await n8n.start();
			expect((await around(n8n, false, 40)).sort()).toEqual(expected(40).sort());
			expect(n8n.reported).toEqual([]);
		});

		it('that shows a missing user again, who fails then: told', async () => {
			const n8n = w.trigger();
			await n8n.start();
			change(true, false);
			await after(n8n, HOUR);
			change(false, false);
			used.sandbox.switches.users = { ben: 'fails' };
			await after(n8n, HOUR);
			expect(n8n.reported).toHaveLength(1);
		});

		it.each([
			['is empty', 1, 0],
			['is empty', 72, 0],
			['lacks a user', 1, 0],
			['lacks a user', 40, 0],
			['lacks a user', 50, 1],
		])('that %s for %i hours, then New User: %i new', async (what, hours, count) => {
			const n8n = w.trigger({ event: 'user' });
			await n8n.start();
			await n8n.tick();
			const emitted = [];
			for (let hour = 0; hour < hours + 2; hour++) {
				change(hour < hours, what === 'is empty');
				w.pass(HOUR);
				emitted.push(...((await n8n.tick()) ?? []));
			}
			expect(emitted).toHaveLength(count);
		});

		it('that is empty at the publication: who was there is not new', async () => {
			measure(w.anna, 121);
			answer(EMPTY);
			const readings = w.trigger();
			const users = w.trigger({ event: 'user' });
			for (const n8n of [readings, users]) await n8n.start();
			answer();
			for (const n8n of [readings, users]) expect(await after(n8n)).toEqual([]);
			measure(w.anna, 122);
			history.addUser('carl');
			expect(await after(readings)).toEqual([122]);
			expect(await after(users)).toHaveLength(1);
		});

		it('of a team that gets its first user: what is older than the lookback is not new', async () => {
			const { users } = history.team;
			history.team.users = [];
			const n8n = w.trigger();
			await n8n.start();
			for (let day = 0; day < 10; day++) await after(n8n, 24 * HOUR);
			history.team.users = users;
			history.add(w.anna, w.reading(-60 * 60, 160), { late: 60 * HOUR });
			history.add(w.anna, w.reading(-20 * 60, 120), { late: 20 * HOUR });
			expect(await after(n8n)).toEqual([120]);
			expect(n8n.reported).toEqual([]);
		});
	});

	describe('Resolve', () => {
		const byClientId = (...ids: string[]): INodeParameters => ({
			event: 'bloodPressure',
			userScope: 'listed',
			usersBy: 'clientUserId',
			userIds: ids.join(),
		});

		it.each<[string, number, 'anna' | 'cleo', 'fails' | undefined]>([
			['another listed user', 1, 'anna', undefined],
			['another listed user, who fails', 1, 'anna', 'fails'],
			['another listed user, who fails', 7, 'anna', 'fails'],
			['a user who is not listed', 1, 'cleo', undefined],
			['a user who is not listed, and fails', 1, 'cleo', 'fails'],
			['a user who is not listed, and fails', 7, 'cleo', 'fails'],
		])('gives the ID of %s for %i × 12 hours: nothing is lost, nothing twice', async (_, polls, name, fault) => {
			const cleo = history.addUser('cleo');
			const { user_id } = { anna: w.anna, cleo }[name];
			const body = { ...w.ben, user_id };
			const rows: unknown[] = [];
			const all = Array.from({ length: polls + 4 }, (__, poll) => [200 + poll, 300 + poll]).flat();
			const n8n = w.trigger(byClientId('anna', 'ben'));
			await n8n.start();
			for (let poll = 0; poll < polls + 4; poll++) {
				const isWrong = poll >= 2 && poll < 2 + polls;
				used.sandbox.switches.users = isWrong && fault ? { [name]: fault } : {};
				used.sandbox.switches.fault = (__, url) =>
					isWrong && url.includes('/resolve/ben') ? { status: 200, body } : undefined;
				measure(w.anna, 200 + poll);
				measure(w.ben, 300 + poll);
				measure(cleo, 100 + poll);
				rows.push(...(await after(n8n, 12 * HOUR)));
			}
			expect(rows.sort()).toEqual(all.sort());
		});

		it('gives the ID of another listed user at the publication: the reading of the right one goes out', async () => {
			used.sandbox.switches.fault = (_, url) =>
				url.includes('/resolve/ben') ? { status: 200, body: { ...w.ben, user_id: w.anna.user_id } } : undefined;
			const n8n = w.trigger(byClientId('anna', 'ben'));
			await n8n.start();
			await after(n8n);
			used.sandbox.switches.fault = () => undefined;
			await after(n8n);
			measure(w.ben, 131);
			expect(await after(n8n)).toEqual([131]);
		});

		it.each([1, 7])(
			'an identifier moves to a user who fails for %i × 12 hours: nothing is lost, nothing twice',
			async (polls) => {
				const cleo = history.addUser('cleo');
				const n8n = w.trigger(byClientId('anna', 'ben'));
				await n8n.start();
				await after(n8n);
				const body = { ...cleo, client_user_id: 'ben' };
				used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/ben') ? { status: 200, body } : undefined);
				used.sandbox.switches.users = { cleo: 'fails' };
				const rows = await after(n8n);
				w.pass(MINUTE);
				for (let poll = 0; poll < polls; poll++) {
					measure(cleo, 200 + poll);
					rows.push(...(await after(n8n, 12 * HOUR)));
				}
				used.sandbox.switches.users = {};
				rows.push(...(await after(n8n)), ...(await after(n8n)));
				expect(rows).toEqual(Array.from({ length: polls }, (_, poll) => 200 + poll));
			},
		);

		it('fails from the publication on, then the readings do: nothing is lost', async () => {
			const n8n = w.trigger(byClientId('anna', 'ben'));
			used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/ben') ? { status: 500 } : undefined);
			await n8n.start();
			w.pass(MINUTE);
			measure(w.ben, 131);
			await after(n8n);
			used.sandbox.switches.fault = () => undefined;
			used.sandbox.switches.users = { ben: 'fails' };
			await after(n8n);
			measure(w.ben, 132);
			await after(n8n);
			used.sandbox.switches.users = {};
			expect(await after(n8n)).toEqual([131, 132]);
		});

		it.each(['anna', 'ben'])(
			'gives a listed user who fails from the publication on, and is the entry of %s: nothing is lost',
			async (name) => {
				const user = name === 'anna' ? w.anna : w.ben;
				const other = name === 'anna' ? 'ben' : 'anna';
				const body = { ...user, client_user_id: other };
				used.sandbox.switches.users = { [name]: 'fails' };
				const n8n = w.trigger(byClientId('anna', 'ben'));
				await n8n.start();
				w.pass(MINUTE);
				measure(user, 131);
				const rows = await after(n8n);
				used.sandbox.switches.fault = (_, url) =>
					url.includes(`/resolve/${other}`) ? { status: 200, body } : undefined;
				rows.push(...(await after(n8n)));
				measure(user, 132);
				rows.push(...(await after(n8n)));
				used.sandbox.switches.fault = () => undefined;
				used.sandbox.switches.users = {};
				rows.push(...(await after(n8n)), ...(await after(n8n)));
				expect(rows).toEqual([131, 132]);
			},
		);

		it('fails for an entry that names a user: nothing more is saved', async () => {
			const n8n = w.trigger(byClientId('anna', 'ben'));
			await n8n.start();
			used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/ben') ? { status: 500 } : undefined);
			measure(w.anna, 131);
			await after(n8n);
			const { cursors, names } = savedState(n8n);
			expect(cursors.map(({ users }) => users).join('')).toHaveLength(Object.values(names!).join('').length);
		});

		it('client user IDs with nearly the same hash are two users', async () => {
			const users = ['u20171639', 'u32115492'].map((name) => history.addUser(name));
			const n8n = w.trigger(byClientId('u20171639', 'u32115492'));
			await n8n.start();
			for (let i = 0; i < 5; i++) for (const user of users) measure(user, 120 + i);
			expect(await after(n8n)).toHaveLength(10);
		});
	});

	/** The hashes of their IDs begin with the same 24 bits. */
	const withSameHash = () => {
		const ids = ['776bf8ed-7fa6-459f-8476-33ceb7761cf7', '83955a7b-7019-4a3b-8dd2-39a3cf322d0e'];
		history.team.users = ids.map((user_id) => ({ ...createUser(user_id, []), user_id }));
		return history.team.users;
	};

	it.each([0, 1])(
		'what went out of a user who failed for days (%i of 2) does not go out again, though their hashes begin alike',
		async (at) => {
			const users = withSameHash();
			const n8n = w.trigger();
			await n8n.start();
			measure(users[at], 121);
			expect(await after(n8n)).toEqual([121]);
			w.used.sandbox.switches.users = { [users[at].user_id]: 'fails' };
			for (let day = 0; day < 5; day++) {
				measure(users[1 - at], 130 + day);
				await after(n8n, 24 * HOUR).catch(() => undefined);
			}
			w.used.sandbox.switches.users = {};
			expect(await after(n8n)).toEqual([]);
		},
	);

	it('an entry that is added takes the cursor of no other user', async () => {
		const [one, other] = withSameHash();
		const listing = (userIds: string): INodeParameters => ({
			event: 'bloodPressure',
			userScope: 'listed',
			usersBy: 'userId',
			userIds,
		});
		const n8n = w.trigger(listing(one.user_id));
		await n8n.start();
		await after(n8n, 10 * HOUR);
		history.add(other, w.reading(-5 * 60, 186), { late: 5 * HOUR });
		n8n.parameters = listing(`${one.user_id},${other.user_id}`);
		expect(valuesOf(await n8n.start('update')) ?? []).toEqual([]);
		measure(other, 131);
		expect(await after(n8n)).toEqual([131]);
	});

	describe('a saved state', () => {
		type Broken = Record<string, unknown>;
		/** Changes what n8n's database holds. */
		const change = (n8n: PollingHost, part: (state: Broken) => unknown) => {
			const isRow = n8n.row !== undefined;
			const data = JSON.parse(n8n.row ?? n8n.saved) as Broken;
			const holder = (isRow ? data : data['node:Node']) as { state: Broken };
			const changed = part(holder.state);
			if (changed !== undefined) holder.state = changed as Broken;
			if (isRow) n8n.row = JSON.stringify(data);
			else n8n.saved = JSON.stringify(data);
		};
		const ahead = () => w.clock + TEN_YEARS;
		const cursorsOf = (state: Broken) => state.cursors as Broken[];
		/** As after a restart of the process. */
		const restarted = (n8n: PollingHost) => {
			const next = w.trigger(n8n.parameters, { ...n8n.options, workflowId: `restarted ${Math.random()}` });
			return Object.assign(next, { saved: n8n.saved, row: n8n.row });
		};
		const running = async () => {
			const n8n = w.trigger();
			await n8n.start();
			measure(w.anna, 121);
			await after(n8n);
			return n8n;
		};

		it.each<[string, (state: Broken) => unknown]>([
			['is a text', () => 'broken'],
			['is null', () => JSON.parse('null') as unknown],
			['of another version', (state) => sealed({ ...state, version: 3 } as never)],
			['without version', (state) => void delete state.version],
			['of a node without ID', (state) => void (state.node = 7)],
			['with a team that is a list', (state) => void (state.team = [])],
			['with users cut off', (state) => void (cursorsOf(state)[0].users = 'abc')],
			['with a poll of 2^53', (state) => void (state.poll = 2 ** 53)],
			['with a pass to come', (state) => void (state.pass = 1e6)],
			['with hashes cut off', (state) => void (state.seen = { none: 'abc' })],
			['with names cut off', (state) => void (state.names = 'abc')],
			['watching since in ten years', (state) => void (state.since = ahead())],
			['with a report in ten years', (state) => void (state.told = ahead())],
			['with a pause of ten years', (state) => void (state.pausedUntil = ahead())],
			['without a cursor', (state) => void (state.cursors = [])],
		])('%s: the trigger starts over, and says so once', async (_, part) => {
			const n8n = await running();
			n8n.kill();
			change(n8n, part);
			const next = restarted(n8n);
			await next.start('init');
			measure(w.anna, 122);
			expect([...(await after(next)), ...(await after(next))]).toEqual([122]);
			expect(next.reported.map(({ message }) => message)).toEqual([
				'The saved state of the trigger cannot be used, so the trigger starts over: readings from now on go out',
			]);
		});

		it('whose parts come in another order: nothing is lost, nothing is said', async () => {
			const n8n = await running();
			n8n.kill();
			const reversed = (part: object) => Object.fromEntries(Object.entries(part).reverse());
			change(n8n, (state) => ({ ...reversed(state), cursors: cursorsOf(state).map(reversed) }));
			measure(w.anna, 122);
			const next = restarted(n8n);
			expect([...(valuesOf(await next.start('init')) ?? []), ...(await after(next))]).toEqual([122]);
			expect(next.reported).toEqual([]);
		});
	});

	describe('a key of another team', () => {
		it('whose list takes longer than a poll: it is told, and no old reading goes out', async () => {
			const budgetMs = 36_000;
			const n8n = w.trigger({ ...allUsers, options: { requestsPerSecond: 0.1 } }, { budgetMs });
			await n8n.start();
			await after(n8n);
			used.sandbox.switches.userPageCap = 1;
			history.team.users = Array.from({ length: 10 }, (_, i) => {
				const user = { ...createUser(`new ${i}`, []), user_id: uuid('new', i), team_id: uuid('new') };
				history.add(user, w.reading(-60, 150 + i), { late: HOUR });
				return user;
			});
			const rows: unknown[] = [];
			for (let poll = 0; poll < 6; poll++) rows.push(...(await after(n8n, 5 * MINUTE)));
			expect(rows).toEqual([]);
			expect(n8n.reported).toHaveLength(1);
			expect(n8n.reported[0].message).toMatch(/The key of the credential may belong to another team than before/);
			used.sandbox.switches.userPageCap = 500;
			for (let poll = 0; poll < 6; poll++) rows.push(...(await after(n8n)));
			measure(history.team.users[9], 131);
			for (let poll = 0; poll < 6; poll++) rows.push(...(await after(n8n)));
			expect(rows).toEqual([131]);
		});
	});

	it('a `Date` a day behind at the publication: what is there then is old', async () => {
		used.sandbox.switches.date = () => w.clock - 24 * HOUR;
		measure(w.anna, 130);
		const n8n = w.trigger();
		await n8n.start();
		used.sandbox.switches.date = undefined;
		w.pass(HOUR);
		measure(w.anna, 131);
		expect(valuesOf(n8n.executions.flat())).toEqual([]);
		expect(await after(n8n)).toEqual([131]);
	});

	it('a `Date` two days ahead at the publication: readings of a user who fails then go out', async () => {
		used.sandbox.switches.date = () => w.clock + 48 * HOUR;
		used.sandbox.switches.users = { anna: 'fails' };
		const n8n = w.trigger();
		await n8n.start();
		used.sandbox.switches.date = undefined;
		w.pass(HOUR);
		measure(w.anna, 131);
		used.sandbox.switches.users = {};
		expect(await after(n8n)).toEqual([131]);
	});
});
