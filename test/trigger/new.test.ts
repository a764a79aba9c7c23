/** Scratch. */
import type { Fault } from '../../dev/sandbox/switches';
import { type Team, uuid } from '../../dev/sandbox/world';
import { createUser } from '../helpers/people';
import { timeline } from '../helpers/timeline';
import { allUsers, HOUR, MINUTE, onBothSchedulers, valuesOf, watch } from '../helpers/watch';

describe('durable', () => {
	const w = watch('durable');

	it('a state older than that of a quiet poll: the poll reads, and saves one newer than all', async () => {
		const n8n = w.trigger();
		await n8n.start();
		const { row: first } = n8n;
		expect(await n8n.tick()).toBeUndefined();
		const { row: second } = n8n;
		w.history.add(w.anna, w.reading(0, 121));
		n8n.staleRow = first;
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		n8n.staleRow = second;
		expect(await n8n.tick()).toBeUndefined();
	});
});

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	const teams = () => w.history.teams as Team[];
	afterEach(() => void teams().splice(1));

	it('new users: columns, and a late first read is saved', async () => {
		const n8n = w.trigger({ event: 'user' });
		w.used.sandbox.switches.fault = () => ({ status: 503 });
		await n8n.start();
		w.used.sandbox.switches.fault = () => undefined;
		w.pass(HOUR);
		expect(await n8n.tick()).toEqual(scheduler === 'memory' ? [] : undefined);
		w.history.addUser('carl');
		const [row] = (await n8n.tick())!;
		expect(Object.keys(row).slice(0, 3)).toEqual(['row_id', 'change', 'user_id']);
	});

	it('a key that sees users of two teams: the first tells the team', async () => {
		w.history.team.users = [...w.history.team.users, { ...createUser('carl', ['omron']), team_id: uuid('other team') }];
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		await n8n.tick();
		expect(n8n.reported).toEqual([]);
	});

	it('a user who was never read and is gone holds up no pass: who joins brings nothing older than the lookback', async () => {
		w.used.sandbox.switches.users = { ben: 'removed' };
		const n8n = w.trigger();
		await n8n.start();
		w.pass(100 * HOUR);
		await n8n.tick();
		const carl = w.history.addUser('carl');
		w.history.add(carl, w.reading(-60 * 60, 60), { late: 60 * HOUR });
		w.history.add(carl, w.reading(-60, 121), { late: HOUR });
		w.pass(MINUTE);
		expect(valuesOf(await n8n.tick())).toEqual([121]);
	});
});
