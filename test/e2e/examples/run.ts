/**
 * Makes an example ready for an n8n that has no account anywhere. A node gets a credential when the test has one for it.
 * A node of somebody else without one gets a stand-in under its name: the same items come in and the same fields are
 * evaluated, but nothing is sent. Everything else stays as it is in the file.
 */
import {
	NodeHelpers,
	type IConnections,
	type IDataObject,
	type INode,
	type INodeTypeDescription,
	type IPinData,
} from 'n8n-workflow';

export interface Example {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings: IDataObject;
	pinData?: IPinData;
}

/** Credential type → id of a stored credential. */
export type Credentials = Record<string, string>;

/** The description that this n8n has of a node, in the node's version. */
export function describeNode(types: INodeTypeDescription[], { type, typeVersion }: INode) {
	return types.find(({ name, version }) => name === type && [version].flat().includes(typeVersion));
}

/** The fields that the editor shows of a node as it is set up, with their values. */
export function shownFields(description: INodeTypeDescription, node: INode) {
	return NodeHelpers.getNodeParameters(description.properties, node.parameters, true, false, node, description) ?? {};
}

/** The credential types that the node asks for as it is set up. */
function credentialTypes(description: INodeTypeDescription, node: INode): string[] {
	const fields = shownFields(description, node);
	const asked = description.credentials?.filter((credential) =>
		NodeHelpers.displayParameter(fields, credential, node, description),
	);
	return (asked ?? []).map(({ name }) => name);
}

export function prepare(
	example: Example,
	types: INodeTypeDescription[],
	credentials: Credentials,
	timezone: string,
): Example {
	const nodes = example.nodes.map((node) => {
		const description = describeNode(types, node);
		const accepted = description ? credentialTypes(description, node) : [];
		const known = accepted.find((type) => credentials[type]);
		if (known) return { ...node, credentials: { [known]: { id: credentials[known], name: known } } };
		return accepted.length ? standIn(node) : node;
	});
	return { ...example, nodes, settings: { ...example.settings, timezone } };
}

/** Where a stand-in puts the evaluated fields, beside the fields of the item. */
export const EVALUATED = 'evaluated';

/** An Edit Fields node that adds what each expression of the node comes to, in the place it has in the node. */
function standIn({ id, name, position, parameters }: INode): INode {
	const assignments = expressionsIn(parameters).map(([path, value]) => ({
		id: path,
		name: path,
		type: 'string',
		value,
	}));
	return {
		id,
		name,
		position,
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'manual', assignments: { assignments }, includeOtherFields: true, options: {} },
	};
}

function expressionsIn(value: unknown, path = EVALUATED): Array<[string, string]> {
	if (typeof value === 'string') return value.startsWith('=') ? [[path, value]] : [];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, inner]) => expressionsIn(inner, `${path}.${name}`));
}
