/**
 * Reads the node's fields. n8n evaluates a field anew for every input item, which costs as much as a request; a field
 * without an expression is the same for all of them.
 */
import type { IExecuteSingleFunctions } from 'n8n-workflow';

/** What was worked out in an execution, gone with it. */
const known = new WeakMap<object, Map<string, unknown>>();

/**
 * `work`, done once per execution when none of the fields it reads (top-level names) holds an expression, else for
 * every item. What it throws is not remembered.
 */
export function oncePerExecution<T>(context: IExecuteSingleFunctions, fields: string[], work: () => T): T {
	const { parameters } = context.getNode();
	if (fields.some((field) => hasExpression(parameters[field]))) return work();

	const execution = context.getExecuteData();
	const values = known.get(execution) ?? new Map<string, unknown>();
	known.set(execution, values);
	const key = fields.join();
	if (!values.has(key)) values.set(key, work());
	return values.get(key) as T;
}

function hasExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}
