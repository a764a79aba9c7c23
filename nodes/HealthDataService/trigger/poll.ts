/**
 * Entry point of the trigger: one poll, as n8n calls it at the start, at poll times and for a test event. Decides which problems
 * throw, which are reported beside the poll, and which are logged.
 */
import type {
	IDataObject,
	INodeExecutionData,
	IPollFunctions,
} from 'n8n-workflow';
import { readCredential } from '../http/client';
import {
	countOfUsers,
	logFault,
	logLine,
	Problem,
	sentences,
	toNodeError,
} from '../shared/problem';
import { Clock } from './clock';
import { Cursors } from './cursors';
import { PollReader, type Poll } from './reader';
import { reportOf } from './report';
import type { PollResult } from './results';
import {
	notePoll,
	scheduleOf,
	skipIfStale,
	withoutOverlap,
	type Schedule,
} from './scheduler';
import { readSettings } from './settings';
import { startState, type TriggerState } from './state';
import { testEvent } from './testEvent';

/**
 * @throws NodeApiError or NodeOperationError with `failure`: nothing is emitted or saved, and the next poll repeats this one. Not
 * for a transient problem at a start, since n8n would stop polling
 */
export async function poll(
	this: IPollFunctions,
): Promise<INodeExecutionData[][] | null> {
	const schedule = this.getMode() === 'manual' ? undefined : scheduleOf(this);
	try {
		if (!schedule) return toOutput([await testEvent(this)]);
		return await withoutOverlap(schedule, () => pollOnce(this, schedule));
	} catch (error) {
		logFault(this, error);
		const nodeError = toNodeError(this.getNode(), error);
		if (!schedule?.isStart) throw nodeError;
		const { message, description } = nodeError;
		// n8n shows nothing but the message when a workflow cannot be published.
		nodeError.message = sentences(message, description);
		if (throwsAtStart(this, error)) throw nodeError;
		this.logger.warn(
			logLine(this, `${nodeError.message} The next poll tries again.`),
		);
		await this.__commitCursor?.();
		return null;
	}
}

/** Publishing a workflow fails at once for a wrong key, not for an outage. */
const throwsAtStart = (context: IPollFunctions, error: unknown) =>
	!['init', 'leadershipChange'].includes(context.getActivationMode()) &&
	!(error instanceof Problem && error.isTransient);

interface ScheduledPoll extends Poll {
	schedule: Schedule;
}

async function pollOnce(context: IPollFunctions, schedule: Schedule) {
	const { stored, isStart, isDurable, isSuperseded } = schedule;
	const given = stored.state;
	const clock = new Clock();
	const one = { context, schedule, settings: readSettings(context), clock };
	const state = await stateOf(one, given);
	if (!state) return null;

	const result = await new PollReader(one, state).read();
	if (isSuperseded()) {
		stored.state = given;
		return null;
	}
	if (result.isOtherTeam && result.isListRead) startOver(one, result);
	else tell(one, result);
	stored.state = result.state;
	const { items, mustSave } = result;
	notePoll(schedule, result.state.poll, items.length > 0 || mustSave);
	if (items.length > 0) return toOutput(items);
	if (isStart) await context.__commitCursor?.();
	// n8n saves in-memory state only at a start and when items are emitted, so a late first read emits one empty execution.
	return mustSave && !isStart && !isDurable ? [[]] : null;
}

/** The state that a poll begins with: the stored one, or a new one for other fields. Undefined to skip the poll. */
async function stateOf(
	{ context, schedule, settings, clock }: ScheduledPoll,
	given: TriggerState | undefined,
) {
	const { local, stored, isStart } = schedule;
	const of = `${settings.watched} ${(await readCredential(context)).root}`;
	const { id } = context.getNode();
	const isSame = given?.version === 3 && given.node === id && given.of === of;
	const known = isSame ? given : undefined;
	if (skipIfStale(schedule, given?.poll ?? 0, isSame)) return undefined;
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

/**
 * For a key of another team than before: its users are watched from now on, and the next poll reads
 * them.
 */
function startOver({ context, settings, clock }: Poll, result: PollResult) {
	const problem = new Problem(
		'The key of the credential belongs to another team than before, so the trigger starts over: readings from now on go out',
		'Readings of the team before go out no more. With its key back, the trigger starts over again, and readings of the time between do not go out',
	);
	context.logger.warn(logLine(context, sentences(problem.message)));
	tellError(context, problem);
	const { node, of, poll, team } = result.state;
	const begun = startState(node, of, clock.time, poll);
	const cursors = new Cursors(begun, settings, clock);
	for (const user of result.cursors.met) cursors.met.set(...user);
	cursors.settle(true);
	result.mustSave = true;
	// A user who is not on this list has joined later.
	result.state = { ...begun, team, pass: poll + 1, cursors: cursors.toSave() };
}

/** Logs that trouble is over, and reports what is left. */
function tell({ context, schedule, clock }: Poll, result: PollResult) {
	const { local } = schedule;
	const { recovered, throttle, isListRead, wrongField } = result;
	if (isListRead) local.listReadAt = Date.now();
	local.throttle = throttle ?? local.throttle;
	if (recovered > 0)
		context.logger.info(
			logLine(
				context,
				`The readings of ${countOfUsers(recovered)} can be read again.`,
			),
		);
	const report = reportOf(result, local, clock.latest);
	const troubles = [...local.troubles.values()];
	const faulty = troubles.find(({ problem }) => problem.fault);
	if (report && faulty) logFault(context, faulty.problem);
	for (const problem of [wrongField, report])
		if (problem) tellError(context, problem);
}

/** A failed execution beside the poll, which starts the error workflow. */
const tellError = (context: IPollFunctions, problem: Problem) =>
	context.__emitError(toNodeError(context.getNode(), problem));

const toOutput = (rows: IDataObject[]): INodeExecutionData[][] => [
	rows.map((json) => ({ json })),
];
