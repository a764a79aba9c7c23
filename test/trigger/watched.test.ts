/**
 * Scope of the watch: its team, its fields, those that restart it, its start, and users that join and leave. Rows of a picked user
 * have their `client_user_id`, which each poll requests.
 */
import type { User } from '../../dev/sandbox/schemas';
import { type Team, uuid } from '../../dev/sandbox/world';
import { useLogLines } from '../helpers/engine';
import { nextTurn } from '../helpers/machine';
import { createUser, mindfulness } from '../helpers/people';
import { byUserId } from '../helpers/requests';
import { allUsers, HOUR, iso, MINUTE, onBothSchedulers, savedState, valuesOf, watch } from '../helpers/watch';
import type { INodeParameters } from 'n8n-workflow';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const log = useLogLines();

	const teams = () => w.history.teams as Team[];
	afterEach(() => {
		teams().splice(1);
		w.history.team.key = w.used.credential.apiKey;
	});

	it.each([
		['when it is published again', true],
		['while it is watched', false],
	])('another team at the same address starts over, %s', async (_, isPublished) => {
		const carl = { ...createUser('carl', ['omron']), team_id: uuid('other team') };
		teams().push({ key: 'other key', users: [carl] });
		w.history.add(carl, w.reading(-60, 100));
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		expect(log).toEqual([]);

		n8n.credential = { ...n8n.credential, apiKey: 'other key' };
		w.used.sandbox.requests.length = 0;
		w.pass(HOUR);
		// The credential of a running trigger is read anew for each poll.
		if (isPublished) expect(await n8n.start()).toBeUndefined();
		else {
			const saved = { saved: n8n.saved, row: n8n.row };
			n8n.kill();
			Object.assign(n8n, saved);
			expect(await n8n.start('init')).toBeUndefined();
		}
		const told = expect.stringContaining('belongs to another team than before');
		expect(n8n.reported).toMatchObject([{ message: told, description: expect.stringContaining('of the team before') }]);
		expect(w.readingRequests()).toEqual([carl.user_id]);
		w.pass(MINUTE);
		w.history.add(carl, w.reading(0, 131));
		expect(valuesOf(await n8n.tick())).toEqual([131]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('another team whose user fails at first: told once, and readings from then on go out, though n8n is killed', async () => {
		const carl = { ...createUser('carl', ['omron']), team_id: uuid('other team') };
		teams().push({ key: 'other key', users: [carl] });
		const n8n = w.trigger();
		n8n.credential = { ...n8n.credential };
		await n8n.start();
		w.pass(HOUR);
		n8n.credential.apiKey = 'other key';
		w.used.sandbox.switches.users = { carl: 'fails' };
		await n8n.tick();
		n8n.kill();
		w.pass(MINUTE);
		w.history.add(carl, w.reading(0, 131));
		w.pass(MINUTE);
		w.used.sandbox.switches.users = {};
		expect(valuesOf(await n8n.start('init'))).toEqual([131]);
		const told = n8n.reported.filter(({ message }) => message.includes('another team'));
		expect(told).toHaveLength(1);
	});

	it('two teams of one key, their users in any order: nothing is lost, nothing starts over', async () => {
		const carl = { ...createUser('carl', ['omron']), team_id: uuid('other team') };
		w.history.team.users = [w.anna, carl];
		const n8n = w.trigger();
		await n8n.start();
		for (let poll = 0; poll < 4; poll++) {
			w.history.team.users = [...w.history.team.users].reverse();
			if (poll === 3) w.history.removeUser(w.anna);
			w.history.add(carl, w.reading(0, 120 + poll));
			expect(valuesOf(await n8n.tick())).toEqual([120 + poll]);
		}
		expect(n8n.reported).toEqual([]);
	});

	it('a new user at the head of the list, of another team, or whose team is in capitals: nothing starts over', async () => {
		const n8n = w.trigger();
		await n8n.start();
		for (const [name, team_id] of [
			['carl', uuid('other team')],
			['dora', w.anna.team_id.toUpperCase()],
		]) {
			w.pass(HOUR);
			w.history.add(w.anna, w.reading(-5, 190));
			w.history.team.users = [{ ...createUser(name, ['omron']), team_id }, ...w.history.team.users];
			expect(valuesOf(await n8n.tick())).toEqual([190]);
		}
		expect(n8n.reported).toEqual([]);
	});

	describe('Source Types', () => {
		const only = (sourceTypes: INodeParameters[string]): INodeParameters => ({ ...allUsers, options: { sourceTypes } });
		const ofType = (type: string, minutes: number, systolic: number) =>
			w.history.add(w.anna, w.reading(minutes, systolic, 'omron', type));

		it('other readings are ignored: they are not emitted, not seen, and move no window', async () => {
			const n8n = w.trigger(only('Cuff'));
			await n8n.start();
			for (let poll = 0; poll < 3; poll++) {
				ofType('watch', 0, 100 + poll);
				expect((await n8n.tick()) ?? []).toEqual([]);
				w.pass(20 * HOUR);
			}
			expect(savedState(n8n).seen).toEqual({});
			// More than Lookback Hours before the newest of the others.
			ofType('CUFF', -55 * 60, 121);
			expect(valuesOf(await n8n.tick())).toEqual([121]);
		});

		it('a change starts over, another order or case does not', async () => {
			const n8n = w.trigger(only('cuff, watch'));
			await n8n.start();
			ofType('cuff', 0, 121);
			n8n.parameters = only(['WATCH', 'cuff']);
			expect(valuesOf(await n8n.start())).toEqual([121]);
			for (const options of [{ sourceTypes: 'phone' }, {}]) {
				ofType('phone', 0, 131);
				w.pass(HOUR);
				n8n.parameters = { ...allUsers, options };
				expect(await n8n.start()).toBeUndefined();
				ofType('phone', 0, 141);
				expect(valuesOf(await n8n.tick())).toEqual([141]);
				w.pass(HOUR);
			}
		});

		it('a test event has one of them, and they do not apply to new users', async () => {
			ofType('cuff', -60, 121);
			ofType('watch', -30, 131);
			expect(valuesOf(await w.trigger(only('cuff')).fetchTestEvent())).toEqual([121]);
			const n8n = w.trigger({ event: 'user', options: { sourceTypes: true } });
			await n8n.start();
			w.history.addUser('carl', iso(w.clock));
			w.pass(MINUTE);
			expect(await n8n.tick()).toHaveLength(1);
		});
	});

	it('a reading measured and received during the first poll is new, once', async () => {
		w.history.add(w.anna, w.reading(-60, 90));
		w.used.sandbox.switches.latencyMs = 150;
		const n8n = w.trigger();
		const start = n8n.start();
		while (w.readingRequests().length < 2) await nextTurn();
		w.pass(MINUTE / 2);
		w.history.add(w.anna, w.reading(-0.25, 121));
		w.history.add(w.ben, w.reading(-0.25, 122));
		await start;
		w.used.sandbox.switches.latencyMs = 0;
		await n8n.tick();
		expect(valuesOf(n8n.executions.flat())).toEqual([121, 122]);
	});

	it.each([
		['begin anew at once', true],
		['are watched from their activation on, though the poll of the old ones still runs', false],
	])('fields changed while a poll runs %s', async (_, isDone) => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		w.history.add(w.anna, mindfulness(iso(w.clock - HOUR), 5), { metric: 'mindfulness_minutes' });
		w.used.sandbox.switches.latencyMs = 50;
		const poll = n8n.tick();
		n8n.parameters = { ...allUsers, event: 'mindfulnessMinutes' };
		if (isDone) await poll;
		expect(await n8n.start()).toBeUndefined();
		await poll;
		w.pass(HOUR);
		w.history.add(w.anna, mindfulness(iso(w.clock - HOUR / 2), 10), { metric: 'mindfulness_minutes' });
		expect((await n8n.tick())!.map(({ value }) => value)).toEqual([10]);
		expect(await n8n.tick()).toBeUndefined();
	});

	describe('a change of', () => {
		it.each<[string, () => INodeParameters]>([
			['Trigger On', () => ({ event: 'mindfulnessMinutes', userScope: 'all' })],
			['Users', () => ({ ...allUsers, userScope: 'one', user: byUserId(w.anna.user_id) })],
			['Provider', () => ({ ...allUsers, provider: { __rl: true, mode: 'slug', value: 'omron' } })],
		])('%s starts over', async (_, parameters) => {
			const n8n = w.trigger();
			await n8n.start();
			n8n.parameters = parameters();
			w.history.add(w.anna, w.reading(0));
			w.history.add(w.anna, mindfulness(iso(w.clock), 10), { metric: 'mindfulness_minutes' });
			expect(await n8n.start()).toBeUndefined();
			expect(await n8n.tick()).toBeUndefined();
		});
	});
});

const BUDGET_MS = 2500;

/** Of the new user `carl`: users of the trigger match their tables by it, so it must never change. */
const NEW_CARL = 'user-a192dc87c32456a3ea304ce87b672973';

const picked = ({ user_id }: User, row: string): INodeParameters => ({
	event: 'bloodPressure',
	userScope: 'one',
	user: { __rl: true, mode: 'list', value: user_id, cachedResultName: row },
});

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	/** Of a user who comes onto a list: within the lookback of 48 hours, and older ones. */
	const OLD = [20, 60, 65];
	const bringsOld = (user = w.history.addUser('carl')) => {
		for (const hours of OLD) w.history.add(user, w.reading(-hours * 60, hours), { late: hours * HOUR });
		return user;
	};
	/** Polls while the newest reading is that of the user who came. */
	const poll = async (n8n: ReturnType<typeof w.trigger>, polls = 4) => {
		const rows: unknown[] = [];
		for (let i = 0; i < polls; i++) {
			w.pass(MINUTE);
			rows.push(...(valuesOf(await n8n.tick()) ?? []));
		}
		return rows;
	};

	it('a user who joined while n8n was down loses nothing, however long that was', async () => {
		const n8n = w.trigger();
		await n8n.start();
		n8n.kill();
		w.pass(24 * HOUR);
		w.history.add(w.history.addUser('cleo'), w.reading(0, 121));
		w.pass(20 * 24 * HOUR);
		expect(valuesOf(await n8n.start('init'))).toEqual([121]);
	});

	it('a user who joins brings nothing older than the lookback, also when the window moves back', async () => {
		const n8n = w.trigger();
		w.history.add(w.anna, w.reading(0));
		await n8n.start();
		bringsOld();
		w.history.removeUser(w.anna);
		expect(await poll(n8n)).toEqual([20]);
		// The others may be late.
		w.history.add(w.ben, w.reading(-30 * 60, 30), { late: 30 * HOUR });
		w.pass(MINUTE);
		expect(valuesOf(await n8n.tick())).toEqual([30]);
	});

	it('a user who was never read and is gone ends no pass: who joins brings nothing older than the lookback', async () => {
		w.used.sandbox.switches.users = { ben: 'removed' };
		const n8n = w.trigger();
		await n8n.start();
		w.pass(100 * HOUR);
		await n8n.tick();
		bringsOld();
		expect(await poll(n8n)).toEqual([20]);
	});

	it('a user who leaves and comes back within the lookback brings nothing twice', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		expect(await poll(n8n, 1)).toEqual([121]);
		for (const users of [[w.ben], [w.ben, w.anna]]) {
			w.history.team.users = users;
			expect(await poll(n8n, 2)).toEqual([]);
		}
	});

	it('new users', async () => {
		const n8n = w.trigger({ event: 'user' });
		expect(await n8n.start()).toBeUndefined();
		w.pass(HOUR);
		const carl = w.history.addUser('carl', iso(w.clock));
		const [row] = (await n8n.tick())!;
		expect(row).toMatchObject({ ...carl, row_id: NEW_CARL, change: 'created' });
		expect(Object.keys(row).slice(0, 2)).toEqual(['row_id', 'change']);
		carl.connected_sources.pop();
		expect(await n8n.tick()).toBeUndefined();
	});

	describe('a picked user', () => {
		const anna = (row = 'anna (Omron)') => picked(w.anna, row);
		const resolves = () => w.used.sandbox.requests.filter((url) => url.includes('/resolve/'));
		const whenResolved = (fault: { delayMs: number } | { status: number }) => {
			w.used.sandbox.switches.fault = (_, url) => (url.includes('/resolve/') ? fault : undefined);
		};

		it('is confirmed by a request in each poll', async () => {
			w.history.add(w.anna, w.reading(-60, 120));
			const n8n = w.trigger(anna());
			await n8n.start();
			w.used.sandbox.requests.length = 0;
			w.history.add(w.anna, w.reading(0, 121));
			w.history.add(w.anna, w.reading(1, 122, 'withings'));
			w.pass(2 * MINUTE);
			expect(await n8n.tick()).toMatchObject([
				{ systolic: 121, client_user_id: 'anna', local_time: '2026-06-01 12:00:00', change: 'created' },
				{ systolic: 122, client_user_id: 'anna' },
			]);
			expect(resolves()).toEqual(['/v2/user/resolve/anna']);
			expect(await n8n.tick()).toBeUndefined();
			expect(resolves()).toHaveLength(2);
		});

		it('emits new readings though Resolve fails', async () => {
			const n8n = w.trigger(anna());
			await n8n.start();
			w.history.add(w.anna, w.reading(0, 121));
			whenResolved({ status: 500 });
			expect(await n8n.tick()).toMatchObject([{ systolic: 121, client_user_id: null }]);
			expect(n8n.reported).toEqual([]);
			expect(await n8n.tick()).toBeUndefined();
		});

		it.each([
			['', {}],
			['and has to wait for its turn', { requestsPerSecond: 1 }],
		])('emits within its budget though Resolve hangs %s', async (_, options) => {
			const n8n = w.trigger({ ...anna(), options }, { budgetMs: BUDGET_MS });
			await n8n.start();
			w.history.add(w.anna, w.reading(0, 121));
			whenResolved({ delayMs: 4000 });
			const begun = w.time.elapsed;
			expect(await n8n.tick()).toMatchObject([{ systolic: 121, client_user_id: null }]);
			expect(w.time.elapsed - begun).toBeLessThanOrEqual(BUDGET_MS);
		});

		it('the test event has it, too', async () => {
			w.history.add(w.anna, w.reading(-60, 120));
			expect(await w.trigger(anna()).fetchTestEvent()).toMatchObject([{ client_user_id: 'anna' }]);
			expect(resolves()).toHaveLength(1);
		});

		it('a test event is found within ten seconds though the readings are slow and Resolve hangs', async () => {
			w.history.add(w.anna, w.reading(-80 * 24 * 60, 120));
			w.used.sandbox.switches.fault = (_, url) => ({ delayMs: url.includes('/resolve/') ? 7000 : 2400 });
			const begun = w.time.elapsed;
			expect(await w.trigger(picked(w.anna, 'anna (Omron)')).fetchTestEvent()).toMatchObject([
				{ client_user_id: null },
			]);
			expect(w.time.elapsed - begun).toBeLessThanOrEqual(10_000);
		});
	});
});
