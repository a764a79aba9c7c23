/** A start of n8n without the package: its triggers stay silent, and how the page finds them and starts them again. */
import { until } from '../../dev/host/process/until';
import { triggerWorkflow } from '../install/triggerWorkflow';
import { SELDOM, type Queue } from './nightly';
import { withoutPackage } from './processes';
import { statementLike } from './statements';

/** @param queue known once the tests run @param folder of its main process @param credential makes one of the service */
export function describeLostPackage(queue: () => Queue, folder: string, credential: () => Promise<string>) {
	it('silences a trigger also in later starts, until it is published again', async () => {
		const { rest, postgres, restartMain } = queue();
		const silent = async () => await postgres.query('postgres', statementLike(/^SELECT name FROM workflow_entity/));
		const workflow = await rest.importWorkflow(triggerWorkflow(await credential()));
		await rest.activate(workflow);
		expect(await silent()).toBe('');

		await withoutPackage(folder, async () => {
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
}
