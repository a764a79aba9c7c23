/**
 * The same work as workflows: with our node, and with n8n's HTTP Request node as somebody without our node would set it up.
 */
const KEY = 'bench-team';
const DAY = '2026-03-02';
const OURS = 'n8n-nodes-health-data-service.healthDataService';
const CREDENTIAL = 'healthDataServiceApi';
const RANGE = { start_date: `${DAY}T00:00:00Z`, end_date: `${DAY}T23:59:59.999999Z` };

/** @typedef {ReturnType<typeof workflowNode>} WorkflowNode */
/** @typedef {{ user_id: string }} ListedUser */

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
 * `users` leads into the loop, which hands out `atOnce` users at a time to `work`.
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

/** @param {string} credentialId @param {string} baseUrl */
const httpRequest = (credentialId, baseUrl) => {
	const common = { authentication: 'predefinedCredentialType', nodeCredentialType: CREDENTIAL, options: {} };
	const query = (/** @type {object} */ parameters) => ({
		sendQuery: true,
		queryParameters: {
			parameters: Object.entries(parameters).map(([name, value]) => ({ name, value: String(value) })),
		},
	});
	/** @param {string} parameter @param {string} value @param {string} isComplete */
	const pages = (parameter, value, isComplete) => ({
		options: {
			pagination: {
				pagination: {
					paginationMode: 'updateAParameterInEachRequest',
					parameters: { parameters: [{ type: 'qs', name: parameter, value }] },
					paginationCompleteWhen: 'other',
					completeExpression: isComplete,
					limitPagesFetched: false,
				},
			},
		},
	});
	return {
		users: [
			workflowNode(
				'List',
				'n8n-nodes-base.httpRequest',
				4.2,
				{
					...common,
					url: `${baseUrl}/v2/user`,
					...query({ limit: 500 }),
					...pages('offset', '={{ $pageCount * 500 }}', '={{ $response.body.users.length < 500 }}'),
				},
				using(credentialId),
			),
			workflowNode('Users', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'users', options: {} }),
		],
		/** One item for each of these users, from a list that lies in the workflow. @param {ListedUser[]} users */
		given: (users) => [
			workflowNode('Given', 'n8n-nodes-base.set', 3.4, {
				mode: 'raw',
				jsonOutput: JSON.stringify({ users: users.map(({ user_id }) => ({ user_id })) }),
				options: {},
			}),
			workflowNode('Users', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'users', options: {} }),
		],
		/** Every page of a user's readings; `userId` may be an expression. @param {string} userId */
		readings: (userId) =>
			workflowNode(
				'Readings',
				'n8n-nodes-base.httpRequest',
				4.2,
				{
					...common,
					url: `=${baseUrl}/v2/timeseries/${userId}/blood_pressure/grouped`,
					...query(RANGE),
					...pages('next_cursor', '={{ $response.body?.next_cursor }}', '={{ !$response.body.next_cursor }}'),
				},
				using(credentialId),
			),
	};
};

module.exports = { CREDENTIAL, KEY, RANGE, chain, httpRequest, loop, ours, workflowNode };
