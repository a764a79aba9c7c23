/**
 * The trigger in a real n8n that polls every two seconds: it is killed, renamed, published again and started while the service
 * is down. The rows that its workflow emits are the service's history, each once.
 */
import fastify from 'fastify';
import type { IDataObject } from 'n8n-workflow';
import { WITHOUT_EDITOR } from '../../dev/host/n8nEnvironment';
import { chain, node, NODE_TYPE } from '../../dev/host/workflow';
import { until } from '../../dev/host/process/until';
import { History, type Entry, bloodPressure, KEY } from '../helpers/people';
import { EVERY_TWO_SECONDS, useHost } from './n8n';

const HOUR = 3_600_000;

/** @param env n8n's variables for this scheduler */
export function describeTrigger(scheduler: 'memory' | 'durable', env: Record<string, string>) {
	const w = useWorkflow(env);
	const { history, measure, everythingCame, morePolls, executions, received, expected } = w;
	const anna = history.addUser('anna');
	const ben = history.addUser('ben');

	it('emits no reading from before, also when the service is down at activation', async () => {
		history.add(anna, bloodPressure(new Date(Date.now() - HOUR).toISOString(), 99, 80), { late: 0 });
		w.host.sandbox.switches.fault = () => ({ status: 503 });
		expect(await w.host.rest.activate(w.workflow)).toMatchObject({ status: 'published' });
		w.host.sandbox.switches.fault = () => undefined;
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

	it('emits once what answers slower than n8n polls bring', async () => {
		w.host.sandbox.switches.latencyMs = 5000;
		measure(anna);
		measure(ben);
		await everythingCame(1);
		w.host.sandbox.switches.latencyMs = 0;
	});

	it('continues after n8n was killed during a poll', async () => {
		w.host.sandbox.switches.latencyMs = 700;
		const before = w.host.sandbox.requests.length;
		await until('a request of a poll', async () => w.host.sandbox.requests.length > before, {
			everyMs: 5,
		});
		await w.host.kill();
		w.host.sandbox.switches.latencyMs = 0;
		measure(anna);
		measure(ben, 47);
		await w.host.start();
		await everythingCame();
	});

	it('continues after a rename and a new publication', async () => {
		const { id } = w.workflow;
		measure(anna);
		await everythingCame();
		await w.host.rest.deactivate(w.workflow);
		measure(ben);
		const { nodes, versionId } = await w.host.rest.get(`/rest/workflows/${id}`);
		const renamed = nodes.map((node: { name: string }) =>
			node.name === 'Trigger' ? { ...node, name: 'Readings' } : node,
		);
		const connections = { Readings: { main: [[{ node: 'Write', type: 'main', index: 0 }]] } };
		w.workflow = await w.host.rest.patch(`/rest/workflows/${id}`, { nodes: renamed, connections, versionId });
		await w.host.rest.activate(w.workflow);
		await everythingCame();
	});

	it('continues after n8n was killed between two polls, and started while the service is down', async () => {
		const before = (await executions('error')).length;
		await w.host.kill();
		measure(anna);
		measure(ben, 46);
		w.host.sandbox.switches.fault = () => ({ status: 503 });
		await w.host.start();
		await until('a failed execution', async () => (await executions('error')).length > before);
		measure(ben);
		w.host.sandbox.switches.fault = () => undefined;
		await everythingCame();
	});
}

/** Workflow that polls every two seconds and sends its rows to the test. To be called once per file: it registers what must happen before and after the tests. @param env of n8n */
function useWorkflow(env: Record<string, string>) {
	const history = new History();
	const receiver = fastify();
	const host = useHost(history, { env: { ...WITHOUT_EDITOR, ...env } });
	let systolic = 100;

	const w = {
		history,
		/** What must have come in, in any order. */
		expected: [] as string[],
		received: [] as IDataObject[],
		host,
		workflow: undefined as unknown as { id: string; versionId: string; nodes: Array<{ name: string }> },

		/** A reading that reaches the service now. */
		measure(user: Entry['user'], hoursAgo = 0): Entry {
			const time = Date.now() - hoursAgo * HOUR;
			const entry = history.add(user, bloodPressure(new Date(time).toISOString(), ++systolic, 80), {
				late: hoursAgo * HOUR,
			});
			w.expected.push(`${systolic} created`);
			return entry;
		},

		/** Until everything is there, its executions have ended, and more polls have brought nothing. */
		async everythingCame(polls = 3) {
			// What is missing, the last line shows.
			const haveCome = async () => w.received.length >= w.expected.length;
			await until('the rows of the workflow', haveCome).catch(() => undefined);
			await until('the end of its executions', async () => (await w.executions('running')).length === 0);
			await w.morePolls(polls);
			expect(w.received.map((row) => `${row.systolic} ${row.change}`).sort()).toEqual([...w.expected].sort());
		},

		polls: () => host.sandbox.requests.filter((url) => url.startsWith('/v2/user?offset=0')).length,

		async morePolls(count: number) {
			const before = w.polls();
			await until('more polls', async () => w.polls() >= before + count);
		},

		executions: async (status: string) => await host.rest.executions(w.workflow.id, status),
	};

	receiver.post('/rows', async ({ body }) => w.received.push(body as IDataObject));

	beforeAll(async () => {
		await receiver.listen({ host: '127.0.0.1', port: 0 });
		const id = await host.credential(KEY);
		const { port } = receiver.server.address() as { port: number };
		const watched = { event: 'bloodPressure', userScope: 'all', pollTimes: EVERY_TWO_SECONDS };
		const body = { sendBody: true, specifyBody: 'json', jsonBody: '={{ $json }}' };
		const rows = { method: 'POST', url: `http://127.0.0.1:${port}/rows`, ...body };
		w.workflow = await host.rest.importWorkflow(
			chain('Every new reading', [
				node('Trigger', `${NODE_TYPE}Trigger`, 1, watched, id),
				node('Write', 'n8n-nodes-base.httpRequest', 4.2, rows),
			]),
		);
	});

	afterAll(async () => await receiver.close());
	return w;
}
