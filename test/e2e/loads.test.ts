/**
 * The package in a real n8n: its nodes, the tool made of the node, the credential, and their icons.
 */
import type { INodeTypeDescription } from 'n8n-workflow';
import { people } from '../helpers/people';
import { startHost, type Host } from './n8n';

const PACKAGE = 'n8n-nodes-health-data-service';

let host: Host;
beforeAll(async () => (host = await startHost(people())));
afterAll(async () => await host?.stop());

it('offers the node, the tool for AI agents and the trigger, each with its icons', async () => {
	const nodes: INodeTypeDescription[] = await host.rest.get('/types/nodes.json');
	const ours = nodes.filter(({ name }) => name.startsWith(`${PACKAGE}.`));
	const names = ['healthDataService', 'healthDataServiceTool', 'healthDataServiceTrigger'];
	expect(ours.map(({ name }) => name).sort()).toEqual(names.map((name) => `${PACKAGE}.${name}`));
	for (const { iconUrl } of ours) {
		const { light, dark } = iconUrl as { light: string; dark: string };
		for (const url of [light, dark]) expect(await host.rest.get(`/${url}`)).toContain('<svg');
	}
});

it('offers the credential, for node and trigger', async () => {
	const credentials: Array<{ name: string; supportedNodes: string[] }> = await host.rest.get('/types/credentials.json');
	const { supportedNodes } = credentials.find(({ name }) => name === 'healthDataServiceApi')!;
	expect(supportedNodes).toEqual(
		expect.arrayContaining([`${PACKAGE}.healthDataService`, `${PACKAGE}.healthDataServiceTrigger`]),
	);
});
