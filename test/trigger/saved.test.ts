/**
 * Saved state: the in-memory scheduler saves with the rows and at a start, the durable one in a row with the execution. With kills,
 * starts, long absences, stale rows, failed emits, and broken parts. And the identity of the node: renamed, pasted, polled twice.
 */
import { createHash } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { type Schedule, withoutOverlap } from '../../nodes/HealthDataService/trigger/scheduler';
import { sealed } from '../../nodes/HealthDataService/trigger/state';
import type { HostOptions, PollingHost } from '../helpers/pollingHost';
import {
	allUsers,
	HOUR,
	isPassComplete,
	MINUTE,
	onBothSchedulers,
	savedState,
	valuesOf,
	watch,
} from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);
	/** As after a restart of the process. */
	const restarted = (n8n: PollingHost) => {
		const next = w.trigger(n8n.parameters, { ...n8n.options, workflowId: `restarted ${Math.random()}` });
		return Object.assign(next, { saved: n8n.saved, row: n8n.row });
	};

	it('may be killed after any poll', async () => {
		const n8n = await w.started();
		for (let i = 0; i < 3; i++) {
			w.pass(HOUR);
			w.measure(w.anna, 120 + i, MINUTE);
			expect(await w.after(n8n, 0)).toEqual([120 + i]);
			n8n.kill();
			expect(await n8n.start('init')).toBeUndefined();
		}
	});

	it('may be down for much longer than the lookback', async () => {
		w.measure(w.anna, 120, HOUR);
		const n8n = await w.started();
		n8n.kill();
		for (let day = 0; day < 10; day++) w.history.add(w.anna, w.reading(day * 24 * 60));
		w.pass(240 * HOUR);
		expect(await n8n.start('init')).toHaveLength(10);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('saves no reading and no name', async () => {
		const n8n = await w.started();
		// A value that no hash, port or counter contains.
		w.measure(w.anna, 187.654321);
		expect(await n8n.tick()).toHaveLength(1);
		const saved = n8n.row ?? n8n.saved;
		expect(saved).not.toMatch(/187\.6|anna|omron|cuff/);
		expect(saved).not.toContain(w.anna.user_id);
	});

	it('a renamed node continues, and again when it gets its old name back', async () => {
		const n8n = await w.started();
		let systolic = 120;
		for (const nodeName of ['Other', 'Node', 'Other']) {
			n8n.kill();
			n8n.options = { ...n8n.options, nodeName };
			w.measure(w.anna, ++systolic);
			expect(valuesOf(await n8n.start())).toEqual([systolic]);
			w.pass(HOUR);
			w.measure(w.anna, ++systolic);
			expect(await w.after(n8n)).toEqual([systolic]);
		}
	});

	it.each<[string, string, string]>([
		['two nodes that swap their names', 'B', 'A'],
		['a node whose old name a new one has', 'B', ''],
	])('%s: both continue', async (_, renamed, swapped) => {
		const one = w.trigger(undefined, { nodeId: 'one', nodeName: 'A' });
		await one.start();
		const two = w.trigger(undefined, { nodeId: 'two', nodeName: swapped ? 'B' : 'A' });
		two.saved = one.saved;
		if (swapped) await two.start();
		w.pass(HOUR);
		w.measure(w.anna, 190, MINUTE);
		let { saved } = two;
		const values: unknown[] = [];
		for (const [n8n, nodeName] of [
			[two, 'A'],
			[one, renamed],
		] as const) {
			const { row } = n8n;
			n8n.kill();
			n8n.options = { ...n8n.options, nodeName };
			Object.assign(n8n, { saved, row });
			values.push(valuesOf(await n8n.start('update')));
			({ saved } = n8n);
		}
		expect(values).toEqual([swapped ? [190] : undefined, [190]]);
	});

	it('a pasted node starts over, and the original continues', async () => {
		const n8n = await w.started();
		w.measure(w.anna, 121);
		const copy = w.trigger(undefined, { nodeName: 'Node1' });
		copy.saved = n8n.saved;
		expect(await copy.start()).toBeUndefined();
		expect(await w.after(n8n)).toEqual([121]);
		w.measure(w.anna, 122);
		expect(await w.after(copy)).toEqual([122]);
		expect(await w.after(n8n)).toEqual([122]);
	});

	it.each<[string, HostOptions, HostOptions]>([
		['two nodes of one workflow', { nodeId: 'one' }, { nodeId: 'two', nodeName: 'Two' }],
		['one node in two workflows', { workflowId: 'one', nodeId: 'same' }, { workflowId: 'two', nodeId: 'same' }],
	])('%s do not wait for each other', async (_, first, second) => {
		const one = await w.started(undefined, { ...first, nodeId: `${first.nodeId} ${scheduler}` });
		const two = await w.started(undefined, { ...second, nodeId: `${second.nodeId} ${scheduler}` });
		w.measure(w.anna, 121);
		w.switches.latencyMs = 50;
		expect((await Promise.all([one.tick(), two.tick()])).map(valuesOf)).toEqual([[121], [121]]);
	});

	it('polls again while a poll still runs: the second does nothing', async () => {
		const n8n = await w.started();
		w.measure(w.anna, 120);
		w.switches.latencyMs = 50;
		const polls = await Promise.all([n8n.tick(), n8n.tick(), n8n.tick()]);
		expect(polls.filter((rows) => rows !== undefined).map(valuesOf)).toEqual([[120]]);
	});

	it('is published again while a poll still runs: nothing is emitted twice', async () => {
		const n8n = await w.started();
		w.measure(w.anna, 121);
		w.switches.latencyMs = 50;
		const poll = n8n.tick();
		await n8n.start();
		await poll;
		w.history.add(w.anna, w.reading(0, 122, 'withings'));
		await n8n.tick();
		await n8n.tick();
		expect(valuesOf(n8n.executions.flat())).toEqual([121, 122]);
	});

	it('in another order of its parts is the same: nothing is lost, nothing is said', async () => {
		const n8n = await w.started();
		n8n.kill();
		const reversed = (part: object) => Object.fromEntries(Object.entries(part).reverse());
		change(n8n, (state) => ({ ...reversed(state), cursors: cursorsOf(state).map(reversed) }));
		w.measure(w.anna, 122);
		const next = restarted(n8n);
		expect(valuesOf(await next.start('init'))).toEqual([122]);
		expect(next.reported).toEqual([]);
	});

	it.each<[string, (state: Broken) => unknown]>([
		['is a text', () => 'broken'],
		['is null', () => JSON.parse('null') as unknown],
		['of another version', (state) => sealed({ ...state, version: 3 } as never)],
		['without version', (state) => void delete state.version],
		['with users cut off', (state) => void (cursorsOf(state)[0].users = 'abc')],
		['with hashes cut off', (state) => void (state.seen = { none: 'abc' })],
		['watching since an hour later', (state) => void ((state.since as number) += HOUR)],
	])('that %s: the trigger starts over, and says so once', async (_, part) => {
		const n8n = await w.started();
		n8n.kill();
		change(n8n, part);
		const next = restarted(n8n);
		await next.start('init');
		w.measure(w.anna, 122);
		expect([...(await w.after(next)), ...(await w.after(next))]).toEqual([122]);
		expect(next.reported.map(({ message }) => message)).toEqual([
			'The saved state of the trigger cannot be used, so the trigger starts over: readings from now on go out',
		]);
	});
});

type Broken = Record<string, unknown>;
const cursorsOf = (state: Broken) => state.cursors as Broken[];

/** Changes what n8n's database holds. */
function change(n8n: PollingHost, part: (state: Broken) => unknown) {
	const isRow = n8n.row !== undefined;
	const data = JSON.parse(n8n.row ?? n8n.saved) as Broken;
	const holder = (isRow ? data : data['node:Node']) as { state: Broken };
	const changed = part(holder.state);
	if (changed !== undefined) holder.state = changed as Broken;
	if (isRow) n8n.row = JSON.stringify(data);
	else n8n.saved = JSON.stringify(data);
}

describe('what is watched', () => {
	const w = watch('durable');
	const omron = { provider: { __rl: true, mode: 'slug', value: 'omron' } };
	const connected = { ...omron, options: { onlyConnected: true } };
	const by = (mode: string, value: string) => ({ userScope: 'one', user: { __rl: true, mode, value } });
	const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 20);
	const annaId = () => `["bloodPressure",["userId","${shortHash(w.anna.user_id)}"],"",[]]`;
	const listed = { userScope: 'listed', usersBy: 'clientUserId', userIds: 'anna, ben' };
	it.each<[string, () => INodeParameters, string | typeof annaId]>([
		['all users', () => ({}), '["bloodPressure",["all"],"",[]]'],
		['a provider', () => omron, '["bloodPressure",["all"],"omron",[]]'],
		['connected users', () => connected, '["bloodPressure",["all","connected"],"omron",[]]'],
		[
			'source types',
			() => ({ options: { sourceTypes: 'cuff,phone' } }),
			'["bloodPressure",["all"],"",["cuff","phone"]]',
		],
		['one user', () => by('clientUserId', 'ben'), `["bloodPressure",["clientUserId","${shortHash('ben')}"],"",[]]`],
		['a picked user in any case', () => by('list', w.anna.user_id.toUpperCase()), annaId],
		['a list', () => listed, '["bloodPressure",["listed","clientUserId"],"",[]]'],
		['users, with hidden fields', () => ({ ...omron, ...listed, event: 'user' }), '["user",["all"],"",[]]'],
	])('is saved without IDs, in words that never change: %s', async (_, parameters, of) => {
		const n8n = await w.started({ ...allUsers, ...parameters() });
		expect(savedState(n8n).of.split(' http')[0]).toBe(typeof of === 'function' ? of() : of);
	});
});

describe('in memory', () => {
	const w = watch('memory');
	const reaching = (systolic: number) => ({ ...allUsers, limits: { high: { systolic, diastolic: null } } });

	it('is saved at a start and with rows only: readings lost in a kill are found again', async () => {
		w.measure(w.anna, 90, HOUR);
		const n8n = await w.started();
		const atStart = n8n.saved;
		expect(Object.keys(savedState(n8n).seen)).toHaveLength(1);
		expect(isPassComplete(savedState(n8n))).toBe(true);
		w.pass(HOUR);
		expect(await n8n.tick()).toBeUndefined();
		expect(n8n.saved).toBe(atStart);
		w.measure(w.anna, 121);
		expect(await w.after(n8n)).toEqual([121]);
		expect(n8n.saved).not.toBe(atStart);
		n8n.kill();
		expect(await n8n.start('init')).toBeUndefined();
	});

	it('is a day old at most: after a restart, a lower minimum sends nothing from days ago, and the report says since when', async () => {
		const n8n = await w.started(reaching(180));
		const empty: number[] = [];
		for (let hour = 3; hour <= 6 * 24; hour += 3) {
			w.pass(3 * HOUR);
			w.measure(w.anna, 150);
			if ((await n8n.tick())?.length === 0) empty.push(hour);
		}
		expect(empty).toEqual(Array.from({ length: 6 }, (_, day) => (day + 1) * 24));
		w.switches.users = { ben: 'fails' };
		const restarted = w.trigger(reaching(140), { ...n8n.options, workflowId: 'as after a restart of the process' });
		restarted.saved = n8n.saved;
		const rows = await restarted.start('init');
		expect(rows!.length).toBeLessThanOrEqual((3 * 24) / 3 + 1);
		expect(restarted.reported[0].description).toContain(`${w.ben.user_id} since 2026-06-07`);
	});

	it('rows that were not saved before the kill are emitted again', async () => {
		const n8n = await w.started();
		const { saved } = n8n;
		w.measure(w.anna, 121);
		await n8n.tick();
		n8n.kill();
		const restarted = w.trigger(undefined, { ...n8n.options, workflowId: 'as after another restart of the process' });
		restarted.saved = saved;
		expect(valuesOf(await restarted.start('init'))).toEqual([121]);
	});
});

describe('durable', () => {
	const w = watch('durable');

	it('the readings seen at activation are saved, so that those that arrive before the first poll time are emitted', async () => {
		w.measure(w.anna, 90, HOUR);
		const n8n = await w.started();
		expect(n8n.executions).toEqual([]);
		expect(Object.keys(savedState(n8n).seen)).toHaveLength(1);
		expect(isPassComplete(savedState(n8n))).toBe(true);
		w.measure(w.anna, 121);
		expect(await w.after(n8n)).toEqual([121]);
	});

	it('an outage at activation is saved too: readings measured from then on are new', async () => {
		w.answer({ '': { status: 503 } });
		w.measure(w.anna, 90, HOUR);
		const begun = w.clock;
		const n8n = await w.started();
		expect(savedState(n8n).since).toBe(begun);
		w.pass(HOUR);
		w.measure(w.anna, 121, 30 * MINUTE);
		await expect(n8n.tick()).rejects.toMatchObject({ httpCode: '503' });
		w.answer({});
		expect(await w.after(n8n)).toEqual([121]);
	});

	it('an outage gets all attempts at a poll time, fewer at a start', async () => {
		const n8n = await w.started();
		w.used.sandbox.requests.length = 0;
		w.answer({ '': { status: 503 } });
		await n8n.tick().catch(() => undefined);
		expect(w.used.sandbox.requests).toHaveLength(7);
		w.used.sandbox.requests.length = 0;
		await n8n.start('init');
		expect(w.used.sandbox.requests).toHaveLength(2);
	});

	/** A reading went out; `row`: what n8n kept until then. */
	const afterDelivery = async () => {
		const n8n = await w.started();
		const { row } = n8n;
		w.measure(w.anna, 121);
		expect(await w.after(n8n, 0)).toEqual([121]);
		return { n8n, row };
	};

	it('a state older than the last delivery: the poll is skipped, and nothing is emitted twice', async () => {
		const { n8n, row } = await afterDelivery();
		n8n.staleRow = row;
		w.history.add(w.anna, w.reading(0, 122, 'withings'));
		expect(await n8n.tick()).toBeUndefined();
		expect(await w.after(n8n, 0)).toEqual([122]);
	});

	it('a state older than the last delivery is not taken after an hour either, nor once more', async () => {
		const { n8n, row } = await afterDelivery();
		for (let time = 0; time < 2; time++) {
			w.pass(HOUR);
			n8n.staleRow = row;
			expect(await n8n.tick()).toBeUndefined();
			expect(await n8n.tick()).toBeUndefined();
		}
	});

	it('one older than that of a quiet poll: the poll reads, and what it saves is newer than all', async () => {
		const n8n = await w.started();
		const { row: first } = n8n;
		await n8n.tick();
		const { row: second } = n8n;
		w.measure(w.anna, 121);
		n8n.staleRow = first;
		expect(await w.after(n8n, 0)).toEqual([121]);
		n8n.staleRow = second;
		expect(await n8n.tick()).toBeUndefined();
	});

	it('other fields begin at once at a start, also with an old state; later polls do not begin with one again', async () => {
		const { n8n, row } = await afterDelivery();
		const delivered = n8n.row;
		n8n.parameters = { ...n8n.parameters, options: { sourceTypes: 'cuff' } };
		n8n.staleRow = row;
		await n8n.start();
		w.pass(1000);
		w.measure(w.anna, 122);
		w.pass(1000);
		n8n.staleRow = delivered;
		expect(await n8n.tick()).toBeUndefined();
		expect(await w.after(n8n, 0)).toEqual([122]);
	});

	it('another address begins at once, though no field has changed', async () => {
		const { n8n } = await afterDelivery();
		n8n.credential = { ...n8n.credential, baseUrl: n8n.credential.baseUrl.replace('127.0.0.1', 'localhost') };
		w.used.sandbox.requests.length = 0;
		expect(await n8n.tick()).toBeUndefined();
		expect(w.readingRequests()).toHaveLength(2);
	});

	it('a failed delivery is repeated', async () => {
		const { n8n, row } = await afterDelivery();
		n8n.row = row;
		expect(await n8n.tick()).toBeUndefined();
		w.pass(MINUTE - 1);
		expect(await n8n.tick()).toBeUndefined();
		expect(await w.after(n8n, 1)).toEqual([121]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('continues from the state of the in-memory scheduler after a change to the durable one', async () => {
		const before = await w.started(undefined, { scheduler: 'memory' });
		w.measure(w.anna, 121);
		await before.tick();
		before.kill();
		const n8n = w.trigger(undefined, { ...before.options, scheduler: 'durable' });
		n8n.saved = before.saved;
		w.history.add(w.anna, w.reading(0, 122, 'withings'));
		expect(valuesOf(await n8n.start('init'))).toEqual([122]);
		expect(await n8n.tick()).toBeUndefined();
	});

	it('a copy with the name of the node before does not continue from its state', async () => {
		const before = await w.started(undefined, { scheduler: 'memory' });
		w.measure(w.anna, 121);
		const copy = w.trigger();
		copy.saved = before.saved;
		expect(await copy.start('init')).toBeUndefined();
	});

	it('the lock of a running poll expires after twice the budget, and the late poll does not release that of another', async () => {
		const budgetMs = 40_000;
		const schedule = { local: {}, budgetMs, isStart: false } as unknown as Schedule;
		/** A poll that runs until its end is called. */
		const pending = (name: string) => {
			let end = () => {};
			const ended = new Promise<string>((resolve) => (end = () => resolve(name)));
			return { poll: async () => await ended, end };
		};
		const first = pending('first');
		const late = withoutOverlap(schedule, first.poll);
		w.pass(2 * budgetMs - 1);
		expect(await withoutOverlap(schedule, async () => 'too soon')).toBeNull();
		w.pass(1);
		const second = pending('second');
		const running = withoutOverlap(schedule, second.poll);
		first.end();
		expect(await late).toBe('first');
		expect(await withoutOverlap(schedule, async () => 'beside the second')).toBeNull();
		second.end();
		expect(await running).toBe('second');
	});
});
