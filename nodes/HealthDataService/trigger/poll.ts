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
import { PollReader, type Poll, type PollRead } from './reader';
import { reportOf } from './report';
import {
	scheduleOf,
	skipIfStale,
	storeState,
	withdraw,
	withoutOverlap,
	type Schedule,
} from './scheduler';
import { readSettings } from './settings';
import { isUsable, startState, type TriggerState } from './state';
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
		if (!schedule) throw nodeError;
		const text = sentences(nodeError.message, nodeError.description);
		// n8n shows nothing but the message when a workflow cannot be published.
		if (schedule.isStart) nodeError.message = text;
		if (throws(this, schedule, error)) throw nodeError;
		this.logger.warn(logLine(this, `${text} The next poll tries again.`));
		await this.__commitCursor?.();
		return null;
	}
}

/**
 * Publishing a workflow fails at once for a wrong key, not for an outage. Later, an outage or a refused key is one failed execution an
 * hour: the durable scheduler makes its polls rare by itself.
 */
function throws(
	context: IPollFunctions,
	{ local, isStart, isDurable }: Schedule,
	error: unknown,
): boolean {
	const isProblem = error instanceof Problem;
	const isTransient = isProblem && error.isTransient;
	if (isStart) {
		const mode = context.getActivationMode();
		return !['init', 'leadershipChange'].includes(mode) && !isTransient;
	}
	const isOfAll =
		isTransient || (isProblem && error.kind === 'credential-invalid');
	return isDurable || !isOfAll || local.noteError(error);
}

interface ScheduledPoll extends Poll {
	schedule: Schedule;
}

async function pollOnce(context: IPollFunctions, schedule: Schedule) {
	const { isStart, isDurable, isSuperseded } = schedule;
	const clock = new Clock();
	const one = { context, schedule, settings: readSettings(context), clock };
	const state = await stateOf(one);
	if (!state) return null;

	const tried = await new PollReader(one, state).read();
	const read = tried.isOtherTeam ? await startOver(one, tried) : tried;
	if (isSuperseded()) {
		withdraw(schedule);
		return null;
	}
	const next = tell(one, read);
	const { items } = read;
	const isSaveDue = !isDurable && schedule.local.isSaveOld;
	const mustSave = read.mustSave || tried.isOtherTeam || isSaveDue;
	storeState(schedule, next, items.length > 0 || mustSave);
	if (items.length > 0) return toOutput(items);
	if (isStart) await context.__commitCursor?.();
	// n8n saves in-memory state only at a start and when items are emitted: an empty execution saves a late first read, and once a day.
	return mustSave && !isStart && !isDurable ? [[]] : null;
}

/** The state that a poll begins with: the stored one, or a new one for other fields. Undefined to skip the poll. */
async function stateOf({ context, schedule, settings, clock }: ScheduledPoll) {
	const { local, given, isStart } = schedule;
	const of = `${settings.watched} ${(await readCredential(context)).root}`;
	const { id } = context.getNode();
	const usable = given && isUsable(given) ? given : undefined;
	const isSame = usable?.node === id && usable.of === of;
	if (skipIfStale(schedule, usable?.poll ?? 0, isSame)) return undefined;
	// Higher than in all states from this process: n8n may hand a poll one that is not the last.
	const poll = Math.max(local.polls, usable?.poll ?? 1);
	if (isSame) return { ...usable, poll };
	if (given !== undefined && !usable) tellError(context, unusable());
	// Saved even if this poll fails: readings measured from now on are new.
	const begun = startState(id, of, clock.now, poll + 1);
	storeState(schedule, begun);
	if (!isStart) await context.__commitCursor?.();
	return begun;
}

const unusable = () =>
	new Problem(
		'The saved state of the trigger cannot be used, so the trigger starts over: readings from now on go out',
		'Another version of the package saved it, or something else has changed it. Readings since the last poll may be missing: read that time with the node',
	);

/** For a key of another team than before: its users are watched from now on. */
async function startOver(one: Poll, { state }: PollRead) {
	tellError(one.context, otherTeam());
	const { node, of, poll } = state;
	const begun = startState(node, of, one.clock.now, poll);
	return await new PollReader(one, begun).read();
}

const otherTeam = () =>
	new Problem(
		'The key of the credential belongs to another team than before, so the trigger starts over: readings from now on go out',
		'Readings of the team before go out no more. With its key back, the trigger starts over again, and readings of the time between do not go out',
	);

/** Logs that trouble is over, and reports what is left. @returns the state with the time of the last report */
function tell(
	{ context, schedule, settings, clock }: Poll,
	read: PollRead,
): TriggerState {
	const { local } = schedule;
	const { recovered, throttle, wrongField, state } = read;
	local.end(read, throttle);
	if (recovered > 0)
		context.logger.info(
			logLine(
				context,
				`The readings of ${countOfUsers(recovered)} can be read again.`,
			),
		);
	const report = reportOf(read, local, clock.time, settings);
	for (const problem of [wrongField, report.problem])
		if (problem) tellError(context, problem);
	return { ...state, told: report.told };
}

/** A failed execution beside the poll, which starts the error workflow. */
function tellError(context: IPollFunctions, problem: Problem) {
	logFault(context, problem);
	context.__emitError(toNodeError(context.getNode(), problem));
}

const toOutput = (rows: IDataObject[]): INodeExecutionData[][] => [
	rows.map((json) => ({ json })),
];
