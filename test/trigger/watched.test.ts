/** Scope of the watch: its team, its fields, those that restart it, and its start. */
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
