/**
 * The trigger in a real n8n that polls every two seconds: it is killed, renamed, published again and started while the service
 * is down, and one user cannot be read for a while. The rows that its workflow emits are the service's history, each once.
 */
import { until } from '../../dev/host/process/until';
import { bloodPressure } from '../helpers/people';
import { HOUR, useWorkflow } from './triggerWorkflow';

/** @param env n8n's variables for this scheduler */
export function describeTrigger(scheduler: 'memory' | 'durable', env: Record<string, string>) {
	const w = useWorkflow(env);
	const { history, measure, everythingCame, morePolls, executions, received, expected } = w;
	const anna = history.addUser('anna');
	const ben = history.addUser('ben');

	it('emits no reading from before, also when the service is down at activation', async () => {
		history.add(anna, bloodPressure(new Date(Date.now() - HOUR).toISOString(), 99, 80), { late: 0 });
		w.sandbox.switches.fault = () => ({ status: 503 });
		expect(await w.n8n.rest.activate(w.workflow)).toMatchObject({ status: 'published' });
		w.sandbox.switches.fault = () => undefined;
		await morePolls(2);
		expect(received).toEqual([]);
		if (scheduler === 'durable') return;
		// The one without rows, which saves what was seen.
		await until('the first execution', async () => (await executions('success')).length === 1);
	});

	it('emits new, late and corrected readings', async () => {
		measure(anna);
		measure(ben, 40);
		await everythingCame();

		const entry = measure(ben);
		await everythingCame();
		history.remove(entry);
		history.add(ben, { ...entry.reading, point: { ...entry.reading.point, systolic: 222 } as never });
		expected.push('222 updated');
		await everythingCame();
		expect(new Set(received.map(({ row_id }) => row_id)).size).toBe(3);
	});

	// In memory, the timeouts of a user who never answers take minutes.
	it('isolates a failing user, reports that once, and catches up', async () => {
		const before = (await executions('error')).length;
		w.sandbox.switches.users = { [ben.user_id]: scheduler === 'durable' ? 'drips' : 'fails' };
		measure(anna);
		await everythingCame();
		await until('the report', async () => (await executions('error')).length > before);
		history.add(ben, bloodPressure(new Date().toISOString(), 177, 80));
		await morePolls(4);
		expect(await executions('error')).toHaveLength(before + 1);

		w.sandbox.switches.users = {};
		expected.push('177 created');
		await everythingCame();
	});

	it('emits once what answers slower than n8n polls bring', async () => {
		w.sandbox.switches.latencyMs = 5000;
		measure(anna);
		measure(ben);
		await everythingCame(1);
		w.sandbox.switches.latencyMs = 0;
	});

	it('continues after n8n was killed during a poll', async () => {
		w.sandbox.switches.latencyMs = 700;
		const before = w.sandbox.requests.length;
		await until('a request of a poll', async () => w.sandbox.requests.length > before, {
			everyMs: 5,
		});
		await w.n8n.kill();
		w.sandbox.switches.latencyMs = 0;
		measure(anna);
		measure(ben, 47);
		await w.start();
		await everythingCame();
	});

	it('continues after a rename and a new publication', async () => {
		const { id } = w.workflow;
		measure(anna);
		await everythingCame();
		await w.n8n.rest.deactivate(w.workflow);
		measure(ben);
		const { nodes, versionId } = await w.n8n.rest.get(`/rest/workflows/${id}`);
		const renamed = nodes.map((node: { name: string }) =>
			node.name === 'Trigger' ? { ...node, name: 'Readings' } : node,
		);
		const connections = { Readings: { main: [[{ node: 'Write', type: 'main', index: 0 }]] } };
		w.workflow = await w.n8n.rest.patch(`/rest/workflows/${id}`, { nodes: renamed, connections, versionId });
		await w.n8n.rest.activate(w.workflow);
		await everythingCame();
	});

	it('continues after n8n was killed between two polls, and started while the service is down', async () => {
		const before = (await executions('error')).length;
		await w.n8n.kill();
		measure(anna);
		measure(ben, 46);
		w.sandbox.switches.fault = () => ({ status: 503 });
		await w.start();
		await until('a failed execution', async () => (await executions('error')).length > before);
		measure(ben);
		w.sandbox.switches.fault = () => undefined;
		await everythingCame();
	});
}
