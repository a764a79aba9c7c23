/**
 * One poll, as n8n calls it: when the trigger starts, at its poll times, and for a test event.
 */
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { connect, readCredential } from '../http/connect';
import { CONCURRENT_REQUESTS, Gate } from '../http/gate';
import { SHORT_RETRY } from '../http/retry';
import { Problem, toNodeError } from '../shared/problem';
import { findNew } from './findNew';
import { readSettings } from './settings';
import { isStateOf, startState } from './state';
import { testEvent } from './testEvent';

/** A service that hangs must not keep n8n's start waiting for minutes. */
const TIMEOUT_MS = 60_000;

/** Contexts that have polled before: n8n makes one for each start of the trigger. */
const started = new WeakSet<IPollFunctions>();

/** Workflow and node of the polls that are going on: n8n begins the next one even if the last still runs. */
const running = new Set<string>();

/**
 * @throws NodeApiError or NodeOperationError; nothing was emitted or remembered then, and the next poll finds the same again.
 * Not for the first poll after a start where that is likely to pass: n8n would never poll again.
 */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const isTest = this.getMode() === 'manual';
	const isFirst = !isTest && !started.has(this);
	try {
		if (isTest) return toOutput([await testEvent(this)]);
		started.add(this);
		return await alone(this, async () => await pollOnce(this, isFirst));
	} catch (error) {
		const nodeError = toNodeError(this.getNode(), error);
		if (!isFirst || mustBeSaid(this, error)) throw nodeError;
		this.logger.warn(`${nodeError.message}. ${nodeError.description ?? ''} The next poll tries again.`);
		return null;
	}
}

/** Somebody who has just switched the workflow on wants to hear of a wrong key, but not of an outage. */
function mustBeSaid(context: IPollFunctions, error: unknown): boolean {
	const isByHand = !['init', 'leadershipChange'].includes(context.getActivationMode());
	return isByHand && !(error instanceof Problem && error.isTransient);
}

async function alone<T>(context: IPollFunctions, work: () => Promise<T>): Promise<T | null> {
	const name = `${context.getWorkflow().id} ${context.getNode().id}`;
	if (running.has(name)) return null;
	running.add(name);
	try {
		return await work();
	} finally {
		running.delete(name);
	}
}

async function pollOnce(context: IPollFunctions, isFirst: boolean): Promise<INodeExecutionData[][] | null> {
	const now = Date.now();
	const { event, scope, lookback, watched: selection } = readSettings(context);
	const watched = `${selection} ${(await readCredential(context)).root}`;
	const stored = context.getWorkflowStaticData('node');
	const known = isStateOf(stored.state, watched) ? stored.state : undefined;
	const isBaseline = known === undefined;
	const state = known ?? startState(watched, now, lookback);
	// Remembered even if this poll fails: whatever is measured from now on is new.
	stored.state = state;

	const get = await connect(context, {
		defaults: { timeout: TIMEOUT_MS },
		gate: new Gate(CONCURRENT_REQUESTS),
		...(isFirst && SHORT_RETRY),
	});
	const found = await findNew(event, event.read(get, scope, state.from), state, { now, lookback, isBaseline });
	stored.state = found.state;

	if (found.items.length > 0) return toOutput(found.items);
	// n8n saves what a poll remembers when the trigger starts and when items go out. What a late first poll has seen is
	// saved by sending none of them: an empty execution, once.
	return state.since !== undefined && !isFirst ? [[]] : null;
}

const toOutput = (rows: IDataObject[]): INodeExecutionData[][] => [rows.map((json) => ({ json }))];
