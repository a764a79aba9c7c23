/**
 * One poll, as n8n calls it: when the trigger starts, at its poll times, and for a test event. What may throw, and what is said.
 */
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { connect, readCredential } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { RETRY_LIMITS, SHORT_RETRY } from '../http/retry';
import { Problem, toNodeError } from '../shared/problem';
import { isReportDue, report } from './failedUsers';
import { reachesThreshold, withThresholds } from './thresholds';
import { readRound, type RoundResult } from './round';
import { withoutOverlap, isStale, noteDelivery, scheduleOf, type Schedule } from './scheduler';
import { readSettings } from './settings';
import { isStateOf, startState, type TriggerState } from './state';
import { testEvent } from './testEvent';

/** One answer may take so long, or a third of the budget: a user who hangs must not use up the poll of the others. */
const TIMEOUT_MS = 60_000;

/** When watching began, by the clock that nobody sets. */
const begun = new Map<string, number>();

/**
 * @throws NodeApiError or NodeOperationError with `failure`; nothing was emitted or remembered then, and the next poll finds the
 * same again. Not at a start where that is likely to pass: n8n would never poll again.
 */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (this.getMode() === 'manual') {
		try {
			return toOutput([await testEvent(this)]);
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	}
	const schedule = scheduleOf(this);
	try {
		return await withoutOverlap(schedule, async () => await pollOnce(this, schedule));
	} catch (error) {
		const nodeError = toNodeError(this.getNode(), error);
		if (!schedule.isStart || mustBeSaid(this, error)) throw nodeError;
		this.logger.warn(`${nodeError.message}. ${nodeError.description ?? ''} The next poll tries again.`);
		await this.__commitCursor?.();
		return null;
	}
}

/** Somebody who has just switched the workflow on wants to hear of a wrong key, but not of an outage. */
function mustBeSaid(context: IPollFunctions, error: unknown): boolean {
	const isByHand = !['init', 'leadershipChange'].includes(context.getActivationMode());
	return isByHand && !(error instanceof Problem && error.isTransient);
}

async function pollOnce(context: IPollFunctions, schedule: Schedule): Promise<INodeExecutionData[][] | null> {
	const { stored, isStart, isDurable, name, isSuperseded } = schedule;
	const given = stored.state;
	const now = Date.now();
	const started = performance.now();
	const settings = readSettings(context);
	const { root } = await readCredential(context);
	const watched = `${settings.watched} ${root}`;
	const nodeId = context.getNode().id;
	const known = isStateOf(stored.state, nodeId, watched) ? stored.state : undefined;
	if (known && isStale(schedule, known.turn)) return null;
	const state = known ? withRightClock(known, name, now) : startState(nodeId, watched, now, settings.lookback);
	if (!known) begun.set(name, performance.now());
	// Remembered even if this poll fails: whatever is measured from now on is new.
	stored.state = state;

	let { since } = state;
	let result = await read(context, schedule, settings, state, { now, started, begins: !known });
	if (result.otherTeam) {
		const afresh = { ...startState(nodeId, watched, now, settings.lookback), team: result.otherTeam };
		({ since } = afresh);
		result = await read(context, schedule, settings, afresh, { now, started, begins: true });
	}
	if (isSuperseded()) {
		stored.state = given;
		return null;
	}
	tell(context, result, now);
	stored.state = result.state;

	if (result.items.length > 0) {
		noteDelivery(schedule, state.turn);
		return toOutput(result.items);
	}
	if (isStart) await context.__commitCursor?.();
	// In memory, n8n saves what a poll remembers when the trigger starts and when items go out. What a late first round has
	// seen is saved by sending none of them: an empty execution, once.
	const isLateFirst = (since !== undefined && result.state.since === undefined) || wasFirstRead(state, result.state);
	return isLateFirst && !isStart && !isDurable ? [[]] : null;
}

/** Whether somebody who was set aside when watching began has been read at last. */
const wasFirstRead = (before: TriggerState, { behind }: TriggerState) =>
	Object.entries(before.behind).some(([key, { since }]) => since !== undefined && !behind[key]);

async function read(
	context: IPollFunctions,
	{ isStart, budgetMs }: Schedule,
	{ event, scope, lookback, minimums }: ReturnType<typeof readSettings>,
	state: TriggerState,
	moment: { now: number; started: number; begins: boolean },
): Promise<RoundResult> {
	const limits = isStart ? SHORT_RETRY : { ...RETRY_LIMITS, timeoutMs: TIMEOUT_MS };
	const timeoutMs = Math.min(limits.timeoutMs, budgetMs / 3);
	// What is on its way at the deadline may still take as long as one answer.
	const deadline = moment.started + budgetMs - timeoutMs;
	// What came before a minimum was changed is judged by the old one: in memory, n8n does not save that it was passed over.
	const judges = [minimums, moment.begins ? [] : (state.minimums ?? [])];
	const isWanted = (row: IDataObject) => judges.every((judge) => reachesThreshold(judge, row));
	const get = await connect(context, {
		queue: new RequestQueue(scope),
		maxAttempts: limits.maxAttempts,
		timeoutMs,
		retryUntil: deadline,
		// One user's failure is no matter of the others.
		continues: true,
		retryForMs: Math.min(limits.retryForMs, budgetMs / 2),
	});
	const result = await readRound(get, event, scope, state, { ...moment, lookback, deadline, budgetMs, isWanted });
	await scope.selection.addClientUserIds?.(get, result.items, () => performance.now() >= deadline);
	return { ...result, state: withThresholds(result.state, state, minimums, moment.begins) };
}

/** Until a first round is complete, what was measured before watching began is old. A clock that has been set back since was wrong then. */
function withRightClock(state: TriggerState, name: string, now: number): TriggerState {
	if (state.since === undefined || now >= state.since) return state;
	const began = begun.get(name);
	return { ...state, since: now - (began === undefined ? 0 : performance.now() - began) };
}

/** Users who cannot be read: a failed execution for all of them together, while the poll goes on; that it is over goes to the log. */
function tell(context: IPollFunctions, { state, problems, recovered }: RoundResult, now: number) {
	if (recovered > 0)
		context.logger.info(`The readings of ${recovered === 1 ? '1 user' : `${recovered} users`} can be read again`);
	if (!isReportDue(state.behind, now)) return;
	const { message, description } = report(state.behind, problems);
	const [first] = problems.values();
	const problem = new Problem(message, description, { kind: first?.kind, httpCode: first?.httpCode });
	context.__emitError(toNodeError(context.getNode(), problem));
	for (const one of Object.values(state.behind)) one.told = now;
}

const toOutput = (rows: IDataObject[]): INodeExecutionData[][] => [rows.map((json) => ({ json }))];
