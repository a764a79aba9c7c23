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
	local: Local;
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

/** What this process knows of a trigger, by workflow ID and node ID. */
interface Local {
	starts: number;
	/** Count of the newest state, and of the newest without which readings are lost or emitted twice. */
	polls: number;
	needed: number;
	/** When the last poll ended (ms since 1970), and whether one was skipped since. */
	at: number;
	isSkipped: boolean;
	/** End of the lock of its running poll, by `performance.now()`. */
	runsUntil?: number;
}

const locals = new Map<string, Local>();

/** Contexts that have polled. In memory, n8n makes one per start of the trigger; durable, one per poll. */
const known = new WeakSet<IPollFunctions>();

export function scheduleOf(context: IPollFunctions): Schedule {
	const node = context.getNode();
	const stored = context.getWorkflowStaticData('node');
	// Missing in n8n's types.
	const { workflow } = context as { workflow?: Pick<Workflow, 'staticData' | 'getStaticData'> };
	const isDurable = workflow !== undefined && workflow.getStaticData('node', node) !== stored;
	const givenMs = context.getPollBudgetMs?.() ?? DEFAULT_BUDGET_MS;
	const isPollTime =
		isDurable && context.getActivationMode() === 'update' && givenMs !== DEFAULT_BUDGET_MS;
	const isStart = !known.has(context) && !isPollTime;
	known.add(context);
	if (!isDurable && workflow) adoptState(workflow.staticData, node.id, stored);
	const name = `${context.getWorkflow().id} ${node.id}`;
	const local = locals.get(name) ?? { starts: 0, polls: 0, needed: 0, at: 0, isSkipped: false };
	locals.set(name, local);
	const started = (local.starts += isStart ? 1 : 0);
	const budgetMs = Math.min(givenMs, isStart ? START_BUDGET_MS : Infinity);
	return {
		local,
		isDurable,
		isStart,
		budgetMs,
		stored,
		isSuperseded: () => local.starts !== started,
	};
}

const nodeOf = (stored: unknown) =>
	(stored as { state?: { node?: string } } | undefined)?.state?.node;

/** In memory, n8n stores static data by node name: the state of a renamed node is under its old name. */
function adoptState(staticData: IDataObject, id: string, stored: IDataObject) {
	if (nodeOf(stored) === id) return;
	const old = Object.values(staticData).find((one) => nodeOf(one) === id) as
		| IDataObject
		| undefined;
	if (!old) return;
	stored.state = old.state;
	delete old.state;
}

/** Skips a poll while the previous one runs: in memory, n8n starts it all the same. A start takes over instead. */
export async function withoutOverlap<T>(
	{ local, budgetMs, isStart }: Schedule,
	work: () => Promise<T>,
) {
	if (!isStart && (local.runsUntil ?? 0) > performance.now()) return null;
	const end = performance.now() + 2 * budgetMs;
	local.runsUntil = end;
	try {
		return await work();
	} finally {
		if (local.runsUntil === end) local.runsUntil = undefined;
	}
}

/** After this, n8n has committed the transaction that saves a state, or it has failed. */
const SETTLED_MS = 60_000;

/** @param polls count of the state that the poll saves @param isNeeded whether it emits, skips, or has read users for the first time */
export function notePoll({ local }: Schedule, polls: number, isNeeded = false) {
	Object.assign(local, {
		polls,
		at: Date.now(),
		isSkipped: false,
		...(isNeeded && { needed: polls }),
	});
}

/**
 * Whether to skip a poll, which it notes: its state is older than the last one needed. On the durable scheduler n8n reads the row well
 * before it calls a poll, and may write that of the poll before later. A row that stays old was not saved.
 * @param poll count of the state, 0 without one
 * @param isKnown whether it is of what is watched: else watching begins, at a start at once, later only with the last state
 */
export function skipIfStale(
	{ local, isDurable, isStart }: Schedule,
	poll: number,
	isKnown: boolean,
): boolean {
	const isOlder = isKnown ? poll < local.needed : !isStart && poll < local.polls;
	if (!isDurable || !isOlder) return false;
	const age = Date.now() - local.at;
	if (local.isSkipped && (age < 0 || age >= SETTLED_MS)) return false;
	return (local.isSkipped = true);
}
