/**
 * What the input items of one run of the node share, and reading fields once for all of them: n8n evaluates a field anew for
 * every item, which costs as much as a request, and fields without an expression are the same for all.
 */
import type { IExecuteSingleFunctions, ITaskDataConnections } from 'n8n-workflow';
import { DateTime } from 'luxon';
import type { RequestQueue } from '../http/requestQueue';
import type { ResolvedNames } from '../service/oneUser';

/** Whether an AI agent calls the node: once for each answer it wants, all within the agent's own execution. */
export const isTool = (context: IExecuteSingleFunctions) => context.getNode().type.endsWith('Tool');

/** One run of the node: all its input items, once. Kept things are gone with it. */
export class Run {
	/** The same for all items. */
	readonly now = DateTime.now();
	/** Shared by all items. */
	queue?: RequestQueue;
	fields?: object;
	readonly answers: ResolvedNames = new Map();
	private readonly started = new Set<number>();
	private readonly waiting: Array<() => void> = [];

	constructor(private readonly items: number) {}

	hasStarted = (item: number) => this.started.has(item);

	start(item: number) {
		this.started.add(item);
		if (this.isWhole) for (const go of this.waiting.splice(0)) go();
	}

	/** Whether n8n has started all items. It starts them in one go, unless Batching is set, and gives up at the first that it cannot start. */
	get isWhole() {
		return this.started.size >= this.items;
	}

	/** Never, where n8n gave up. */
	async whole(): Promise<void> {
		if (!this.isWhole) await new Promise<void>((resolve) => this.waiting.push(resolve));
	}
}

/** How many input items this run has: fewer than the execution data holds with *Execute Once*. Every context of n8n has `inputData`. */
const itemsOf = (context: object) =>
	(context as { inputData?: ITaskDataConnections }).inputData?.main?.[0]?.length ?? 1;

/** By what n8n keeps for a run, and by the context of each item. */
const runs = new WeakMap<object, Run>();

/**
 * The run of an item. n8n's *Retry On Fail* starts the items again with the same execution data: an item that comes a second
 * time begins a new run. For a tool, each call is one.
 */
export function runOf(context: IExecuteSingleFunctions): Run {
	const known = runs.get(context);
	if (known) return known;

	const data = context.getExecuteData();
	const item = context.getItemIndex();
	let run = isTool(context) ? undefined : runs.get(data);
	if (!run || run.hasStarted(item)) run = new Run(itemsOf(context));
	run.start(item);
	runs.set(data, run);
	runs.set(context, run);
	return run;
}

/**
 * `read`, done once per run when no field holds an expression (except those in `but`, which it must not read), else for
 * every item. What it throws is not remembered.
 */
export function oncePerRun<T extends object>(
	context: IExecuteSingleFunctions,
	{ but }: { but: string[] },
	read: (now: DateTime) => T,
): T {
	const run = runOf(context);
	const fields = Object.entries(context.getNode().parameters).filter(([name]) => !but.includes(name));
	if (fields.some(([, value]) => hasExpression(value))) return read(run.now);
	run.fields ??= read(run.now);
	return run.fields as T;
}

function hasExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}
