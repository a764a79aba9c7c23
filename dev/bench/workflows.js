/**
 * Workflows of the comparison: their building blocks, and those with our node. Those without it are in httpRequest.js.
 */
const KEY = 'bench-team';
const DAY = '2026-03-02';
const OURS = 'n8n-nodes-health-data-service.healthDataService';
const CREDENTIAL = 'healthDataServiceApi';
const RANGE = { start_date: `${DAY}T00:00:00Z`, end_date: `${DAY}T23:59:59.999999Z` };

/** @typedef {ReturnType<typeof workflowNode>} WorkflowNode */

/**
 * @param {string} name
 * @param {string} type
 * @param {number} typeVersion
 * @param {Record<string, any>} parameters
 * @param {object} [more]
 */
const workflowNode = (name, type, typeVersion, parameters, more) => ({
	id: name,
	name,
	type,
	typeVersion,
	position: [0, 0],
	parameters,
	...more,
});

/** @param {string} credentialId */
const using = (credentialId) => ({ credentials: { [CREDENTIAL]: { id: credentialId, name: 'bench' } } });

/** A manual trigger and `nodes`, one after the other. @param {string} name @param {WorkflowNode[]} nodes */
function chain(name, nodes) {
	const all = [workflowNode('Start', 'n8n-nodes-base.manualTrigger', 1, {}), ...nodes];
	const next = all
		.slice(0, -1)
		.map((one, index) => [one.name, { main: [[{ node: all[index + 1].name, type: 'main', index: 0 }]] }]);
	return {
		name,
		nodes: all,
		connections: Object.fromEntries(next),
		settings: { executionOrder: 'v1', timezone: 'UTC' },
	};
}

/**
 * The HTTP Request node's own Batching only spaces requests out; what keeps to a number at once is a loop around it.
 * `users` leads into the loop, which sends `atOnce` users at a time to `work`.
 * @param {string} name
 * @param {WorkflowNode[]} users
 * @param {WorkflowNode} work
 * @param {number} atOnce
 */
function loop(name, users, work, atOnce) {
	const flow = chain(name, [
		...users,
		workflowNode('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: atOnce, options: {} }),
	]);
	const to = (/** @type {string} */ target) => [{ node: target, type: 'main', index: 0 }];
	return {
		...flow,
		nodes: [...flow.nodes, work],
		connections: { ...flow.connections, Loop: { main: [[], to(work.name)] }, [work.name]: { main: [to('Loop')] } },
	};
}

/** @param {string} credentialId */
const ours = (credentialId, atOnce = 8) => ({
	users: workflowNode('Users', OURS, 1, { resource: 'user', operation: 'list', returnAll: true }, using(credentialId)),
	/** @param {object} parameters */
	readings: (parameters) =>
		workflowNode(
			'Readings',
			OURS,
			1,
			{
				resource: 'timeseries',
				operation: 'bloodPressure',
				dateRange: 'days',
				startDate: DAY,
				endDate: DAY,
				returnAll: true,
				options: { concurrency: atOnce },
				...parameters,
			},
			using(credentialId),
		),
});

module.exports = { CREDENTIAL, KEY, RANGE, chain, loop, ours, using, workflowNode };
