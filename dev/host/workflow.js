/** Workflows for a running n8n: nodes with our credential, and a chain of them. */
const PACKAGE = 'n8n-nodes-health-data-service';
const NODE_TYPE = `${PACKAGE}.healthDataService`;
const CREDENTIAL_TYPE = 'healthDataServiceApi';

/** @typedef {import('n8n-workflow').INode} INode */
/** @typedef {import('n8n-workflow').IDataObject} IDataObject */

/**
 * @param {string} name
 * @param {string} type
 * @param {number} typeVersion
 * @param {INode['parameters']} parameters
 * @param {string} [credentialId] of a credential for the service
 * @returns {INode}
 */
const node = (name, type, typeVersion, parameters, credentialId) => ({
	...{ id: name, name, type, typeVersion, parameters, position: [0, 0] },
	...(credentialId && { credentials: { [CREDENTIAL_TYPE]: { id: credentialId, name: 'credential' } } }),
});
const START = node('Start', 'n8n-nodes-base.manualTrigger', 1, {});

/** @param {INode} to @returns {import('n8n-workflow').INodeConnections} */
const linkTo = (to) => ({ main: [[{ node: to.name, type: 'main', index: 0 }]] });

/** A workflow in which each node leads to the next. @param {string} name @param {INode[]} nodes @param {IDataObject} [settings] */
const chain = (name, nodes, settings = {}) => ({
	...{ name, nodes, settings: { executionOrder: 'v1', ...settings } },
	connections: Object.fromEntries(nodes.slice(1).map((to, i) => [nodes[i].name, linkTo(to)])),
});

module.exports = { CREDENTIAL_TYPE, NODE_TYPE, PACKAGE, START, chain, node };
