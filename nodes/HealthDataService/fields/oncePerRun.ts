/**
 * Reads the node's fields. n8n evaluates a field anew for every input item, which costs as much as a request; a field
 * without an expression is the same for all of them.
 */
import type { IExecuteSingleFunctions, INodeParameterResourceLocator } from 'n8n-workflow';

/** Whether an AI agent calls the node: once for each answer it wants, all within the agent's own execution. */
const isTool = (context: IExecuteSingleFunctions) => context.getNode().type.endsWith('Tool');

/** What the input items of one run of the node have in common. For a tool, each call is a run. */
export const runOf = (context: IExecuteSingleFunctions): object => (isTool(context) ? {} : context.getExecuteData());

/** What was worked out in a run, gone with it. */
const known = new WeakMap<object, Map<string, unknown>>();

/**
 * `work`, done once per run when none of the fields it reads (top-level names) holds an expression, else for
 * every item. What it throws is not remembered.
 */
export function oncePerRun<T>(context: IExecuteSingleFunctions, fields: string[], work: () => T): T {
	const { parameters } = context.getNode();
	if (fields.some((field) => hasExpression(parameters[field]))) return work();

	const run = runOf(context);
	const values = known.get(run) ?? new Map<string, unknown>();
	known.set(run, values);
	const key = fields.join();
	if (!values.has(key)) values.set(key, work());
	return values.get(key) as T;
}

function hasExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}

/** `{{ $json.some_field }}` and nothing else. */
const FIELD_OF_ITEM = /^=\{\{\s*\$json\.([A-Za-z_]\w*)\s*\}\}$/;

/**
 * A locator, or the plain value that an expression or an agent put in its place. Its usual expression, a field of the
 * item, is looked up rather than evaluated: with a thousand items that saves a sixth of the time. (A tool's item is the
 * agent's, which only n8n can look up.)
 */
export function readLocator(context: IExecuteSingleFunctions, name: string): { mode?: string; value: unknown } {
	const stored = context.getNode().parameters[name];
	const [, field] = (isLocator(stored) && !isTool(context) && FIELD_OF_ITEM.exec(String(stored.value))) || [];
	if (isLocator(stored) && field) return { mode: stored.mode, value: context.getInputData().json[field] };

	return asLocator(context.getNodeParameter(name, ''));
}

/** A locator, or the plain value in its place. */
export const asLocator = (given: unknown): { mode?: string; value: unknown } =>
	isLocator(given) ? given : { value: given };

const isLocator = (given: unknown): given is INodeParameterResourceLocator =>
	typeof given === 'object' && given !== null && 'value' in given;
