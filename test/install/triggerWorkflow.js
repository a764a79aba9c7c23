/** A workflow of the trigger, and what came out of it. */
const { NAME } = require('./registry');

/** @param {string} credentialId */
exports.triggerWorkflow = (credentialId) => ({
	name: 'Every new reading',
	nodes: [
		{
			id: 'a',
			name: 'Trigger',
			type: `${NAME}.healthDataServiceTrigger`,
			typeVersion: 1,
			position: [0, 0],
			parameters: { event: 'bloodPressure', userScope: 'all' },
			credentials: { healthDataServiceApi: { id: credentialId, name: 'Sandbox' } },
		},
		{ id: 'b', name: 'End', type: 'n8n-nodes-base.noOp', typeVersion: 1, position: [200, 0], parameters: {} },
	],
	connections: { Trigger: { main: [[{ node: 'End', type: 'main', index: 0 }]] } },
});

/**
 * What the trigger has handed on, over all executions.
 * @param {import('../../dev/host/rest').Rest} rest
 * @param {{ id: string }} workflow
 */
exports.rowsOf = async (rest, { id }) => {
	const filter = encodeURIComponent(JSON.stringify({ workflowId: id, status: ['success'] }));
	const { results } = await rest.get(`/rest/executions?filter=${filter}`);
	const executions = await Promise.all(
		results.map((/** @type {{ id: string }} */ result) => rest.execution(result.id)),
	);
	return executions.flatMap(({ data }) =>
		data.resultData.runData.End[0].data.main[0].map((/** @type {{ json: Record<string, any> }} */ { json }) => json),
	);
};
