/** Node types of a running n8n: the description of a workflow's node, the fields it shows, the credentials it needs. */
const { NodeHelpers } = require('n8n-workflow');

/** @typedef {import('n8n-workflow').INode} INode */
/** @typedef {import('n8n-workflow').INodeTypeDescription} Description */

/**
 * The description of a node, in the node's version.
 * @param {Description[]} types `/types/nodes.json` of n8n
 * @param {INode} node
 */
const describeNode = (types, { type, typeVersion }) =>
	types.find(({ name, version }) => name === type && [version].flat().includes(typeVersion));

/** The fields that the editor shows of a node as it is set up, with their values. @param {Description} description @param {INode} node */
const shownFields = (description, node) =>
	NodeHelpers.getNodeParameters(description.properties, node.parameters, true, false, node, description) ?? {};

/**
 * The credential types that a node needs with its parameters; none when n8n does not know the node.
 * @param {Description[]} types
 * @param {INode} node
 * @returns {string[]}
 */
function credentialTypes(types, node) {
	const description = describeNode(types, node);
	if (!description?.credentials) return [];
	const fields = shownFields(description, node);
	return description.credentials
		.filter((credential) => NodeHelpers.displayParameter(fields, credential, node, description))
		.map(({ name }) => name);
}

module.exports = { credentialTypes, describeNode, shownFields };
