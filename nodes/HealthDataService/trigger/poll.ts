/**
 * Entry point of the trigger: one poll, as n8n calls it at the start, at poll times and for a test event. Decides which problems
 * throw, which are reported beside the poll, and which are logged.
 */
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { connect, readCredential } from '../http/client';
import { AdaptiveTimeout } from '../http/deadlines';
import { RequestQueue } from '../http/requestQueue';
import { MAX_PAUSE_MS, RETRY_LIMITS, SHORT_RETRY } from '../http/retry';
import { serviceClock } from '../http/serviceClock';
import { countOfUsers, logLine, Problem, sentences, toNodeError } from '../shared/problem';
import { PollReader } from './reader';
import { pauseOf, reportOf, type PollResult } from './results';
import { notePoll, scheduleOf, skipIfStale, withoutOverlap, type Schedule } from './scheduler';
import { readSettings, type Settings } from './settings';
import { isStateOf, startState, withThresholds, type TriggerState } from './state';
import { testEvent } from './testEvent';

/** Timeout of one answer, or a part of the budget: slow answers for one user must not use up the poll of the others. */
const TIMEOUT_MS = 60_000;
const TIMEOUT_PART = 4 / 9;

/**
 * @throws NodeApiError or NodeOperationError with `failure`: nothing is emitted or saved, and the next poll repeats this one. Not
 * for a transient problem at a start, since n8n would stop polling
 */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const schedule = this.getMode() === 'manual' ? undefined : scheduleOf(this);
	try {
		if (!schedule) return toOutput([await testEvent(this)]);
		return await withoutOverlap(schedule, async () => await pollOnce(this, schedule));
	} catch (error) {
		const nodeError = toNodeError(this.getNode(), error);
		if (!schedule?.isStart || throwsAtStart(this, error)) throw nodeError;
		this.logger.warn(
			logLine(
				this,
				sentences(nodeError.message, nodeError.description, 'The next poll tries again'),
			),
		);
		notePoll(schedule, Math.max(schedule.local.polls, 1));
		await this.__commitCursor?.();
		return null;
	}
}

/** Publishing a workflow fails at once for a wrong key, not for an outage. */
const throwsAtStart = (context: IPollFunctions, error: unknown) =>
	!['init', 'leadershipChange'].includes(context.getActivationMode()) &&
	!(error instanceof Problem && error.isTransient);

async function pollOnce(
	context: IPollFunctions,
	schedule: Schedule,
): Promise<INodeExecutionData[][] | null> {
	const { local, stored, isStart, isDurable, isSuperseded } = schedule;
	const given = stored.state as TriggerState | undefined;
	const times = { now: Date.now(), started: performance.now() };
	const { now } = times;
	const settings = readSettings(context);
	const watched = `${settings.watched} ${(await readCredential(context)).root}`;
	const { id } = context.getNode();
	const known = isStateOf(given, id, watched) ? given : undefined;
	if (skipIfStale(schedule, given?.poll ?? 0, known !== undefined)) return null;
	// Higher than in all states from this process: n8n may hand a poll one that is not the last.
	const poll = Math.max(local.polls, given?.poll ?? 1);
	const start = () => startState(id, watched, now, settings.lookback, settings.thresholds, poll);
	const state = known
		? { ...withThresholds(known, settings.thresholds, now, isDurable), poll }
		: start();
	// Saved even if this poll fails: readings measured from now on are new.
	stored.state = state;
	if (isPaused(state, now)) {
		stored.state = report(
			context,
			{ state, throttle: pauseOf(state.pausedUntil! - now) },
			state,
			now,
		);
		return null;
	}

	let result = await read(context, schedule, settings, state, times);
	if (result.otherTeam)
		result = await read(context, schedule, settings, { ...start(), team: result.otherTeam }, times);
	if (isSuperseded()) {
		stored.state = given;
		return null;
	}
	stored.state = report(context, result, state, now);
	notePoll(schedule, poll + 1, result.items.length > 0 || result.hasFirstRead || result.hasSkipped);
	if (result.items.length > 0) return toOutput(result.items);
	if (isStart) await context.__commitCursor?.();
	// n8n saves in-memory state only at a start and when items are emitted, so a late first read emits one empty execution.
	return result.hasFirstRead && !isStart && !isDurable ? [[]] : null;
}

async function read(
	context: IPollFunctions,
	{ isStart, budgetMs }: Schedule,
	{ event, target, lookback }: Settings,
	state: TriggerState,
	{ now, started }: { now: number; started: number },
): Promise<PollResult> {
	const limits = isStart ? SHORT_RETRY : { ...RETRY_LIMITS, timeoutMs: TIMEOUT_MS };
	const timeoutMs = Math.min(limits.timeoutMs, budgetMs * TIMEOUT_PART);
	const end = started + budgetMs;
	// A request that is in flight at the deadline may still take as long as one answer.
	const deadline = end - timeoutMs;
	const queue = new RequestQueue(target, end);
	queue.deadlines.endAt = end;
	const clock = serviceClock(now, started);
	const get = await connect(context, {
		...limits,
		queue,
		timeoutMs,
		retryUntil: deadline,
		outlastsThrottles: !isStart,
		maxRetryAfterMs: MAX_PAUSE_MS,
		// Other users are read on after one has failed.
		ignoreFailure: true,
		onAnswer: clock.onAnswer,
	});
	const timeout = new AdaptiveTimeout(timeoutMs, () => queue.places);
	queue.deadlines.maxMs = () => timeout.currentMs;
	const options = {
		now,
		clock,
		zone: context.getTimezone(),
		lookback,
		deadline,
		budgetMs,
		timeout,
		deadlines: queue.deadlines,
	};
	const result = await new PollReader(get, event, target, state, options).read();
	// A throttle may also leave so little time that no request of a user is sent, or refused to the end.
	if (!result.isPassComplete && result.failures.problems.size === 0)
		result.throttle ??= queue.lastThrottle;
	await target.selection.addClientUserIds?.(get, result.items, () => performance.now() >= deadline);
	return result;
}

/** Whether the service must not be asked yet. A clock that was set back does not make the pause longer. */
const isPaused = ({ pausedUntil = 0 }: TriggerState, now: number) =>
	now < pausedUntil && pausedUntil - now <= MAX_PAUSE_MS;

/** Trouble is reported by one failed execution beside the poll; recovered users are logged. @returns the state to save */
function report(
	context: IPollFunctions,
	{ state, recovered = 0, throttle, failures }: Partial<PollResult> & Pick<PollResult, 'state'>,
	before: TriggerState,
	now: number,
): TriggerState {
	if (recovered > 0)
		context.logger.info(
			logLine(context, `The readings of ${countOfUsers(recovered)} can be read again.`),
		);
	const problem = reportOf({ throttle, failures }, before, now);
	if (problem) context.__emitError(toNodeError(context.getNode(), problem));
	return problem ? { ...state, told: now } : state;
}

const toOutput = (rows: IDataObject[]): INodeExecutionData[][] => [rows.map((json) => ({ json }))];
