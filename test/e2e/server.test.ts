/**
 * What the server of a real n8n makes of the package: its nodes, their icons, the credential, the pickers, and the tool for agents.
 */
import type { IDataObject, INodeListSearchResult, INodeParameters, INodeTypeDescription } from 'n8n-workflow';
import { fromAI } from '../helpers/agent';
import { KEY, SPECIAL, SPECIAL_ID, STEADY } from '../helpers/people';
import { bloodPressureOf, byClientId } from '../helpers/requests';
import { CREDENTIAL_TYPE, node, NODE_TYPE, START, useHost, worldOfTests } from './n8n';

const PACKAGE = 'n8n-nodes-health-data-service';

const host = useHost(worldOfTests());
let credential: string;
beforeAll(async () => void (credential = await host.credential(KEY)));

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

/** The editor's request to n8n while a user types. */
const search = async (methodName: string, filter: string, id = credential): Promise<INodeListSearchResult> =>
	await host.rest.post('/rest/dynamic-node-parameters/resource-locator-results', {
		nodeTypeAndVersion: { name: NODE_TYPE, version: 1 },
		path: 'parameters.user',
		methodName,
		filter,
		currentNodeParameters: { resource: 'timeseries', operation: 'bloodPressure' },
		credentials: { [CREDENTIAL_TYPE]: { id, name: 'credential' } },
	});

it('pickers list', async () => {
	expect(await search('searchUsers', SPECIAL_ID)).toEqual({
		results: [{ name: `${SPECIAL_ID} (Omron)`, value: SPECIAL.user_id }],
	});
	expect((await search('searchProviders', '')).results.map(({ value }) => value)).toEqual(['', 'omron', 'withings']);
});

/** n8n's own way to call a tool without a model. */
const call = async (parameters: INodeParameters, args: IDataObject) => {
	const workflow = await host.rest.importWorkflow({
		nodes: [
			START,
			node('Agent', '@n8n/n8n-nodes-langchain.toolExecutor', 1, { query: JSON.stringify({ Readings: args }) }),
			node('Readings', `${NODE_TYPE}Tool`, 1, parameters, credential),
		],
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Readings: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		settings: { timezone: 'UTC' },
	});
	return await host.rest.runWorkflow(workflow.id);
};
const readings = bloodPressureOf(byClientId(fromAI('User')), {
	startDate: fromAI('Start Date'),
	returnAll: false,
	limit: 1,
});

it('as a tool it answers with compact rows', async () => {
	const { status, runData } = await call(readings, { User: 'steady', Start_Date: '2026-03-01' });
	expect(status).toBe('success');
	const [{ json }] = runData.Readings[0].data.ai_tool[0];
	expect(json.response).toEqual([
		{
			client_user_id: STEADY.client_user_id,
			local_time: '2026-03-01 06:00:00',
			systolic: 110,
			diastolic: 70,
			unit: 'mmHg',
			provider: 'omron',
			source_type: 'cuff',
		},
		{ note: expect.stringContaining('there may be more') },
	]);
});
