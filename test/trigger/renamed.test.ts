/** Identity of the node: renamed, pasted, put back; two in one workflow, one in two workflows. And concurrent polls. */
import { onBothSchedulers, MINUTE, HOUR, valuesOf, watch } from '../helpers/watch';

onBothSchedulers((scheduler) => {
	const w = watch(scheduler);

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

	it('a node that is renamed between two polls without rows continues', async () => {
		const n8n = w.trigger();
		w.history.add(w.anna, w.reading(-60));
		await n8n.start();
		n8n.kill();
		n8n.options = { ...n8n.options, nodeName: 'Other' };
		expect(await n8n.start('init')).toBeUndefined();
		w.history.add(w.anna, w.reading(-50, 121), { late: 51 * MINUTE });
		w.pass(5 * MINUTE);
		expect(valuesOf(await n8n.tick())).toEqual([121]);
	});

	it('a node that gets the name of a deleted one continues', async () => {
		const gone = w.trigger(undefined, { nodeName: 'Other' });
		await gone.start();
		const n8n = w.trigger();
		n8n.saved = gone.saved;
		await n8n.start();
		n8n.kill();
		n8n.options = { ...n8n.options, nodeName: 'Other' };
		w.history.add(w.anna, w.reading(0, 121));
		expect(valuesOf(await n8n.start())).toEqual([121]);
	});

	it('another node with the name of a deleted one starts over', async () => {
		const n8n = w.trigger();
		await n8n.start();
		w.history.add(w.anna, w.reading(0, 121));
		expect(await n8n.tick()).toHaveLength(1);
		n8n.kill();
		w.pass(HOUR);
		w.history.add(w.anna, w.reading(0, 122));
		const other = w.trigger();
		Object.assign(other, { saved: n8n.saved });
		expect(await other.start()).toBeUndefined();
		w.history.add(w.anna, w.reading(1, 123));
		w.pass(2 * MINUTE);
		expect(valuesOf(await other.tick())).toEqual([123]);
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
