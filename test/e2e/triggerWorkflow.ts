/** Workflow of a real n8n that polls every two seconds and sends its rows to the test: for the stories of the trigger. */
import fastify from 'fastify';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { startN8n } from '../../dev/host/n8n';
import { WITHOUT_EDITOR } from '../../dev/host/n8nEnvironment';
import { until } from '../../dev/host/process/until';
import { History, type Entry, bloodPressure, KEY } from '../helpers/people';
import { removeFolder } from '../helpers/folder';
import { folderWithPackage } from '../helpers/folderWithPackage';
import { chain, CREDENTIAL_TYPE, EVERY_TWO_SECONDS, node, NODE_TYPE } from './n8n';

export const HOUR = 3_600_000;

/** To be called once per file: it registers what must happen before and after the tests. @param env of n8n */
export function useWorkflow(env: Record<string, string>) {
	const history = new History();
	const receiver = fastify();
	let folder: string;
	let systolic = 100;

	const w = {
		history,
		/** What must have come in, in any order. */
		expected: [] as string[],
		received: [] as IDataObject[],
		sandbox: undefined as unknown as Sandbox,
		n8n: undefined as unknown as Awaited<ReturnType<typeof startN8n>>,
		workflow: undefined as unknown as { id: string; versionId: string; nodes: Array<{ name: string }> },

		start: async () => (w.n8n = await startN8n({ folder, env: { ...WITHOUT_EDITOR, ...env } })),

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

		polls: () => w.sandbox.requests.filter((url) => url.startsWith('/v2/user?offset=0')).length,

		async morePolls(count: number) {
			const before = w.polls();
			await until('more polls', async () => w.polls() >= before + count);
		},

		executions: async (status: string): Promise<unknown[]> => {
			const filter = encodeURIComponent(JSON.stringify({ workflowId: w.workflow.id, status: [status] }));
			return (await w.n8n.rest.get(`/rest/executions?filter=${filter}`)).results;
		},
	};

	receiver.post('/rows', async ({ body }) => w.received.push(body as IDataObject));

	beforeAll(async () => {
		folder = await folderWithPackage();
		w.sandbox = await startSandbox({ world: history });
		await receiver.listen({ host: '127.0.0.1', port: 0 });
		await w.start();

		const { rest } = w.n8n;
		const id = await rest.createCredential({
			name: 'Sandbox',
			type: CREDENTIAL_TYPE,
			data: { baseUrl: w.sandbox.baseUrl, apiKey: KEY },
		});
		const { port } = receiver.server.address() as { port: number };
		const watched = { event: 'bloodPressure', userScope: 'all', pollTimes: EVERY_TWO_SECONDS };
		const body = { sendBody: true, specifyBody: 'json', jsonBody: '={{ $json }}' };
		const rows = { method: 'POST', url: `http://127.0.0.1:${port}/rows`, ...body };
		w.workflow = await rest.importWorkflow(
			chain('Every new reading', [
				node('Trigger', `${NODE_TYPE}Trigger`, 1, watched, id),
				node('Write', 'n8n-nodes-base.httpRequest', 4.2, rows),
			]),
		);
	});

	afterAll(async () => {
		await w.n8n?.stop();
		await w.sandbox?.close();
		await receiver.close();
		removeFolder(folder);
	});
	return w;
}
