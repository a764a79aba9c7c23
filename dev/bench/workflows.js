/** Workflows of the benchmark: the same work with our node, and with n8n's HTTP Request node. */
const host = require('../host/workflow');

const { CREDENTIAL_TYPE: CREDENTIAL, NODE_TYPE, START, node } = host;
const KEY = 'bench-team';
const DAY = '2026-03-02';
const RANGE = { start_date: `${DAY}T00:00:00Z`, end_date: `${DAY}T23:59:59.999999Z` };

/** @typedef {import('n8n-workflow').INode} INode */
/** @typedef {import('n8n-workflow').INodeParameters} Parameters */

/** A manual trigger and `nodes`, one after the other. @param {INode[]} nodes */
const chain = (nodes) => host.chain('bench', [START, ...nodes], { timezone: 'UTC' });

/**
 * A loop that sends `atOnce` users at a time to `work`: the HTTP Request node's own Batching only spaces requests out.
 * @param {INode[]} users
 * @param {INode} work
 * @param {number} atOnce
 */
function loop(users, work, atOnce) {
	const flow = chain([...users, node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: atOnce, options: {} })]);
	const to = (/** @type {string} */ name) => [{ node: name, type: 'main', index: 0 }];
	const connections = { ...flow.connections, Loop: { main: [[], to(work.name)] }, [work.name]: { main: [to('Loop')] } };
	return { ...flow, nodes: [...flow.nodes, work], connections };
}

/** @param {string} credentialId */
const ours = (credentialId, atOnce = 8) => {
	const one = (/** @type {string} */ name, /** @type {Parameters} */ parameters) =>
		node(name, NODE_TYPE, 1, parameters, credentialId);
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
	return node(name, 'n8n-nodes-base.httpRequest', 4.2, parameters, credentialId);
};

/** @param {string} credentialId @param {string} baseUrl */
const httpRequest = (credentialId, baseUrl) => {
	const split = node('Users', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'users', options: {} });
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
			node('Given', 'n8n-nodes-base.set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify({ users }), options: {} }),
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
