/**
 * Schedulers of n8n, in memory and durable: where a poll's state is stored, whether the poll is a start, its time budget, and the
 * locks against overlapping polls and duplicate deliveries.
 */
import type { IPollFunctions, Workflow } from 'n8n-workflow';
import type { Problem } from '../shared/problem';
import type { PollEnd, Trouble } from './results';
import { DAY_MS, HOUR_MS, JITTER_MS, sealed, type TriggerState } from './state';

/** In memory, n8n gives no budget. On the durable scheduler only a start has this one, which tells it from a poll time. */
const DEFAULT_BUDGET_MS = 300_000;
/** A longer poll at a start would delay n8n. */
const START_BUDGET_MS = 60_000;

export type Schedule = ReturnType<typeof scheduleOf>;

/** n8n's static data of a node. */
interface Stored {
	state?: TriggerState;
}

/** What this process knows of a trigger. */
export class Local {
	/** Context of the last start. In memory, n8n makes one per start; durable, one per poll. */
	private startedBy?: IPollFunctions;
	/** Count of the newest state, and of the newest without which readings are lost or emitted twice. */
	polls = 0;
	needed = 0;
	/** When the first poll began, and when the last one ended (ms since 1970). */
	private readonly firstAt = Date.now();
	endedAt = 0;
	/** When the user list was last read to its end (ms since 1970). */
	listReadAt = Date.now();
	/** What was watched when the user list told whether a user has the *Provider*. */
	readonly checkedFor = new Set<string>();
	/** The last throttle that cut a poll short. */
	throttle?: Problem;
	/** When the last poll began, by `performance.now()`, and how long after the one before it. */
	private begunAt = performance.now();
	private intervalMs = 0;
	/** End (ms since 1970) and length of the last pause, such as a night without poll times. */
	private resumedAt = 0;
	private pausedMs = 0;
	/** When n8n saved the state in memory last, by `performance.now()`. */
	savedAt = performance.now();
	/** When an error of a whole poll was thrown last, by its kind (ms since 1970). */
	private readonly thrownAt = new Map<string, number>();
	/** Whether a poll was skipped since the last one. */
	isSkipped = false;
	/** Whether the last poll had the budget of a start, and the mode of a poll time. */
	private isUnclear = false;
	/** End of the lock of its running poll, by `performance.now()`. */
	runsUntil = 0;
	/** Why a user was not read last, by the key of the cursor. */
	readonly troubles = new Map<string, Trouble>();

	/** Notes the time of a poll. */
	begin() {
		const begunAt = performance.now();
		const usualMs = Math.max(HOUR_MS, this.intervalMs);
		this.intervalMs = begunAt - this.begunAt;
		this.begunAt = begunAt;
		if (this.intervalMs <= 2 * usualMs) return;
		this.resumedAt = Date.now();
		this.pausedMs = this.intervalMs;
	}

	/** Whether the poll is a start. @param mayBePollTime by n8n's mode @param budgetMs as n8n gives it */
	start(context: IPollFunctions, mayBePollTime: boolean, budgetMs: number) {
		// A poll time may have the budget of a start, by n8n's settings: the second such poll in a row is none.
		const wasUnclear = this.isUnclear;
		this.isUnclear = mayBePollTime && budgetMs === DEFAULT_BUDGET_MS;
		const isPollTime = mayBePollTime && (!this.isUnclear || wasUnclear);
		const isStart = this.startedBy !== context && !isPollTime;
		if (isStart) this.startedBy = context;
		const { startedBy } = this;
		return { isStart, isSuperseded: () => this.startedBy !== startedBy };
	}

	/** Notes what a poll came to. */
	end({ isListRead, troubles }: PollEnd, throttle?: Problem) {
		if (isListRead) this.listReadAt = Date.now();
		this.throttle = throttle ?? this.throttle;
		for (const [key, trouble] of troubles) {
			if (trouble) this.troubles.set(key, trouble);
			else this.troubles.delete(key);
		}
	}

	/** Whether what n8n saved in memory is a day old: after a restart it would be the state. */
	get isSaveOld() {
		return performance.now() - this.savedAt >= DAY_MS;
	}

	/** Notes an error of a whole poll, unless one of its kind was thrown within the hour. @returns whether it is thrown */
	noteError({ kind }: Problem): boolean {
		const last = this.thrownAt.get(kind) ?? -Infinity;
		if (Math.abs(Date.now() - last) < HOUR_MS - JITTER_MS) return false;
		this.thrownAt.set(kind, Date.now());
		return true;
	}

	/** Whether that was longer ago than an hour and two polls, in which this process could have read a user. @param time ms since 1970 */
	isOld(time = -Infinity): boolean {
		const afterMs = Math.max(HOUR_MS, 2 * this.intervalMs);
		return Math.min(this.ageOf(time), this.ageOf(this.firstAt)) >= afterMs;
	}

	/** A clock that was set back makes nothing young. Time without polls does not count. */
	private ageOf(time: number) {
		const pausedMs = time < this.resumedAt ? this.pausedMs : 0;
		return Math.abs(Date.now() - time) - pausedMs;
	}
}

/** By workflow ID and node ID. */
const locals = new Map<string, Local>();

export function scheduleOf(context: IPollFunctions) {
	const node = context.getNode();
	const stored: Stored = context.getWorkflowStaticData('node');
	// Missing in n8n's types.
	const { workflow } = context as {
		workflow?: Pick<Workflow, 'staticData' | 'getStaticData'>;
	};
	const isDurable =
		workflow !== undefined && workflow.getStaticData('node', node) !== stored;
	if (!isDurable && workflow) adoptState(workflow.staticData, node.id, stored);
	const given = stored.state;
	const name = `${context.getWorkflow().id} ${node.id}`;
	const local = locals.get(name) ?? new Local();
	locals.set(name, local);
	local.begin();
	const givenMs = context.getPollBudgetMs?.() ?? DEFAULT_BUDGET_MS;
	const mayBePollTime = isDurable && context.getActivationMode() === 'update';
	const started = local.start(context, mayBePollTime, givenMs);
	const { isStart } = started;
	const budgetMs = Math.min(givenMs, isStart ? START_BUDGET_MS : Infinity);
	return {
		local,
		/** Whether the scheduler is durable: the state is a row of its own, saved together with the emitted execution. */
		isDurable,
		/** At an activation or a start of n8n: after a throw there, n8n does not poll again. */
		isStart,
		budgetMs,
		stored,
		/** The state that n8n gave. */
		given,
		/** Whether the trigger was started again since: its fields may have changed, and it repeats this poll. */
		isSuperseded: started.isSuperseded,
	};
}

/**
 * In memory, n8n stores static data by node name: the state of a renamed node is under its old name,
 * or under its ID, since another node has that name.
 */
function adoptState(data: object, id: string, stored: Stored) {
	const all = data as Record<string, Stored | undefined>;
	const own = Object.values(all).find((one) => one?.state?.node === id);
	const { state } = stored;
	const isOfOther = typeof state?.node === 'string' && state.node !== id;
	if (own === stored || !(own ?? isOfOther)) return;
	stored.state = own?.state;
	delete own?.state;
	if (isOfOther) all[state.node] = { state };
}

/** Skips a poll while the previous one runs: in memory, n8n starts it all the same. A start takes over instead. */
export async function withoutOverlap<T>(
	{ local, budgetMs, isStart }: Schedule,
	work: () => Promise<T>,
) {
	if (!isStart && local.runsUntil > performance.now()) return null;
	const end = performance.now() + 2 * budgetMs;
	local.runsUntil = end;
	try {
		return await work();
	} finally {
		if (local.runsUntil === end) local.runsUntil = 0;
	}
}

/** After this, n8n has committed the transaction that saves a state, or it has failed. */
const SETTLED_MS = 60_000;

/** Leaves the state as n8n gave it. */
export function withdraw({ stored, given }: Schedule) {
	stored.state = given;
}

/** Stores the state of a poll. @param isNeeded whether the poll emits, or has read users for the first time */
export function storeState(
	{ local, stored, isStart }: Schedule,
	state: TriggerState,
	isNeeded = false,
) {
	stored.state = sealed(state);
	local.polls = state.poll;
	local.endedAt = Date.now();
	local.isSkipped = false;
	if (isNeeded) local.needed = state.poll;
	if (isNeeded || isStart) local.savedAt = performance.now();
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
	const isOlder = isKnown
		? poll < local.needed
		: !isStart && poll < local.polls;
	if (!isDurable || !isOlder) return false;
	// A clock that was set back makes nothing young.
	const ageMs = Math.abs(Date.now() - local.endedAt);
	if (local.isSkipped && ageMs >= SETTLED_MS) return false;
	return (local.isSkipped = true);
}
