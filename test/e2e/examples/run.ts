/**
 * Preparation of an example for an n8n without accounts. A node gets a credential when the test has one for it.
 * A third-party node without one gets a stand-in under its name: the same items come in and the same fields are evaluated,
 * and nothing is sent but to a server of the test that plays the other side. Everything else stays as it is in the file.
 */
import type { IConnections, IDataObject, INode, INodeTypeDescription, IPinData } from 'n8n-workflow';
import { credentialTypes } from '../../../dev/host/nodeTypes';

export interface Example {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings: IDataObject;
	pinData?: IPinData;
}

/** Credential type → id of a stored credential. */
export type Credentials = Record<string, string>;

export function prepare(
	example: Example,
	types: INodeTypeDescription[],
	credentials: Credentials,
	timezone: string,
	/** Node type → address of the server that plays its service. */
	played: Record<string, string> = {},
): Example {
	const nodes = example.nodes.map((node) => {
		const accepted = credentialTypes(types, node);
		const known = accepted.find((type) => credentials[type]);
		if (known) return { ...node, credentials: { [known]: { id: credentials[known], name: known } } };
		if (node.type in played) return poster(node, played[node.type]);
		return accepted.length ? standIn(node) : node;
	});
	return { ...example, nodes, settings: { ...example.settings, timezone } };
}

/** Where a stand-in puts the evaluated fields, beside the fields of the item. */
export const EVALUATED = 'evaluated';

/** An Edit Fields node that adds what each expression of the node comes to, in the place it has in the node. */
function standIn({ id, name, position, parameters, executeOnce }: INode): INode {
	const assignments = expressionsIn(parameters, EVALUATED).map(([path, value]) => ({
		id: path,
		name: path,
		type: 'string',
		value,
	}));
	return {
		id,
		name,
		position,
		...(executeOnce && { executeOnce }),
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'manual', assignments: { assignments }, includeOtherFields: true, options: {} },
	};
}

/** An HTTP Request node that posts what each expression comes to, with the node's own settings: On Error, Retry On Fail. */
function poster({ parameters, ...node }: INode, url: string): INode {
	const fields = expressionsIn(parameters).map(([name, value]) => ({ name, value }));
	return {
		...node,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { method: 'POST', url, sendBody: true, bodyParameters: { parameters: fields } },
	};
}

/** Each with its path in the value, after the path of the value itself. */
function expressionsIn(value: unknown, path = ''): Array<[string, string]> {
	if (typeof value === 'string') return value.startsWith('=') ? [[path, value]] : [];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, inner]) => expressionsIn(inner, path ? `${path}.${name}` : name));
}
