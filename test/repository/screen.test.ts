/**
 * The screen: which fields n8n shows for each choice, what stands beside them, and the words below a node on the canvas.
 * `__snapshots__/screen.test.ts.snap` is the record; `npm run test:unit -- screen -u` records a change that is meant.
 */
import {
	NodeHelpers,
	Workflow,
	type INodeExecutionData,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodeType,
	type INodeTypeDescription,
	type INodeTypes,
} from 'n8n-workflow';
import { HealthDataService } from '../../nodes/HealthDataService/HealthDataService.node';
import { HealthDataServiceTrigger } from '../../nodes/HealthDataService/HealthDataServiceTrigger.node';
import { groupBy } from '../../nodes/HealthDataService/shared/values';

const nodes: INodeType[] = [new HealthDataService(), new HealthDataServiceTrigger()];
const [node, trigger] = nodes.map(({ description }) => description);
/** n8n makes the tool of an AI agent from the node, under this name. */
const tool: INodeTypeDescription = { ...node, name: `${node.name}Tool` };

/** Fields that show or hide others, in the order of the screen. */
const CHOICES = ['resource', 'event', 'operation', 'userScope', 'returnAll', 'output'];

/** The fields of a list that n8n shows; those of a collection name others by their path from the root. */
const shown = (description: INodeTypeDescription, fields: INodeProperties[], root: INodeParameters, values = root) =>
	fields.filter((field) => NodeHelpers.displayParameter(values, field, { typeVersion: 1 }, description, root));

const valuesOf = ({ type, options = [] }: INodeProperties) =>
	type === 'boolean' ? [false, true] : options.flatMap((option) => ('value' in option ? [option.value] : []));

/** All combinations of choices that the screen offers. */
const choicesOf = (description: INodeTypeDescription, names = CHOICES): INodeParameters[] =>
	names.reduce<INodeParameters[]>(
		(made, name) =>
			made.flatMap((values) => {
				const field = shown(description, description.properties, values).find((one) => one.name === name);
				return field ? valuesOf(field).map((value) => ({ ...values, [name]: value })) : [values];
			}),
		[{}],
	);

const defaultsOf = (description: INodeTypeDescription, chosen: INodeParameters): INodeParameters => ({
	...Object.fromEntries(description.properties.map((field) => [field.name, field.default as string])),
	...chosen,
});

const isOption = (option: object): option is INodeProperties => 'type' in option;
const isGroup = (option: object): option is INodePropertyCollection => 'values' in option;

/** What n8n shows for a choice, by its saved name, and in brackets what can be added to a collection. */
function fieldsFor(description: INodeTypeDescription, chosen: INodeParameters): string {
	const values = defaultsOf(description, chosen);
	const fields = shown(description, description.properties, values).map(({ name, options = [] }) => {
		const added = shown(description, options.filter(isOption), values, {}).map((option) => option.name);
		const inside = [...added, ...options.filter(isGroup).map((group) => group.name)];
		return inside.length > 0 ? `${name} (${inside.join(', ')})` : name;
	});
	return fields.join(', ');
}

/** A line for the choices that show the same. */
function table(description: INodeTypeDescription, choices: INodeParameters[]): string {
	const alike = groupBy(choices, (chosen) => fieldsFor(description, chosen));
	const lines = [...alike].map(([fields, some]) => {
		const names = some.map((chosen) => Object.values(chosen).join(' '));
		return `${names.join(' | ')}: ${fields}`;
	});
	return `\n${lines.join('\n')}\n`;
}

it.each<[string, INodeTypeDescription]>([
	['node', node],
	['trigger', trigger],
])('the fields of the %s for each choice', (_, description) => {
	const choices = choicesOf(description);
	expect(choices.length).toBeGreaterThan(6);
	expect(table(description, choices)).toMatchSnapshot();
});

it('the tool of an AI agent has the fields of the node, and Simplify for each choice', () => {
	const ofTool = table(tool, choicesOf(tool));
	expect(ofTool.replaceAll(', simplify', '')).toBe(table(node, choicesOf(node)));
	for (const line of ofTool.trim().split('\n')) expect(line).toContain(', simplify');
});

it('a trigger that looks for a test event asks nobody to create one', () => {
	expect(trigger.eventTriggerDescription).toMatch(/^Looking for /);
});

it('no rule of when a field is shown is undefined: n8n 2.8.4 would run no workflow', () => {
	const rules = [node, trigger].flatMap(({ properties }) =>
		properties.flatMap(({ displayOptions = {} }) => Object.values(displayOptions)),
	);
	expect(rules).not.toContain(undefined);
});

it('the date fields for each Date Range', () => {
	const choices = choicesOf(node, ['resource', 'operation', 'dateRange']).filter(
		({ resource }) => resource === 'timeseries',
	);
	expect(table(node, choices)).toMatchSnapshot();
});

/** What stands beside the fields, where anything does. Labels and descriptions may change freely and are not in it. */
function besides(fields: INodeProperties[], prefix = ''): string[] {
	const all = fields.flatMap(
		({ name, hint, required, typeOptions, noDataExpression, validateType, modes = [], options = [] }) => {
			const details = { hint, required, noDataExpression, validateType, ...typeOptions };
			const ofModes = modes.map((mode) => ({
				...{ mode: mode.name, hint: mode.hint, ...mode.typeOptions },
				...{ validation: mode.validation?.map((one) => (one as { properties: object }).properties) },
			}));
			return [
				`${prefix}${name} ${JSON.stringify(details)}`,
				...ofModes.map((mode) => `${prefix}${name} ${JSON.stringify(mode)}`),
				...besides(options.filter(isOption), `${prefix}${name}.`),
				...options.filter(isGroup).flatMap((group) => besides(group.values, `${prefix}${name}.${group.name}.`)),
			];
		},
	);
	return all.filter((line) => !line.endsWith(' {}'));
}

it.each(nodes.map(({ description }) => [description.displayName, description]))(
	'%s: hints, bounds and lists of its fields',
	(_, { properties }) => {
		expect(`\n${[...new Set(besides(properties))].sort().join('\n')}\n`).toMatchSnapshot();
	},
);

it.each(nodes.map((type) => [type.description.displayName, type] as const))(
	'%s: each list that a field names is there, and none is without a field',
	(_, { description, methods }) => {
		const modes = description.properties.flatMap((field) => field.modes ?? []);
		const named = modes.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []);
		expect([...new Set(named)].sort()).toEqual(Object.keys(methods?.listSearch ?? {}).sort());
		expect(modes.filter(({ type }) => type === 'list')).toHaveLength(named.length);
	},
);

/** What n8n makes of an expression of the description with these fields and input items. */
function evaluated(type: INodeType, expression: string, parameters: INodeParameters, input: INodeExecutionData[] = []) {
	const nodeTypes = { getByNameAndVersion: () => type } as unknown as INodeTypes;
	const one = { id: 'n', name: 'Node', type: 'any', typeVersion: 1, position: [0, 0] as [number, number], parameters };
	const workflow = new Workflow({ nodes: [one], connections: {}, active: false, nodeTypes });
	return workflow.expression.withIsolate(
		async () =>
			await Promise.resolve(workflow.expression.getParameterValue(expression, null, 0, 0, 'Node', input, 'manual', {})),
	);
}

it('{{ }}: below the node and the trigger stands what was chosen', async () => {
	const lines: string[] = [];
	for (const type of nodes) {
		const { description } = type;
		for (const chosen of choicesOf(description, ['resource', 'event', 'operation', 'userScope'])) {
			const subtitle = await evaluated(type, description.subtitle!, chosen);
			lines.push(`${Object.values(chosen).join(' ')}: ${String(subtitle)}`);
		}
	}
	expect(`\n${lines.join('\n')}\n`).toMatchSnapshot();
});

it.each<[string, INodeParameters, items: number, isShown: boolean]>([
	['All Users', { userScope: 'all' }, 2, true],
	['All Users, one item', { userScope: 'all' }, 1, false],
	['All Users by expression', { userScope: '={{ "all" }}' }, 2, true],
	['One User', { userScope: 'one' }, 2, false],
	['Listed Users', { userScope: 'listed' }, 2, false],
	['List', { resource: 'user', operation: 'list' }, 2, true],
	['List, one item', { resource: 'user', operation: 'list' }, 1, false],
	['Resolve', { resource: 'user', operation: 'resolve' }, 2, false],
])('{{ }}: a hint that all users are read for each item: %s', async (_, parameters, items, isShown) => {
	const [{ displayCondition, whenToDisplay, location }] = node.hints!;
	expect([whenToDisplay, location]).toEqual(['afterExecution', 'outputPane']);
	const input = Array.from({ length: items }, (): INodeExecutionData => ({ json: {} }));
	expect(await evaluated(nodes[0], displayCondition!, parameters, input)).toBe(isShown);
});
