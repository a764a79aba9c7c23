/** Trigger with Listed Users: changes of the list and entries without a user do not affect the other users. */
import type { INodeParameters } from 'n8n-workflow';
import type { BloodPressurePoint } from '../../dev/sandbox/metrics';
import type { User } from '../../dev/sandbox/schemas';
import type { Fault } from '../../dev/sandbox/switches';
import { bloodPressure } from '../helpers/people';
import type { PollingHost } from '../helpers/pollingHost';
import { HOUR, iso, MINUTE, onBothSchedulers, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const { history, used, pass } = w;
	let anna: User;
	let ben: User;
	let cleo: User;
	beforeEach(() => {
		({ anna, ben } = w);
		cleo = history.addUser('cleo');
	});
	/** A reading of now, or of so many ms from now, that arrives now. */
	const measure = (user: User, from = 0) => {
		const reading = bloodPressure(iso(w.clock + from).replace('.000', ''), 120 + history.entries.length, 80);
		history.add(user, reading, { late: Math.max(0, -from) });
		return reading.point as BloodPressurePoint;
	};
	const systolics = (rows: Array<Record<string, unknown>> = []) => rows.map(({ systolic }) => systolic);
	const listing = (userIds: string[], usersBy = 'clientUserId'): INodeParameters => ({
		event: 'bloodPressure',
		userScope: 'listed',
		usersBy,
		userIds: userIds.join(),
	});

	// By client user ID, the durable scheduler shows all that it could show by user ID.
	const ways = (['userId', 'clientUserId'] as const).filter((way) => scheduler === 'memory' || way === 'clientUserId');
	describe.each(ways)('by %s', (usersBy) => {
		const named = (...users: Array<User | string>) =>
			users.map((user) =>
				typeof user === 'string' ? user : user[usersBy === 'userId' ? 'user_id' : 'client_user_id']!,
			);
		const watching = (...users: Array<User | string>) => listing(named(...users), usersBy);
		const trigger = (...users: Array<User | string>) => w.trigger(watching(...users));
		/** Published again with another list. */
		const publish = async (n8n: PollingHost, ...users: Array<User | string>) => {
			n8n.parameters = watching(...users);
			n8n.kill();
			return await n8n.start('update');
		};
		const unknown = usersBy === 'userId' ? '00000000-0000-4000-8000-000000000000' : 'Geheim-7';

		it('reports the only user, too, who cannot be read for a while: no poll fails', async () => {
			const n8n = trigger(anna);
			await n8n.start();
			used.sandbox.switches.users = { anna: 'fails' };
			for (let i = 0; i < 3; i++) expect(await n8n.tick()).toBeUndefined();
			expect(n8n.reported).toHaveLength(1);
		});

		it('watches the users on the list, and no others', async () => {
			measure(anna, -HOUR);
			const n8n = trigger(ben, anna);
			expect(await n8n.start()).toBeUndefined();
			pass(MINUTE);
			const expected = [measure(anna), measure(ben, -MINUTE / 2)].reverse();
			measure(cleo);
			expect(systolics(await n8n.tick())).toEqual(expected.map(({ systolic }) => systolic));
			expect(await n8n.tick()).toBeUndefined();
		});

		it('an added user is watched from then on, without an effect on others', async () => {
			const n8n = trigger(anna);
			await n8n.start();
			pass(HOUR);
			measure(cleo, -MINUTE);
			const before = measure(anna, -MINUTE);
			expect(systolics(await publish(n8n, cleo, anna))).toEqual([before.systolic]);
			pass(MINUTE);
			const late = measure(anna, -30 * MINUTE);
			const first = measure(cleo);
			expect(systolics(await n8n.tick())).toEqual([late.systolic, first.systolic]);
			expect(n8n.reported).toEqual([]);
		});

		it('a removed user is not read, and starts over when put back', async () => {
			const n8n = trigger(anna, ben);
			await n8n.start();
			pass(MINUTE);
			const first = measure(ben);
			expect(systolics(await n8n.tick())).toEqual([first.systolic]);
			expect(await publish(n8n, anna)).toBeUndefined();
			pass(MINUTE);
			measure(ben);
			const hers = measure(anna, -1000);
			expect(systolics(await n8n.tick())).toEqual([hers.systolic]);
			pass(MINUTE);
			expect(await publish(n8n, ben, anna)).toBeUndefined();
			pass(MINUTE);
			const back = measure(ben);
			expect(systolics(await n8n.tick())).toEqual([back.systolic]);
		});

		it('an entry without a user is reported at once and hourly, by its position, while all others are emitted', async () => {
			const n8n = trigger(anna, unknown, ben);
			await n8n.start();
			expect(n8n.reported.map(({ message }) => message)).toEqual([
				expect.stringMatching(/^The readings of 1 user could not be read\. Entry 2 of 'User IDs' is /),
			]);
			for (let poll = 0; poll < 5; poll++) {
				pass(15 * MINUTE);
				const expected = measure(poll % 2 ? anna : ben);
				expect(systolics(await n8n.tick())).toEqual([expected.systolic]);
			}
			expect(n8n.reported).toHaveLength(2);
			const said = JSON.stringify(n8n.reported.map(({ message, description }) => [message, description]));
			expect(said).not.toContain('Geheim');
			expect(said).not.toContain('?');

			expect(systolics(await publish(n8n, anna, ben))).toEqual([]);
			pass(2 * HOUR);
			measure(anna);
			await n8n.tick();
			expect(n8n.reported).toHaveLength(2);
		});

		it('a list without any user is an error at once', async () => {
			await expect(trigger(unknown).start()).rejects.toThrow("Entry 1 of 'User IDs' is ");
		});

		it.each([
			['is gone', 404],
			['fails', 500],
		])('a user that %s for longer than the lookback and comes back: nothing lost, nothing twice', async (_, status) => {
			const n8n = trigger(anna, ben);
			await n8n.start();
			const all: unknown[] = [];
			const out: unknown[] = [];
			const poll = async () => out.push(...systolics(await n8n.tick()));
			const step = async () => {
				pass(HOUR);
				all.push(measure(anna).systolic, measure(ben, -1000).systolic);
				await poll();
			};
			for (let hour = 0; hour < 5; hour++) await step();
			used.sandbox.switches.fault = (__, url) =>
				url.includes(ben.user_id) || url.includes('/resolve/ben')
					? { status, body: { detail: 'Not found' } }
					: undefined;
			for (let hour = 0; hour < 5 * 24; hour += 12) {
				pass(11 * HOUR);
				await step();
			}
			expect(out.length).toBeLessThan(all.length);
			if (scheduler === 'memory') expect(await publish(n8n, anna, ben)).toBeUndefined();
			used.sandbox.switches.fault = () => undefined;
			await poll();
			await step();
			await poll();
			expect([...out].sort()).toEqual([...all].sort());
			expect(n8n.reported.length).toBeGreaterThan(0);
			expect(n8n.reported.length).toBeLessThanOrEqual(5 * 24 + 1);
		});

		it('the saved state has no client user ID', async () => {
			const n8n = trigger(anna, ben, unknown);
			await n8n.start();
			pass(MINUTE);
			measure(anna);
			await n8n.tick();
			const saved = n8n.row ?? n8n.saved;
			expect(saved).toContain('cursors');
			for (const id of ['anna', 'ben', 'Geheim']) expect(saved).not.toContain(id);
		});

		it('a test event is the newest of those on the list', async () => {
			measure(cleo, -HOUR);
			const expected = measure(ben, -2 * HOUR);
			measure(anna, -3 * HOUR);
			expect(systolics(await trigger(anna, unknown, ben).fetchTestEvent())).toEqual([expected.systolic]);
			await expect(trigger(unknown).fetchTestEvent()).rejects.toThrow("Entry 1 of 'User IDs' is ");
		});
	});

	it('two spellings of one user: nothing old goes out, nothing is lost, nothing twice', async () => {
		measure(anna, -HOUR);
		const resolves = { '/resolve/Anna': { status: 200, body: anna } };
		const answer = (faults: Record<string, Fault>) => {
			const found = Object.entries({ ...resolves, ...faults });
			used.sandbox.switches.fault = (_, url) => found.find(([part]) => url.includes(part))?.[1];
		};
		const fails = { [`timeseries/${anna.user_id}`]: { status: 422 } };
		answer(fails);
		const n8n = w.trigger(listing(['Anna', 'anna', 'ben']));
		await n8n.start();
		const all: unknown[] = [];
		for (let poll = 0; poll < 8; poll++) {
			answer(poll < 2 || poll > 6 ? {} : fails);
			pass(12 * HOUR);
			if (poll > 1) all.push(measure(anna).systolic);
			await n8n.tick();
		}
		const hers = n8n.executions.flat().filter(({ user_id }) => user_id === anna.user_id);
		expect(systolics(hers)).toEqual(all);
	});

	if (scheduler === 'memory')
		it('two spellings of one user, and more readings than a poll emits: none is lost', async () => {
			Object.assign(used.sandbox.switches, {
				pageSize: 5000,
				fault: (_: number, url: string) => (url.includes('/resolve/Anna') ? { status: 200, body: anna } : undefined),
			});
			const n8n = w.trigger(listing(['Anna', 'anna']));
			await n8n.start();
			const from = w.clock;
			pass(20 * 24 * HOUR);
			const count = 12_345;
			const step = Math.floor((w.clock - from) / (count + 1));
			for (let i = 1; i <= count; i++) history.add(anna, bloodPressure(iso(from + i * step), 120, 80));
			for (let poll = 0; poll < 3; poll++) await n8n.tick();
			expect(new Set(n8n.executions.flat().map(({ row_id }) => row_id)).size).toBe(count);
		});

	it.each<[string, string[], Record<string, Fault>]>([
		['the first one is removed', ['Anna', 'ben'], {}],
		['that, and Resolve of the other fails once', ['Anna', 'ben'], { '/resolve/Anna': { status: 422 } }],
		['Resolve of the first one fails once', ['anna', 'Anna', 'ben'], { '/resolve/anna': { status: 422 } }],
		['Resolve of the first one is slow once', ['anna', 'Anna', 'ben'], { '/resolve/anna': { delayMs: 500 } }],
	])('two spellings of one user for weeks, then %s: nothing goes out again', async (_, entries, faults) => {
		const answer = (more: Record<string, Fault>) => {
			const found = Object.entries({ '/resolve/Anna': { status: 200, body: anna }, ...more });
			used.sandbox.switches.fault = (_request, url) => found.find(([part]) => url.includes(part))?.[1];
		};
		answer({});
		const n8n = w.trigger(listing(['anna', 'Anna', 'ben']));
		await n8n.start();
		for (let day = 0; day < 20; day++) {
			pass(24 * HOUR);
			measure(anna, -MINUTE);
			await n8n.tick();
		}
		expect(n8n.reported).toEqual([]);
		answer(faults);
		n8n.parameters = listing(entries);
		await n8n.start('update');
		pass(MINUTE);
		await n8n.tick();
		answer({});
		await n8n.tick();
		expect(n8n.executions.flat()).toHaveLength(20);
	});

	it('with Requests per Second: each is resolved, because the list could take all requests of a poll', async () => {
		const names = Array.from({ length: 8 }, (_, i) => history.addUser(`user ${i}`).client_user_id!);
		await w.trigger({ ...listing(names), options: { requestsPerSecond: 50 } }).start();
		expect(used.sandbox.requests.filter((url) => url.startsWith('/v2/user?offset'))).toEqual([]);
	});

	it('an identifier that moves to another user starts over', async () => {
		const n8n = w.trigger(listing(['anna', 'ben']));
		await n8n.start();
		pass(HOUR);
		measure(cleo, -MINUTE);
		history.team.users = [anna, { ...cleo, client_user_id: 'ben' }];
		expect((await n8n.tick()) ?? []).toEqual([]);
		pass(MINUTE);
		const first = measure(cleo);
		expect(systolics(await n8n.tick())).toEqual([first.systolic]);
	});
});
