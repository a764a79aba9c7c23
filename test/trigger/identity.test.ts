/**
 * Identity of the node: renamed, pasted, put back; two in one workflow, one in two workflows. And concurrent polls: those of one
 * trigger do not overlap.
 */
import { type Schedule, withoutOverlap } from '../../nodes/HealthDataService/trigger/scheduler';
import { useVirtualTime } from '../helpers/virtualTime';
import { allUsers, HOUR, MINUTE, onBothSchedulers, savedState, valuesOf, watch } from '../helpers/watch';
import type { INodeParameters } from 'n8n-workflow';
import { createHash } from 'node:crypto';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

	const by = (mode: string, value: string) => ({ user: { __rl: true, mode, value } });
	const omron = { provider: { __rl: true, mode: 'slug', value: 'omron' } };
	const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 20);
	const anyCase = () => ({ userScope: 'one', ...by('list', w.anna.user_id.toUpperCase()) });
	const annaId = () => `["bloodPressure",["userId","${shortHash(w.anna.user_id)}"],"",[]]`;
	const listed = { userScope: 'listed', usersBy: 'clientUserId', userIds: 'anna, ben' };
	it.each<[string, INodeParameters | typeof anyCase, string | typeof annaId]>([
		['all users', {}, '["bloodPressure",["all"],"",[]]'],
		['a provider', omron, '["bloodPressure",["all"],"omron",[]]'],
		[
			'connected users',
			{ ...omron, options: { onlyConnected: true } },
			'["bloodPressure",["all","connected"],"omron",[]]',
		],
		['source types', { options: { sourceTypes: 'cuff,phone' } }, '["bloodPressure",["all"],"",["cuff","phone"]]'],
		[
			'one user',
			{ userScope: 'one', ...by('clientUserId', 'Carl') },
			`["bloodPressure",["clientUserId","${shortHash('Carl')}"],"",[]]`,
		],
		['a picked user in any case', anyCase, annaId],
		['a list', listed, '["bloodPressure",["listed","clientUserId"],"",[]]'],
		[
			'users, with hidden fields',
			{ event: 'user', ...omron, userScope: 'listed', userIds: '', output: 'users' },
			'["user",["all"],"",[]]',
		],
	])('what is watched is saved without IDs, in words that never change: %s', async (_, parameters, of) => {
		w.history.addUser('Carl');
		const n8n = w.trigger({ ...allUsers, ...(typeof parameters === 'function' ? parameters() : parameters) });
		await n8n.start();
		expect(savedState(n8n).of.split(' http')[0]).toBe(typeof of === 'function' ? of() : of);
	});

	it('a renamed node continues, and again when it gets its old name back', async () => {
		const n8n = w.trigger();
		await n8n.start();
		let systolic = 120;
		for (const nodeName of ['Other', 'Node', 'Other']) {
			n8n.kill();
			n8n.options = { ...n8n.options, nodeName };
			w.history.add(w.anna, w.reading(0, ++systolic));
			expect(valuesOf(await n8n.start())).toEqual([systolic]);
			w.pass(HOUR);
			w.history.add(w.anna, w.reading(0, ++systolic));
			expect(valuesOf(await n8n.tick())).toEqual([systolic]);
			expect(await n8n.tick()).toBeUndefined();
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
		w.history.add(w.anna, w.reading(-1, 190));
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
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		const copy = w.trigger(undefined, { nodeName: 'Node1' });
		copy.saved = n8n.saved;
		expect(await copy.start()).toBeUndefined();
		expect(valuesOf(await n8n.tick())).toEqual([121]);
		w.pass(MINUTE);
		w.history.add(w.anna, w.reading(0, 122));
		expect(valuesOf(await copy.tick())).toEqual([122]);
		expect(valuesOf(await n8n.tick())).toEqual([122]);
	});

	it.each([
		['two nodes of one workflow', { nodeId: 'one' }, { nodeId: 'two', nodeName: 'Two' }],
		['one node in two workflows', { workflowId: 'one', nodeId: 'same' }, { workflowId: 'two', nodeId: 'same' }],
	])('%s do not wait for each other', async (_, first, second) => {
		const one = w.trigger(undefined, { ...first, nodeId: `${first.nodeId} ${scheduler}` });
		const two = w.trigger(undefined, { ...second, nodeId: `${second.nodeId} ${scheduler}` });
		await one.start();
		await two.start();
		w.history.add(w.anna, w.reading(0, 121));
		w.used.sandbox.switches.latencyMs = 50;
		expect((await Promise.all([one.tick(), two.tick()])).map(valuesOf)).toEqual([[121], [121]]);
		expect((await Promise.all([one.tick(), two.tick()])).map(valuesOf)).toEqual([undefined, undefined]);
	});

	it('polls again while a poll still runs: the second does nothing', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0));
		w.used.sandbox.switches.latencyMs = 50;
		const polls = await Promise.all([n8n.tick(), n8n.tick(), n8n.tick()]);
		expect(polls.filter((rows) => rows !== undefined).map(valuesOf)).toEqual([[120]]);
	});

	it('is published again while a poll still runs: nothing is emitted twice', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		w.used.sandbox.switches.latencyMs = 50;
		const poll = n8n.tick();
		await n8n.start();
		await poll;
		w.history.add(w.anna, w.reading(0, 122, 'withings'));
		await n8n.tick();
		await n8n.tick();
		expect(valuesOf(n8n.executions.flat())).toEqual([121, 122]);
	});
});

describe('the lock of a running poll', () => {
	const time = useVirtualTime();

	const BUDGET_MS = 40_000;
	const locals: Record<string, object> = {};
	const schedule = (name: string) =>
		({ local: (locals[name] ??= {}), budgetMs: BUDGET_MS, isStart: false }) as unknown as Schedule;
	/** A poll that runs until its end is called. */
	function pending(name: string) {
		let end = () => {};
		const ended = new Promise<string>((resolve) => (end = () => resolve(name)));
		return { poll: async () => await ended, end };
	}

	it('expires after twice the budget, and the late poll does not release the lock of another', async () => {
		const first = pending('first');
		const late = withoutOverlap(schedule('d'), first.poll);
		await time.pass(2 * BUDGET_MS - 1);
		expect(await withoutOverlap(schedule('d'), async () => 'too soon')).toBeNull();
		await time.pass(1);
		const second = pending('second');
		const running = withoutOverlap(schedule('d'), second.poll);
		first.end();
		expect(await late).toBe('first');
		expect(await withoutOverlap(schedule('d'), async () => 'beside the second')).toBeNull();
		second.end();
		expect(await running).toBe('second');
	});
});
