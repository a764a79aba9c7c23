/**
 * Reading fields once for all items of a run: n8n evaluates a field anew for every input item, which costs as much as a
 * request, and fields without an expression are the same for all of them.
 */
import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { DateTime } from 'luxon';

/** Whether an AI agent calls the node: once for each answer it wants, all within the agent's own execution. */
export const isTool = (context: IExecuteSingleFunctions) => context.getNode().type.endsWith('Tool');

/** What the input items of one run of the node have in common. For a tool, each call is a run. */
export const runKey = (context: IExecuteSingleFunctions): object => (isTool(context) ? {} : context.getExecuteData());

/** What is kept of a run, gone with it. */
const runs = new WeakMap<object, { now: DateTime; value?: unknown }>();

/**
 * `read`, done once per run when no field holds an expression (except those in `but`, which it must not read), else for
 * every item. "Now" is the same for all items either way. What it throws is not remembered.
 */
export function oncePerRun<T extends object>(
	context: IExecuteSingleFunctions,
	{ but }: { but: string[] },
	read: (now: DateTime) => T,
): T {
	const key = runKey(context);
	const run = runs.get(key) ?? { now: DateTime.now() };
	runs.set(key, run);

	const fields = Object.entries(context.getNode().parameters).filter(([name]) => !but.includes(name));
	if (fields.some(([, value]) => hasExpression(value))) return read(run.now);
	run.value ??= read(run.now);
	return run.value as T;
}

function hasExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}
