/**
 * Our node as a tool of an AI agent, by n8n-core's own path: it makes a tool of the node, with a schema from the `$fromAI`
 * calls in its parameters, and runs the node for every call. Only the model is replaced, by a list of calls.
 */
import type { ExecuteContext } from 'n8n-core';
import {
	NodeConnectionTypes,
	Workflow,
	type IDataObject,
	type INode,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
} from 'n8n-workflow';
import { HealthDataService } from '../../nodes/HealthDataService/HealthDataService.node.ts';
import { node } from '../../dev/host/workflow';
import { additionalDataFor, makeRunnable, runWorkflow, startNodeType, type Credential } from './engine';

/** What n8n-core hands to an agent (LangChain's tool). */
interface Tool {
	name: string;
	description: string;
	schema: { shape: Record<string, unknown> };
	invoke(args: IDataObject): Promise<string>;
}

/** A call by a model: which tool, and with which arguments. */
export type Call = [tool: string, args?: IDataObject];

export interface Answers {
	tools: Tool[];
	/** What the model reads: the answer of a call, or the words of its error. */
	answers: string[];
}

/** `{{ $fromAI(…) }}` as the editor writes it when a field is left to the model: only its display name describes it. */
export const fromAI = (displayName: string, type = 'string') =>
	`={{ $fromAI('${displayName.replace(/\W/g, '_')}', \`\`, '${type}') }}`;

/** An agent of a published chat with these tools, by name and parameters, that gets an item and makes the calls one after the other. */
export async function runAgent(
	credential: Credential,
	tools: Record<string, INodeParameters>,
	calls: Call[],
	input: IDataObject = {},
	settings: Pick<INode, 'onError'> = {},
): Promise<Answers> {
	const result: Answers = { tools: [], answers: [] };
	const types: Record<string, INodeType> = {
		start: startNodeType([input]),
		agent: agentType(calls, result),
		healthDataServiceTool: toolType(),
	};
	const byName = (name: string) => types[name];
	const nodeTypes: INodeTypes = { getByName: byName, getByNameAndVersion: byName, getKnownTypes: () => ({}) };

	const names = Object.keys(tools);
	const workflow = new Workflow({
		id: 'workflow',
		name: 'Agent',
		active: false,
		nodeTypes,
		settings: { executionOrder: 'v1', timezone: 'UTC' },
		nodes: [
			node('Start', 'start', 1, {}),
			node('Agent', 'agent', 1, {}),
			...names.map((name) => ({ ...node(name, 'healthDataServiceTool', 1, tools[name], '1'), ...settings })),
		],
		connections: {
			Start: { main: [[{ node: 'Agent', type: NodeConnectionTypes.Main, index: 0 }]] },
			...Object.fromEntries(
				names.map((name) => [name, { ai_tool: [[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }]] }]),
			),
		},
	});
	const run = await runWorkflow(
		{ workflow, additionalData: additionalDataFor(credential, workflow) },
		{ mode: 'webhook' },
	);
	if (run.data.resultData.error) throw run.data.resultData.error;
	return result;
}

function agentType(calls: Call[], result: Answers): INodeType {
	const { description } = startNodeType([]);
	return {
		description: { ...description, name: 'agent', inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool] },
		async execute(this) {
			result.tools = (await (this as ExecuteContext).getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as Tool[];
			for (const [name, args = {}] of calls) {
				const tool = result.tools.find((one) => one.name === name)!;
				result.answers.push(await tool.invoke(args).catch((error: Error) => error.message));
			}
			return [[]];
		},
	};
}

/** What n8n's server makes of a node that is usable as a tool. */
function toolType(): INodeType {
	const type = new HealthDataService();
	const { description } = type;
	description.name += 'Tool';
	description.inputs = [];
	description.outputs = [NodeConnectionTypes.AiTool];
	description.properties.unshift({
		displayName: 'Tool Description',
		name: 'descriptionType',
		type: 'hidden',
		default: 'auto',
	});
	makeRunnable(type);
	return type;
}
