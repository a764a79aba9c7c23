/** Workflows of the benchmark: the same work with our node, and with n8n's HTTP Request node. */
const KEY = 'bench-team';
const DAY = '2026-03-02';
const CREDENTIAL = 'healthDataServiceApi';
const RANGE = { start_date: `${DAY}T00:00:00Z`, end_date: `${DAY}T23:59:59.999999Z` };

/** @typedef {import('n8n-workflow').INodeParameters} Parameters */
/** @typedef {ReturnType<typeof workflowNode> & { onError?: string }} WorkflowNode */

/** @param {string} name @param {string} type @param {number} typeVersion @param {Parameters} parameters @param {string} [credentialId] */
const workflowNode = (name, type, typeVersion, parameters, credentialId) => ({
	id: name,
	name,
	type: type.includes('.') ? type : `n8n-nodes-base.${type}`,
	typeVersion,
	position: [0, 0],
	parameters,
	...(credentialId && { credentials: { [CREDENTIAL]: { id: credentialId, name: 'bench' } } }),
});

/** A manual trigger and `nodes`, one after the other. @param {WorkflowNode[]} nodes */
function chain(nodes) {
	const all = [workflowNode('Start', 'manualTrigger', 1, {}), ...nodes];
	const links = nodes.map(({ name }, at) => [all[at].name, { main: [[{ node: name, type: 'main', index: 0 }]] }]);
	const settings = { executionOrder: 'v1', timezone: 'UTC' };
	return { name: 'bench', nodes: all, connections: Object.fromEntries(links), settings };
}

/**
 * A loop that sends `atOnce` users at a time to `work`: the HTTP Request node's own Batching only spaces requests out.
 * @param {WorkflowNode[]} users
 * @param {WorkflowNode} work
 * @param {number} atOnce
 */
function loop(users, work, atOnce) {
	const flow = chain([...users, workflowNode('Loop', 'splitInBatches', 3, { batchSize: atOnce, options: {} })]);
	const to = (/** @type {string} */ node) => [{ node, type: 'main', index: 0 }];
	const connections = { ...flow.connections, Loop: { main: [[], to(work.name)] }, [work.name]: { main: [to('Loop')] } };
	return { ...flow, nodes: [...flow.nodes, work], connections };
}

/** @param {string} credentialId */
const ours = (credentialId, atOnce = 8) => {
	const one = (/** @type {string} */ name, /** @type {Parameters} */ parameters) =>
		workflowNode(name, 'n8n-nodes-health-data-service.healthDataService', 1, parameters, credentialId);
	const days = { dateRange: 'days', startDate: DAY, endDate: DAY, returnAll: true, options: { concurrency: atOnce } };
	return {
		users: one('Users', { resource: 'user', operation: 'list', returnAll: true }),
		/** @param {Parameters} parameters */
		readings: (parameters) =>
			one('Readings', { resource: 'timeseries', operation: 'bloodPressure', ...days, ...parameters }),
	};
};

/**
 * Requests of all pages. `page` is a query parameter with the value that it has for each.
 * @param {string} credentialId
 * @param {string} name
 * @param {{ url: string, query: object, page: [name: string, value: string], completeExpression: string }} request
 */
const allPages = (credentialId, name, { url, query, page: [parameter, value], completeExpression }) => {
	const pagination = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: { parameters: [{ type: 'qs', name: parameter, value }] },
		paginationCompleteWhen: 'other',
		completeExpression,
		limitPagesFetched: false,
	};
	const parameters = {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL,
		url,
		sendQuery: true,
		queryParameters: { parameters: Object.entries(query).map(([key, one]) => ({ name: key, value: String(one) })) },
		options: { pagination: { pagination } },
	};
	return workflowNode(name, 'httpRequest', 4.2, parameters, credentialId);
};

/** @param {string} credentialId @param {string} baseUrl */
const httpRequest = (credentialId, baseUrl) => {
	const split = workflowNode('Users', 'splitOut', 1, { fieldToSplitOut: 'users', options: {} });
	const list = allPages(credentialId, 'List', {
		url: `${baseUrl}/v2/user`,
		query: { limit: 500 },
		page: ['offset', '={{ $pageCount * 500 }}'],
		completeExpression: '={{ $response.body.users.length < 500 }}',
	});
	return {
		users: [list, split],
		/** The same users from a list that lies in the workflow. @param {Array<{ user_id: string }>} users */
		given: (users) => [
			workflowNode('Given', 'set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify({ users }), options: {} }),
			split,
		],
		/** All readings of a user; `userId` may be an expression. @param {string} userId */
		readings: (userId) =>
			allPages(credentialId, 'Readings', {
				url: `=${baseUrl}/v2/timeseries/${userId}/blood_pressure/grouped`,
				query: RANGE,
				page: ['next_cursor', '={{ $response.body?.next_cursor }}'],
				completeExpression: '={{ !$response.body.next_cursor }}',
			}),
	};
};

module.exports = { CREDENTIAL, KEY, RANGE, chain, httpRequest, loop, ours };
