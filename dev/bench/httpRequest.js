/**
 * n8n's HTTP Request node, set up for the same work without our node.
 */
const { CREDENTIAL, RANGE, using, workflowNode } = require('./workflows');

/** @typedef {import('./plain').ListedUser} ListedUser */

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

module.exports = { httpRequest };
