/** What the pages say of n8n, PostgreSQL and Redis in queue mode: logs, executions that are not saved, lost packages and jobs. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { until } from '../../dev/host/process/until';
import { chain, node, NODE_TYPE } from '../../dev/host/workflow';
import { textOf } from '../helpers/folder';
import { triggerWorkflow } from '../install/triggerWorkflow';
import { SELDOM, type Queue } from './nightly';
import { withoutPackage } from './processes';
import { statementLike } from './statements';

/**
 * @param queue known once the tests run; without workers afterwards
 * @param folder of all its services
 * @param credential makes one of the service
 */
export function describeHosts(queue: () => Queue, folder: string, credential: () => Promise<string>) {
	const query = async (sql: string) => await queue().postgres.query('postgres', sql);

	it('PostgreSQL logs the values of a failed statement, and no longer once the page has been followed', async () => {
		const log = () => textOf(`${folder}/postgres/PostgreSQL.log`);
		const fail = async (value: string) => await query(`SELECT 1 / 0 AS "${value}"`).catch(() => {});
		await fail('142/88');
		expect(log()).toContain('142/88');
		const settings = [/^ALTER ROLE n8n SET log_min_error/, /^ALTER ROLE n8n SET log_error/].map(statementLike);
		await query(settings.join(';'));
		await fail('151/93');
		expect(log()).not.toContain('151/93');
	});

	describe('the output of an execution that is not saved', () => {
		const settings = { saveManualExecutions: false, saveDataSuccessExecution: 'none' };
		const put = async (type: string, parameters: INodeParameters) => {
			const pressure = { resource: 'timeseries', operation: 'bloodPressure', userScope: 'all' };
			const start = { ...node('Start', `n8n-nodes-base.${type}`, 1, parameters), webhookId: 'unsaved' };
			const readings = node('Readings', NODE_TYPE, 1, pressure, await credential());
			// Not by `importWorkflow`, which saves manual executions.
			return await queue().rest.post('/rest/workflows', chain(type, [start, readings], settings));
		};
		/** Whether the readings are in the database, once the execution is no longer in the list. */
		const isKept = async (id: string) => {
			const hidden = `SELECT data LIKE '%systolic%' FROM execution_data
				JOIN execution_entity AS e ON e.id = "executionId" WHERE e."workflowId" = '${id}' AND "deletedAt" IS NOT NULL`;
			return await until('The end', async () => await query(hidden), SELDOM);
		};

		it('stays in the database after a manual run', async () => {
			const workflow = await put('manualTrigger', {});
			await queue().rest.post(`/rest/workflows/${workflow.id}/run`, { triggerToStartFrom: { name: 'Start' } });
			expect(await isKept(workflow.id)).toBe('t');
		});

		it('stays in the database after a webhook call', async () => {
			const workflow = await put('webhook', { path: 'unsaved', responseMode: 'lastNode' });
			await queue().rest.activate(workflow);
			expect((await fetch(`${queue().baseUrl}/webhook/unsaved`)).status).toBe(200);
			expect(await isKept(workflow.id)).toBe('t');
		});
	});

	it('a start without the package silences a trigger also in later starts, until it is published again', async () => {
		const { rest, restartMain } = queue();
		const silent = async () => await query(statementLike(/^SELECT name FROM workflow_entity/));
		const workflow = await rest.importWorkflow(triggerWorkflow(await credential()));
		await rest.activate(workflow);
		expect(await silent()).toBe('');

		await withoutPackage(`${folder}/main`, async () => {
			await restartMain(0);
			// n8n is ready before it starts the triggers.
			await until('The start that fails', silent, SELDOM);
		});
		await restartMain(0);
		expect(await silent()).toBe(workflow.name);
		expect(await rest.get(`/rest/workflows/${workflow.id}`)).toMatchObject({ active: true });

		await rest.deactivate(workflow);
		expect(await rest.activate(workflow)).toMatchObject({ status: 'published' });
		expect(await silent()).toBe('');
		await rest.deactivate(workflow);
	});

	// The last one, since it leaves no worker.
	it('an execution that waits in a Redis without AOF is lost with it: crashed after a start, without an error workflow', async () => {
		const { rest, baseUrl, workers, redis, restartMain } = queue();
		const put = async (name: string, type: string, parameters: INodeParameters, settings: IDataObject = {}) => {
			const nodes = [node('Start', type, 1, parameters), node('End', 'n8n-nodes-base.noOp', 1, {})];
			const workflow = await rest.importWorkflow(chain(name, nodes, settings));
			await rest.activate(workflow);
			return workflow.id as string;
		};
		const errorWorkflow = await put('Errors', 'n8n-nodes-base.errorTrigger', {});
		const alert = await put('Alert', 'n8n-nodes-base.webhook', { path: 'alert' }, { errorWorkflow });
		const found = async () => await query(statementLike(/^SELECT e\.id, w\.name/));
		await Promise.all(workers.map(async (worker) => await worker.kill()));

		expect((await fetch(`${baseUrl}/webhook/alert`)).status).toBe(200);
		const waiting = async () => (await rest.executions(alert, 'new'))[0];
		const { id } = await until('The waiting execution', waiting, SELDOM);
		expect(await found()).not.toContain('Alert');
		await query(`UPDATE execution_entity SET "createdAt" = "createdAt" - interval '1 hour' WHERE id = ${id}`);
		expect(await found()).toContain(`${id}|Alert|new|`);

		await redis.restart(0);
		await restartMain(0);
		await until('The end of it', async () => (await found()).includes(`${id}|Alert|crashed|`), SELDOM);
		expect(await rest.executions(errorWorkflow)).toEqual([]);
	});
}
