/**
 * Entry point of the trigger: one poll, as n8n calls it at the start, at poll times and for a test event. Decides which problems
 * throw, which are reported beside the poll, and which are logged.
 */
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { connect, readCredential, type Get } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { MAX_PAUSE_MS, SHORT_RETRY } from '../http/retry';
import { providerProblem } from '../service/users/provider';
import {
	countOfUsers,
	ignoreProblem,
	logLine,
	Problem,
	sentences,
	toNodeError,
} from '../shared/problem';
import { Clock } from './clock';
import type { WatchTarget } from './events';
import { PollReader } from './reader';
import { reportOf } from './report';
import type { PollResult } from './results';
import {
	notePoll,
	scheduleOf,
	skipIfStale,
	withoutOverlap,
	type Schedule,
} from './scheduler';
import { readSettings, type Settings } from './settings';
import { isStateOf, startState, type TriggerState } from './state';
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
		const { message, description } = nodeError;
		this.logger.warn(
			logLine(this, sentences(message, description, 'The next poll tries again')),
		);
		await this.__commitCursor?.();
		return null;
	}
}

/** Publishing a workflow fails at once for a wrong key, not for an outage. */
const throwsAtStart = (context: IPollFunctions, error: unknown) =>
	!['init', 'leadershipChange'].includes(context.getActivationMode()) &&
	!(error instanceof Problem && error.isTransient);

/** What belongs to one poll. */
interface Poll {
	context: IPollFunctions;
	schedule: Schedule;
	settings: Settings;
	clock: Clock;
}

async function pollOnce(
	context: IPollFunctions,
	schedule: Schedule,
): Promise<INodeExecutionData[][] | null> {
	const { stored, isStart, isDurable, isSuperseded } = schedule;
	const given = stored.state;
	const clock = new Clock(Date.now(), performance.now());
	const one: Poll = { context, schedule, settings: readSettings(context), clock };
	const state = await stateOf(one, given);
	if (!state) return null;

	const result = await read(one, state);
	if (isSuperseded()) {
		stored.state = given;
		return null;
	}
	stored.state = { ...result.state, told: tell(one, result) };
	const { items, hasFirstRead } = result;
	notePoll(schedule, result.state.poll, items.length > 0 || hasFirstRead);
	if (items.length > 0) return toOutput(items);
	if (isStart) await context.__commitCursor?.();
	// n8n saves in-memory state only at a start and when items are emitted, so a late first read emits one empty execution.
	return hasFirstRead && !isStart && !isDurable ? [[]] : null;
}

/** The state that a poll begins with: the stored one, or a new one for other fields. Undefined to skip the poll. */
async function stateOf(
	{ context, schedule, settings, clock }: Poll,
	given: TriggerState | undefined,
): Promise<TriggerState | undefined> {
	const { local, stored, isStart } = schedule;
	const of = `${settings.watched} ${(await readCredential(context)).root}`;
	const { id } = context.getNode();
	const known = given && isStateOf(given, id, of) ? given : undefined;
	if (skipIfStale(schedule, given?.poll ?? 0, known !== undefined)) return undefined;
	// Higher than in all states from this process: n8n may hand a poll one that is not the last.
	const poll = Math.max(local.polls, given?.poll ?? 1);
	if (known) return { ...known, poll };
	// Saved even if this poll fails: readings measured from now on are new.
	const begun = startState(id, of, clock.now, poll + 1);
	stored.state = begun;
	notePoll(schedule, begun.poll);
	if (!isStart) await context.__commitCursor?.();
	return begun;
}

async function read(one: Poll, state: TriggerState): Promise<PollResult> {
	const { context, schedule, settings, clock } = one;
	const { isStart, budgetMs, local } = schedule;
	const { target } = settings;
	const limits = isStart ? SHORT_RETRY : { timeoutMs: TIMEOUT_MS };
	const timeoutMs = Math.min(limits.timeoutMs, budgetMs * TIMEOUT_PART);
	const end = clock.started + budgetMs;
	// A request that is in flight at the deadline may still take as long as one answer.
	const deadline = end - timeoutMs;
	const queue = new RequestQueue(target, end);
	const get = await connect(context, {
		...limits,
		queueOf: () => queue,
		timeoutMs,
		retryUntil: isStart ? undefined : deadline,
		maxRetryAfterMs: MAX_PAUSE_MS,
		isPoll: true,
		onAnswer: clock.onAnswer,
	});
	const { troubles } = local;
	const zone = context.getTimezone();
	const options = { clock, zone, deadline, budgetMs, timeoutMs, queue, troubles };
	const reader = new PollReader(get, settings, state, options);
	const result = await reader.read();
	const { throttle } = result;
	const { node, of, poll, pass, team } = result.state;
	if (result.isOtherTeam) {
		tellOtherTeam(context);
		troubles.clear();
		return await read(one, { ...startState(node, of, clock.now, poll), team });
	}
	if (result.isListRead) local.listReadAt = Date.now();
	if (throttle) local.throttle = throttle;
	if (state.pass === 0 && pass > 0)
		await checkProvider(context, get, target, result.state);
	return result;
}

/** Once: a name in place of the slug, or a slug in capitals, would look like a team that measures nothing. */
async function checkProvider(
	context: IPollFunctions,
	get: Get,
	{ provider, selection }: WatchTarget,
	{ seen }: TriggerState,
) {
	if (!provider || !selection.isWhole || Object.keys(seen).length > 0) return;
	const problem = await providerProblem(get, provider).catch(ignoreProblem);
	if (problem) context.__emitError(toNodeError(context.getNode(), problem));
}

function tellOtherTeam(context: IPollFunctions) {
	const problem = new Problem(
		'The key of the credential belongs to another team than before, so the trigger starts over: readings from now on go out',
		'Readings of the team before go out no more. With its key back, the trigger starts over again, and readings of the time between do not go out',
	);
	context.logger.warn(logLine(context, sentences(problem.message)));
	context.__emitError(toNodeError(context.getNode(), problem));
}

/** Reports trouble, and logs that it is over. @returns time of the last report, to save */
function tell({ context, schedule, clock }: Poll, result: PollResult) {
	const { recovered, state } = result;
	const line = `The readings of ${countOfUsers(recovered)} can be read again.`;
	if (recovered > 0) context.logger.info(logLine(context, line));
	const { report, told } = reportOf(result, schedule.local, state.told, clock.now);
	if (report) context.__emitError(toNodeError(context.getNode(), report));
	return told;
}

const toOutput = (rows: IDataObject[]): INodeExecutionData[][] => [
	rows.map((json) => ({ json })),
];
