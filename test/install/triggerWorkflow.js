/** A workflow of the trigger, and what came out of it. */
const { chain, node, NODE_TYPE } = require('../../dev/host/workflow');

/** @param {string} credentialId */
exports.triggerWorkflow = (credentialId) =>
	chain('Every new reading', [
		node('Trigger', `${NODE_TYPE}Trigger`, 1, { event: 'bloodPressure', userScope: 'all' }, credentialId),
		node('End', 'n8n-nodes-base.noOp', 1, {}),
	]);

/**
 * What the trigger has handed on, over all executions.
 * @param {import('../../dev/host/rest').Rest} rest
 * @param {{ id: string }} workflow
 */
exports.rowsOf = async (rest, { id }) => {
	const results = await rest.executions(id, 'success');
	const executions = await Promise.all(results.map((result) => rest.execution(result.id)));
	return executions.flatMap(({ data }) =>
		data.resultData.runData.End[0].data.main[0].map((/** @type {{ json: Record<string, any> }} */ { json }) => json),
	);
};
