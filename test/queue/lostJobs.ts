/** Executions that Redis loses: how n8n shows them, and how the page finds them. */
import { until } from '../../dev/host/process/until';
import { chain, node } from '../e2e/n8n';
import { executionsOf, SELDOM, type Queue } from './nightly';
import { statementLike } from './statements';

/** @param queue known once the tests run; without workers afterwards */
export function describeLostJobs(queue: () => Queue) {
	it('an execution that waits in a Redis without AOF is lost with it: crashed after a start, without an error workflow', async () => {
		const { rest, baseUrl, workers, redis, postgres, restartMain } = queue();
		const put = async (name: string, type: string, parameters: object, settings = {}) => {
			const nodes = [node('Start', type, 1, { ...parameters }), node('End', 'n8n-nodes-base.noOp', 1, {})];
			const workflow = await rest.importWorkflow(chain(name, nodes, settings));
			await rest.activate(workflow);
			return workflow.id as string;
		};
		const errorWorkflow = await put('Errors', 'n8n-nodes-base.errorTrigger', {});
		const alert = await put('Alert', 'n8n-nodes-base.webhook', { path: 'alert' }, { errorWorkflow });
		const found = async () => await postgres.query('postgres', statementLike(/^SELECT e\.id, w\.name/));
		await Promise.all(workers.map(async (worker) => await worker.kill()));

		expect((await fetch(`${baseUrl}/webhook/alert`)).status).toBe(200);
		const [{ id }] = await until(
			'The waiting execution',
			async () => {
				const waiting = await executionsOf(queue(), alert, 'new');
				return waiting.length > 0 && waiting;
			},
			SELDOM,
		);
		expect(await found()).not.toContain('Alert');
		await postgres.query(
			'postgres',
			`UPDATE execution_entity SET "createdAt" = "createdAt" - interval '1 hour' WHERE id = ${id}`,
		);
		expect(await found()).toContain(`${id}|Alert|new|`);

		await redis.restart(0);
		await restartMain(0);
		await until('The end of it', async () => (await found()).includes(`${id}|Alert|crashed|`), SELDOM);
		expect(await executionsOf(queue(), errorWorkflow)).toEqual([]);
	});
}
