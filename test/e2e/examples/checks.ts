/** Rules for every example: a user can import it and sees what is left to do. */
import { NodeHelpers, type INode, type INodeTypeDescription } from 'n8n-workflow';
import { describeNode, shownFields } from '../../../dev/host/nodeTypes';
import type { Example } from './run';

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const GOOGLE_SHEETS = 'n8n-nodes-base.googleSheets';
const END_AS_FAILED = 'n8n-nodes-base.stopAndError';

/** Required fields that an example leaves empty, because only its user knows them. */
const TO_FILL_IN: Record<string, string[]> = {
	[GOOGLE_SHEETS]: ['documentId'],
	'n8n-nodes-base.emailSend': ['fromEmail', 'toEmail'],
};

/** @param types the nodes of a running n8n, known once the tests run */
export function checkExample({ nodes, ...rest }: Example, types: () => INodeTypeDescription[]) {
	const steps = nodes.filter(({ type }) => type !== STICKY_NOTE);

	it('holds nothing of the n8n in which it was made', () => {
		expect(Object.keys(rest).sort()).toEqual(['connections', 'name', 'settings']);
		for (const node of nodes) expect(node).not.toHaveProperty('credentials');
	});

	it('has notes, and no two nodes overlap', () => {
		expect(nodes.length).toBeGreaterThan(steps.length);
		const overlapping = nodes.flatMap((a, i) =>
			nodes
				.slice(i + 1)
				.filter((b) => overlap(a, b))
				.map((b) => [a.name, b.name]),
		);
		expect(overlapping).toEqual([]);
	});

	it('has only nodes and fields that n8n knows, and is complete but for what its user must fill in', () => {
		for (const node of steps) {
			const description = describeNode(types(), node)!;
			expect([node.type, node.typeVersion, description?.name]).toEqual([node.type, node.typeVersion, node.type]);
			// The editor drops a hidden field as soon as a user opens the workflow.
			const parameters = shownFields(description, node);
			expect(parameters).toMatchObject(node.parameters);
			const issues =
				NodeHelpers.getNodeParametersIssues(description.properties, { ...node, parameters }, description)?.parameters ??
				{};
			expect([node.name, Object.keys(issues)]).toEqual([node.name, TO_FILL_IN[node.type] ?? []]);
		}
	});

	// A run that ends so holds what was read of all others.
	if (steps.some(({ type }) => type === END_AS_FAILED)) {
		it('saves no failed run', () => expect(rest.settings).toMatchObject({ saveDataErrorExecution: 'none' }));
	}

	const sheets = steps.filter(({ type }) => type === GOOGLE_SHEETS);
	if (sheets.length) {
		it('finds a row of a Google sheet again by its row_id', () => {
			const columns = { mappingMode: 'autoMapInputData', matchingColumns: ['row_id'] };
			for (const { parameters } of sheets) expect(parameters).toMatchObject({ operation: 'appendOrUpdate', columns });
		});
	}
}

/** On the canvas: a note as large as it says, a node with its name below. */
function overlap(a: INode, b: INode) {
	const size = ({ parameters: { width = 96, height = 144 } }: INode) => [Number(width), Number(height)];
	return [0, 1].every(
		(axis) =>
			a.position[axis] < b.position[axis] + size(b)[axis] && b.position[axis] < a.position[axis] + size(a)[axis],
	);
}
