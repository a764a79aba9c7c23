/** A saved state with one broken part. */

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const REPLACEMENTS = [null, 'x', '', -1, 0, 1e20, 2 ** 53, true, [], {}, undefined];

/** Holder and name of each part, however deep. */
const partsIn = (node: Node): Array<[Node, string]> =>
	Object.entries(node).flatMap(
		([name, value]): Array<[Node, string]> => [[node, name], ...(isNode(value) ? partsIn(value) : [])],
	);

/** @param saved what n8n's database holds @param part which of its parts @param by by what it is replaced */
export function broken(saved: string, part: number, by: number): string {
	const data = JSON.parse(saved) as Node;
	const holder = (isNode(data.state) ? data : Object.values(data).find((one) => isNode(one) && one.state)) as
		| { state: Node }
		| undefined;
	if (!holder) return saved;
	// In memory, a state that names another node is that of another node.
	const parts = partsIn(holder.state).filter(([, name]) => name !== 'node');
	const [node, name] = parts[part % parts.length];
	node[name] = REPLACEMENTS[by % REPLACEMENTS.length];
	return JSON.stringify(data);
}
