/**
 * Schedulers of n8n, in memory and durable: where a poll's state is stored, whether the poll is a start, its time budget, and the
 * locks against overlapping polls and duplicate deliveries.
 */
import type { IDataObject, IPollFunctions, Workflow } from 'n8n-workflow';

/** In memory, n8n gives no budget. On the durable scheduler only a start has this one, which tells it from a poll time. */
export const DEFAULT_BUDGET_MS = 300_000;
/** A longer poll at a start would delay n8n. */
export const START_BUDGET_MS = 60_000;

export interface Schedule {
	/** Workflow ID and node ID. */
	name: string;
	/** Whether the scheduler is durable: the state is a row of its own, saved together with the emitted execution. */
	isDurable: boolean;
	/** At an activation or a start of n8n: after a throw there, n8n does not poll again. */
	isStart: boolean;
	budgetMs: number;
	/** n8n's static data of this node. */
	stored: IDataObject;
	/** Whether the trigger was started again since: its fields may have changed, and it repeats this poll. */
	isSuperseded: () => boolean;
}

/** Contexts that have polled. In memory, n8n makes one per start of the trigger; durable, one per poll. */
const known = new WeakSet<IPollFunctions>();
/** Number of starts per trigger. */
const starts = new Map<string, number>();

export function scheduleOf(context: IPollFunctions): Schedule {
	const node = context.getNode();
	const stored = context.getWorkflowStaticData('node');
	// Missing in n8n's types.
	const { workflow } = context as { workflow?: Pick<Workflow, 'staticData' | 'getStaticData'> };
	const isDurable = workflow !== undefined && workflow.getStaticData('node', node) !== stored;
	const givenMs = context.getPollBudgetMs?.() ?? DEFAULT_BUDGET_MS;
	const isPollTime = isDurable && context.getActivationMode() === 'update' && givenMs !== DEFAULT_BUDGET_MS;
	const isStart = !known.has(context) && !isPollTime;
	known.add(context);
	if (!isDurable && workflow) adoptState(workflow.staticData, node.id, stored);
	const name = `${context.getWorkflow().id} ${node.id}`;
	const started = (starts.get(name) ?? 0) + (isStart ? 1 : 0);
	starts.set(name, started);
	const isSuperseded = () => starts.get(name) !== started;
	const budgetMs = Math.min(givenMs, isStart ? START_BUDGET_MS : Infinity);
	return { name, isDurable, isStart, budgetMs, stored, isSuperseded };
}

const nodeOf = (stored: unknown) => (stored as { state?: { node?: string } } | undefined)?.state?.node;

/** In memory, n8n stores static data by node name: the state of a renamed node is under its old name. */
function adoptState(staticData: IDataObject, id: string, stored: IDataObject) {
	if (nodeOf(stored) === id) return;
	const old = Object.values(staticData).find((one) => nodeOf(one) === id) as IDataObject | undefined;
	if (!old) return;
	stored.state = old.state;
	delete old.state;
}

/** End of the lock of each running poll: in memory, n8n starts a poll even if the last one still runs. */
const running = new Map<string, number>();

/** Skips a poll while the previous one runs. A start takes over instead. */
export async function withoutOverlap<T>({ name, budgetMs, isStart }: Schedule, work: () => Promise<T>) {
	if (!isStart && (running.get(name) ?? 0) > performance.now()) return null;
	const end = performance.now() + 2 * budgetMs;
	running.set(name, end);
	try {
		return await work();
	} finally {
		if (running.get(name) === end) running.delete(name);
	}
}

/** After this, n8n has committed the transaction of a delivery, or it has failed. */
const SETTLED_MS = 60_000;
/** Last delivery of each trigger: count of the state's polls, time (ms since 1970), whether a poll was skipped for it. */
const deliveries = new Map<string, { poll: number; at: number; isSkipped: boolean }>();

/** @param poll of the state with which the rows were found */
export function noteDelivery({ name, isDurable }: Schedule, poll: number) {
	if (isDurable) deliveries.set(name, { poll, at: Date.now(), isSkipped: false });
}

/**
 * Whether to skip a poll, which it notes: its state is older than the last delivery. On the durable scheduler n8n reads the row well
 * before it calls a poll, and may write that of the poll before later. A row that stays old means a failed delivery, to be repeated.
 * @param poll count of the state, undefined where it starts over
 */
export function skipIfStale({ name }: Schedule, poll?: number): boolean {
	if (poll === undefined) deliveries.delete(name);
	const last = deliveries.get(name);
	if (!last || last.poll < poll!) return false;
	const age = Date.now() - last.at;
	if (last.isSkipped && (age < 0 || age >= SETTLED_MS)) return false;
	last.isSkipped = true;
	return true;
}
