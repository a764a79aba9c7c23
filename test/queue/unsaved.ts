/** Executions that are not saved: what SECURITY.md says of their output in n8n's database. */
import { until } from '../../dev/host/process/until';
import { NODE_TYPE } from '../e2e/n8n';
import { SELDOM, type Queue } from './nightly';

const SETTINGS = { executionOrder: 'v1', saveManualExecutions: false, saveDataSuccessExecution: 'none' };

const TRIGGERS = {
	'n8n-nodes-base.manualTrigger': {},
	'n8n-nodes-base.webhook': { path: 'unsaved', responseMode: 'lastNode' },
};

/** @param queue known once the tests run @param credential makes one of the service */
export function describeUnsaved(queue: () => Queue, credential: () => Promise<string>) {
	const put = async (type: keyof typeof TRIGGERS) =>
		await queue().rest.post('/rest/workflows', {
			name: type,
			settings: SETTINGS,
			nodes: [
				{
					id: 'a',
					name: 'Start',
					type,
					typeVersion: 1,
					position: [0, 0],
					parameters: TRIGGERS[type],
					webhookId: 'unsaved',
				},
				{
					id: 'b',
					name: 'Readings',
					type: NODE_TYPE,
					typeVersion: 1,
					position: [200, 0],
					parameters: { resource: 'timeseries', operation: 'bloodPressure', userScope: 'all' },
					credentials: { healthDataServiceApi: { id: await credential(), name: 'team' } },
				},
			],
			connections: { Start: { main: [[{ node: 'Readings', type: 'main', index: 0 }]] } },
		});
	/** Whether the readings are in the database, once the execution is no longer in the list. */
	const isKept = async (id: string) => {
		const hidden = `SELECT data LIKE '%systolic%' FROM execution_data
			JOIN execution_entity AS e ON e.id = "executionId" WHERE e."workflowId" = '${id}' AND "deletedAt" IS NOT NULL`;
		return await until('The end', async () => await queue().postgres.query('postgres', hidden), SELDOM);
	};

	it('a manual run stays in the database', async () => {
		const workflow = await put('n8n-nodes-base.manualTrigger');
		await queue().rest.post(`/rest/workflows/${workflow.id}/run`, { triggerToStartFrom: { name: 'Start' } });
		expect(await isKept(workflow.id)).toBe('t');
	});

	it('a webhook call stays in the database', async () => {
		const workflow = await put('n8n-nodes-base.webhook');
		await queue().rest.activate(workflow);
		expect((await fetch(`${queue().baseUrl}/webhook/unsaved`)).status).toBe(200);
		expect(await isKept(workflow.id)).toBe('t');
	});
}
