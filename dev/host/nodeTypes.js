/**
 * What a running n8n knows of a node that stands in a workflow: its description, the fields it shows, the credentials it asks for.
 */
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
 * The credential types that a node asks for as it is set up; none when n8n does not know it.
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
