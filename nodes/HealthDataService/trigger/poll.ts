/**
 * Entry point of the trigger: one poll, as n8n calls it at the start, at poll times and for a test event. Decides which problems
 * throw and which are logged.
 */
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { CircuitBreaker, NEVER_OPENS } from '../http/circuitBreaker';
import { connect, readCredential } from '../http/client';
import { AdaptiveTimeout } from '../http/deadlines';
import { RequestQueue } from '../http/requestQueue';
import { MAX_LIMIT_MS, RETRY_LIMITS, SHORT_RETRY } from '../http/retry';
import { noSuchProvider, type ProviderSlug } from '../service/users';
import { countOfUsers, logLine, Problem, sentences, toNodeError } from '../shared/problem';
import { FailedUsers, isLimit, isReportDue, pauseReport, reportOf, REST_MS } from './failedUsers';
import { readRound, type RoundResult } from './round';
import { isStale, noteDelivery, scheduleOf, withoutOverlap, type Schedule } from './scheduler';
import { readSettings, type Settings } from './settings';
import { isStateOf, pollClock, startState, withThresholds, type TriggerState } from './state';
import { testEvent } from './testEvent';

/** Timeout of one answer, or a part of the budget: slow answers for one user must not use up the poll of the others. */
const TIMEOUT_MS = 60_000;
const TIMEOUT_PART = 4 / 9;

/** When watching began, by the monotonic clock. */
const begun = new Map<string, number>();

/**
 * @throws NodeApiError or NodeOperationError with `failure`: nothing is emitted or saved, and the next poll repeats this one. Not
 * for a transient problem at a start, since n8n would stop polling
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
		if (!schedule.isStart || throwsAtStart(this, error)) throw nodeError;
		this.logger.warn(logLine(this, sentences(nodeError.message, nodeError.description, 'The next poll tries again')));
		await this.__commitCursor?.();
		return null;
	}
}

/** Publishing a workflow fails at once for a wrong key, not for an outage. */
function throwsAtStart(context: IPollFunctions, error: unknown): boolean {
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
	const { lookback, thresholds } = settings;
	const start = () => startState(nodeId, watched, now, lookback, thresholds);
	const known = isStateOf(given, nodeId, watched) ? given : undefined;
	if (known && isStale(schedule, known.turn)) return null;
	const state = known ? withThresholds(withRightClock(known, name, now), thresholds, now) : start();
	if (isPaused(state, now)) {
		stored.state = reportPause(context, state, now);
		if (isStart) await context.__commitCursor?.();
		return null;
	}
	if (!known) begun.set(name, performance.now());
	// Saved even if this poll fails: readings measured from now on are new.
	stored.state = state;

	let { since } = state;
	let result = await read(context, schedule, settings, state, { now, started, isFirst: !known });
	if (result.otherTeam) {
		const afresh = { ...start(), team: result.otherTeam };
		({ since } = afresh);
		result = await read(context, schedule, settings, afresh, { now, started, isFirst: true });
	}
	if (isSuperseded()) {
		stored.state = given;
		return null;
	}
	stored.state = report(context, result, state, now);

	if (result.items.length > 0) {
		noteDelivery(schedule, state.turn);
		return toOutput(result.items);
	}
	if (isStart) await context.__commitCursor?.();
	// n8n saves in-memory state only at a start and when items are emitted, so the end of a late first round emits one empty execution.
	const isLateFirst = (since !== undefined && result.state.since === undefined) || hasFirstRead(state, result.state);
	return isLateFirst && !isStart && !isDurable ? [[]] : null;
}

/** Whether a user who failed since watching began was read for the first time. */
const hasFirstRead = (before: TriggerState, { behind }: TriggerState) =>
	Object.entries(before.behind).some(([key, { since }]) => since !== undefined && !Object.hasOwn(behind, key));

async function read(
	context: IPollFunctions,
	{ isStart, budgetMs, stored, name, isSuperseded }: Schedule,
	{ event, target, lookback, thresholds }: Settings,
	state: TriggerState,
	moment: { now: number; started: number; isFirst: boolean },
): Promise<RoundResult> {
	const limits = isStart ? SHORT_RETRY : { ...RETRY_LIMITS, timeoutMs: TIMEOUT_MS };
	const timeoutMs = Math.min(limits.timeoutMs, budgetMs * TIMEOUT_PART);
	// A request that is in flight at the deadline may still take as long as one answer.
	const deadline = moment.started + budgetMs - timeoutMs;
	// The round tells an outage from a stretch of failing users.
	const queue = new RequestQueue(target, moment.started + budgetMs, new CircuitBreaker(NEVER_OPENS));
	queue.deadlines.endAt = moment.started + budgetMs;
	queue.rateLimiter.learntMs = state.limit?.spacing ?? 0;
	const clock = pollClock(name, moment, state.from + lookback);
	const connected = await connect(context, {
		queue,
		maxAttempts: limits.maxAttempts,
		timeoutMs,
		retryUntil: deadline,
		limitUntil: isStart ? moment.started + limits.retryForMs : deadline,
		// Other users are read on after one has failed.
		continues: true,
		retryForMs: Math.min(limits.retryForMs, budgetMs / 2),
		onAnswer: clock.onAnswer,
	});
	const get = target.provider.learning(connected);
	const timeout = new AdaptiveTimeout(queue.deadlines, timeoutMs, target.concurrency, state.round?.hangs);
	const options = { ...moment, clock, lookback, thresholds, deadline, budgetMs, timeout };
	let refusal: Problem | undefined;
	const result = await readRound(get, event, target, state, options).catch((error: unknown) => {
		if (!isLimit(error) || stored.state !== state || isSuperseded()) throw error;
		refusal = error;
		return nothingRead(state, error);
	});
	// A limit may also leave so little time that no request of a user is sent, or refused to the end.
	if (result.state.round && result.failedUsers.problemCount === 0) result.limit ??= queue.lastLimit;
	if (queue.lastLimit || queue.rateLimiter.learntMs > 0) Object.assign(result.state, learnt(state, result, queue));
	// The user list is limited too: a failed poll instead of a report, once an hour.
	if (refusal && (isStart || isReportDue(state, moment.now))) {
		stored.state = isStart ? result.state : { ...result.state, told: moment.now };
		await context.__commitCursor?.();
		throw refusal;
	}
	await target.selection.addClientUserIds?.(get, result.items, () => performance.now() >= deadline);
	// Only a round of one poll has seen all users.
	if (!state.round && !result.state.round && !refusal) logMissingProvider(context, target.provider);
	return result;
}

/** The result of a poll in which a limit refuses the user list. */
const nothingRead = (state: TriggerState, limit: Problem): RoundResult => ({
	items: [],
	state: { ...state },
	failedUsers: new FailedUsers(state.behind),
	recovered: 0,
	limit,
	hasRead: false,
});

/** Node ID and provider that no user has, once it is logged. */
const withoutProvider = new Set<string>();

/** Once, since every poll finds it missing: nothing else says why the workflow never starts. */
function logMissingProvider(context: IPollFunctions, { typed, isMissing }: ProviderSlug) {
	const key = `${context.getWorkflow().id} ${context.getNode().id} ${typed}`;
	if (isMissing && !withoutProvider.has(key)) context.logger.warn(logLine(context, noSuchProvider(typed)));
	if (isMissing) withoutProvider.add(key);
	else withoutProvider.delete(key);
}

/** Readings measured before watching began are old until a first round is complete. A clock that was set back since was wrong then. */
function withRightClock(state: TriggerState, name: string, now: number): TriggerState {
	if (state.since === undefined || now >= state.since) return state;
	const began = begun.get(name);
	return { ...state, since: now - (began === undefined ? 0 : performance.now() - began) };
}

/** What the next polls keep of a limit that this one met. */
function learnt(
	{ limit: last }: TriggerState,
	{ limit, hasRead }: RoundResult,
	{ rateLimiter }: RequestQueue,
): Pick<TriggerState, 'limit' | 'pausedUntil'> {
	const lastRest = last?.rest ?? 0;
	const isStopped = limit !== undefined && !hasRead;
	const rest = isStopped ? Math.min(REST_MS.most, Math.max(REST_MS.least, 2 * lastRest)) : lastRest / 2;
	const pauseMs = Math.max(limit?.retryAfterMs ?? 0, isStopped ? rest : 0);
	return {
		limit: { spacing: Math.round(rateLimiter.learntMs), rest: rest < REST_MS.least ? 0 : Math.round(rest) },
		...(pauseMs > 0 && { pausedUntil: Date.now() + pauseMs }),
	};
}

/** Whether the service must not be asked yet. A clock that was set back does not make the pause longer. */
const isPaused = ({ pausedUntil = 0 }: TriggerState, now: number) =>
	now < pausedUntil && pausedUntil - now <= MAX_LIMIT_MS;

/** A pause is reported as the limit that it comes from. @returns the state to save */
function reportPause(context: IPollFunctions, state: TriggerState, now: number): TriggerState {
	if (!isReportDue(state, now)) return state;
	context.__emitError(toNodeError(context.getNode(), pauseReport(state.pausedUntil! - now)));
	return { ...state, told: now };
}

/** Trouble is reported by one failed execution beside the poll; recovered users are logged. @returns the state to save */
function report(context: IPollFunctions, result: RoundResult, before: TriggerState, now: number): TriggerState {
	const { recovered, state } = result;
	if (recovered > 0)
		context.logger.info(logLine(context, `The readings of ${countOfUsers(recovered)} can be read again.`));
	const problem = reportOf(result, before, now);
	if (problem) context.__emitError(toNodeError(context.getNode(), problem));
	return problem ? { ...state, told: now } : state;
}

const toOutput = (rows: IDataObject[]): INodeExecutionData[][] => [rows.map((json) => ({ json }))];
