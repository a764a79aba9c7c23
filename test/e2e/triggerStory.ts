/**
 * The trigger in a real n8n that polls every two seconds: it is killed, renamed, published again and started while the service
 * is down, and one user is broken for a while. The rows that its workflow emits are the service's history, each once.
 */
import fastify from 'fastify';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { installPackage, packPackage } from '../../dev/host/installPackage';
import { startN8n } from '../../dev/host/n8n';
import { until } from '../../dev/host/process/until';
import { History, type Entry } from '../helpers/history';
import { bloodPressure, KEY } from '../helpers/people';
import { emptyFolder, removeFolder } from '../helpers/folder';

const HOUR = 3_600_000;
const CREDENTIAL_TYPE = 'healthDataServiceApi';

/** @param env what n8n is told to use this scheduler */
export function describeTrigger(scheduler: 'memory' | 'durable', env: Record<string, string>) {
	const history = new History();
	const anna = history.addUser('anna');
	const ben = history.addUser('ben');
	/** What must have come in, in any order. */
	const expected: string[] = [];
	const received: IDataObject[] = [];

	const receiver = fastify();
	receiver.post('/rows', async ({ body }) => received.push(body as IDataObject));

	let folder: string;
	let sandbox: Sandbox;
	let n8n: Awaited<ReturnType<typeof startN8n>>;
	let workflow: { id: string; versionId: string; nodes: Array<{ name: string }> };
	let systolic = 100;
	const start = async () => (n8n = await startN8n({ folder, env }));

	beforeAll(async () => {
		folder = emptyFolder();
		sandbox = await startSandbox({ world: history });
		await receiver.listen({ host: '127.0.0.1', port: 0 });
		await installPackage(folder, await packPackage());
		await start();

		const { rest } = n8n;
		const id = await rest.createCredential({
			name: 'Sandbox',
			type: CREDENTIAL_TYPE,
			data: { baseUrl: sandbox.baseUrl, apiKey: KEY },
		});
		// n8n refuses to poll more often than once a minute, but takes thirty poll times of once a minute each.
		const everyTwoSeconds = Array.from({ length: 30 }, (_, i) => ({
			mode: 'custom',
			cronExpression: `${i * 2} * * * * *`,
		}));
		const { port } = receiver.server.address() as { port: number };
		workflow = await rest.importWorkflow({
			name: 'Every new reading',
			nodes: [
				{
					id: 'a',
					name: 'Trigger',
					type: 'n8n-nodes-health-data-service.healthDataServiceTrigger',
					typeVersion: 1,
					position: [0, 0],
					parameters: { event: 'bloodPressure', userScope: 'all', pollTimes: { item: everyTwoSeconds } },
					credentials: { [CREDENTIAL_TYPE]: { id, name: 'Sandbox' } },
				},
				{
					id: 'b',
					name: 'Write',
					type: 'n8n-nodes-base.httpRequest',
					typeVersion: 4.2,
					position: [200, 0],
					parameters: {
						method: 'POST',
						url: `http://127.0.0.1:${port}/rows`,
						sendBody: true,
						specifyBody: 'json',
						jsonBody: '={{ $json }}',
					},
				},
			],
			connections: { Trigger: { main: [[{ node: 'Write', type: 'main', index: 0 }]] } },
		});
	});

	afterAll(async () => {
		await n8n?.stop();
		await sandbox?.close();
		await receiver.close();
		removeFolder(folder);
	});

	/** A reading that reaches the service now. */
	function measure(user: Entry['user'], hoursAgo = 0): Entry {
		const time = Date.now() - hoursAgo * HOUR;
		const entry = history.add(user, bloodPressure(new Date(time).toISOString(), ++systolic, 80), {
			late: hoursAgo * HOUR,
		});
		expected.push(`${systolic} created`);
		return entry;
	}

	const described = () => received.map((row) => `${row.systolic} ${row.change}`).sort();

	/** Until everything is there, its executions have ended, and three more polls have brought nothing. */
	async function everythingCame() {
		await until('the rows of the workflow', async () => received.length >= expected.length, { timeoutMs: 120_000 });
		await until('the end of its executions', async () => (await executions('running')).length === 0, {
			timeoutMs: 120_000,
		});
		await morePolls(3);
		expect(described()).toEqual([...expected].sort());
	}

	const polls = () => sandbox.requests.filter((url) => url.startsWith('/v2/user?offset=0')).length;

	async function morePolls(count: number) {
		const before = polls();
		await until('more polls', async () => polls() >= before + count, { timeoutMs: 120_000 });
	}

	const executions = async (status: string): Promise<unknown[]> => {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow.id, status: [status] }));
		return (await n8n.rest.get(`/rest/executions?filter=${filter}`)).results;
	};

	it('hands on nothing that was there, also when the service is down at activation', async () => {
		history.add(anna, bloodPressure(new Date(Date.now() - HOUR).toISOString(), 99, 80), { late: 0 });
		sandbox.switches.fault = () => ({ status: 503 });
		expect(await n8n.rest.activate(workflow)).toMatchObject({ status: 'published' });
		sandbox.switches.fault = () => undefined;
		await morePolls(2);
		expect(received).toEqual([]);
		if (scheduler === 'durable') return;
		// The one without rows, which saves what was seen.
		await until('the first execution', async () => (await executions('success')).length === 1, { timeoutMs: 120_000 });
	});

	it('hands on new, late and corrected readings', async () => {
		measure(anna);
		measure(ben, 40);
		await everythingCame();

		const entry = measure(ben);
		await everythingCame();
		history.remove(entry);
		history.add(ben, { ...entry.reading, point: { ...entry.reading.point, systolic: 222 } as never });
		expected.push('222 updated');
		await everythingCame();
		expect(new Set(received.map(({ id }) => id)).size).toBe(3);
	});

	it('sets a broken user aside, says so once, and catches up', async () => {
		const before = (await executions('error')).length;
		sandbox.switches.users = { [ben.user_id]: 'fails' };
		measure(anna);
		await everythingCame();
		await until('the report', async () => (await executions('error')).length > before, { timeoutMs: 120_000 });
		history.add(ben, bloodPressure(new Date().toISOString(), 177, 80));
		await morePolls(4);
		expect(await executions('error')).toHaveLength(before + 1);

		sandbox.switches.users = {};
		expected.push('177 created');
		await everythingCame();
	});

	it('goes on after n8n was killed, between two polls and in the middle of one', async () => {
		for (const isInsidePoll of [false, true]) {
			if (isInsidePoll) {
				sandbox.switches.latencyMs = 700;
				const before = sandbox.requests.length;
				await until('a request of a poll', async () => sandbox.requests.length > before, {
					timeoutMs: 120_000,
					everyMs: 5,
				});
			}
			await n8n.kill();
			sandbox.switches.latencyMs = 0;
			measure(anna);
			measure(ben, 47);
			await start();
			await everythingCame();
		}
	});

	it('goes on under another name, and when it is published again', async () => {
		const { id } = workflow;
		measure(anna);
		await everythingCame();
		await n8n.rest.deactivate(workflow);
		measure(ben);
		const { nodes, versionId } = await n8n.rest.get(`/rest/workflows/${id}`);
		const renamed = nodes.map((node: { name: string }) =>
			node.name === 'Trigger' ? { ...node, name: 'Readings' } : node,
		);
		const connections = { Readings: { main: [[{ node: 'Write', type: 'main', index: 0 }]] } };
		workflow = await n8n.rest.patch(`/rest/workflows/${id}`, { nodes: renamed, connections, versionId });
		await n8n.rest.activate(workflow);
		await everythingCame();
	});

	it('survives a start of n8n while the service is down', async () => {
		const before = (await executions('error')).length;
		await n8n.kill();
		measure(anna);
		sandbox.switches.fault = () => ({ status: 503 });
		await start();
		await until('a failed execution', async () => (await executions('error')).length > before, { timeoutMs: 120_000 });
		measure(ben);
		sandbox.switches.fault = () => undefined;
		await everythingCame();
	});
}
