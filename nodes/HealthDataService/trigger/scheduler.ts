/**
 * What n8n's two schedulers, in memory and durable, do to a poll: where its state lies, whether it is the one at a start, how long
 * it may take, and that nothing runs beside it or comes twice.
 */
import type { IDataObject, INode, IPollFunctions } from 'n8n-workflow';

/** Where n8n has no budget of its own; a durable poll time has another, which tells it from the poll at a start. */
export const DEFAULT_BUDGET_MS = 300_000;

/** The poll at a start must not hold up n8n. */
export const START_BUDGET_MS = 60_000;

/** What n8n's contexts have besides what their types say. */
interface Inside {
	workflow?: { staticData: IDataObject; getStaticData(type: string, node: INode): IDataObject };
}

export interface Schedule {
	/** By workflow and node, which is what makes a trigger the same one. */
	name: string;
	/** Whether the state is a row of its own, saved with the execution that is handed out (durable). */
	isDurable: boolean;
	/** At an activation or a start of n8n: a throw there would leave the trigger dead. */
	isStart: boolean;
	budgetMs: number;
	/** What n8n keeps for this node. */
	stored: IDataObject;
	/** Whether the trigger was started anew since: its fields may be others, and it finds the same again. */
	isSuperseded: () => boolean;
}

/** Contexts that have polled before: in memory, n8n makes one for each start of the trigger; durable, for each poll. */
const known = new WeakSet<IPollFunctions>();

/** How often each trigger was started. */
const starts = new Map<string, number>();

export function scheduleOf(context: IPollFunctions): Schedule {
	const node = context.getNode();
	const stored = context.getWorkflowStaticData('node');
	const { workflow } = context as Inside;
	const isDurable = workflow !== undefined && workflow.getStaticData('node', node) !== stored;
	const budgetMs = context.getPollBudgetMs?.() ?? DEFAULT_BUDGET_MS;
	const isPollTime = isDurable && context.getActivationMode() === 'update' && budgetMs !== DEFAULT_BUDGET_MS;
	const isStart = !known.has(context) && !isPollTime;
	known.add(context);
	if (!isDurable && workflow) adoptState(workflow.staticData, node.id, stored);
	const name = `${context.getWorkflow().id} ${node.id}`;
	const started = (starts.get(name) ?? 0) + (isStart ? 1 : 0);
	starts.set(name, started);
	return {
		name,
		isDurable,
		isStart,
		budgetMs: isStart ? Math.min(budgetMs, START_BUDGET_MS) : budgetMs,
		stored,
		isSuperseded: () => starts.get(name) !== started,
	};
}

const nodeOf = (stored: unknown) => (stored as { state?: { node?: string } } | undefined)?.state?.node;

/** In memory, n8n keeps static data by the node's name: a node that was renamed finds its state under the old one. */
function adoptState(staticData: IDataObject, id: string, stored: IDataObject) {
	if (nodeOf(stored) === id) return;
	const old = Object.values(staticData).find((one) => nodeOf(one) === id) as IDataObject | undefined;
	if (!old) return;
	stored.state = old.state;
	delete old.state;
}

/** Polls that are going on, and when they must be over: in memory, n8n begins the next one even if the last still runs. */
const running = new Map<string, number>();

/** `work`, unless the poll before is still at it. A start does not wait: it overtakes that. */
export async function withoutOverlap<T>(
	{ name, budgetMs, isStart }: Schedule,
	work: () => Promise<T>,
): Promise<T | null> {
	if (!isStart && (running.get(name) ?? 0) > performance.now()) return null;
	const end = performance.now() + 2 * budgetMs;
	running.set(name, end);
	try {
		return await work();
	} finally {
		if (running.get(name) === end) running.delete(name);
	}
}

/** n8n's transaction of a hand-out is through after this, or it has failed. */
const SETTLED_MS = 60_000;

interface Delivery {
	/** The turn of the state on which the rows were found. */
	turn: number;
	/** ms */
	at: number;
	/** Whether a poll was left out for it. */
	isSkipped: boolean;
}

/** What each trigger has handed out last. */
const deliveries = new Map<string, Delivery>();

/** To be called when rows go out that were found on this turn of the state. */
export function noteDelivery({ name, isDurable }: Schedule, turn: number) {
	if (isDurable) deliveries.set(name, { turn, at: Date.now(), isSkipped: false });
}

/**
 * Whether the state is older than what was just handed out: durable, the row may not be written yet when the next poll begins, on
 * a busy machine when several do. If it is still the old one after that, the hand-out has failed and must come again.
 */
export function isStale({ name }: Schedule, turn: number): boolean {
	const last = deliveries.get(name);
	if (last?.turn !== turn) return false;
	const age = Date.now() - last.at;
	if (last.isSkipped && (age < 0 || age >= SETTLED_MS)) return false;
	last.isSkipped = true;
	return true;
}
