/** The reading of one poll, or of a test event: its request queue, and its limits of time. */
import type { IPollFunctions } from 'n8n-workflow';
import { connect } from '../http/client';
import { RequestQueue } from '../http/requestQueue';
import { MAX_PAUSE_MS, SHORT_RETRY } from '../http/retry';
import { providerProblem } from '../service/users/provider';
import { ignoreProblem } from '../shared/problem';
import type { Clock } from './clock';
import { PollReader } from './reader';
import type { PollResult } from './results';
import type { Schedule } from './scheduler';
import type { Settings } from './settings';
import type { TriggerState } from './state';

/** Timeout of one answer, or a part of the budget: slow answers for one user must not use up the poll of the others. */
const TIMEOUT_MS = 60_000;
const TIMEOUT_PART = 4 / 9;

/** What belongs to one poll. */
export interface Poll {
	context: IPollFunctions;
	schedule: Pick<Schedule, 'local' | 'isStart' | 'budgetMs'>;
	settings: Settings;
	clock: Clock;
}

/** @throws Problem as `PollReader.read` */
export async function readPoll(
	poll: Poll,
	state: TriggerState,
): Promise<PollResult> {
	const { context, schedule, settings, clock } = poll;
	const { isStart, budgetMs, local } = schedule;
	const { target } = settings;
	const timeoutMs = Math.min(TIMEOUT_MS, budgetMs * TIMEOUT_PART);
	const end = clock.started + budgetMs;
	// A request that is in flight at the deadline may still take as long as one answer.
	const deadline = end - timeoutMs;
	const queue = new RequestQueue(target, end);
	const get = await connect(context, {
		...(isStart && SHORT_RETRY),
		queueOf: () => queue,
		timeoutMs,
		retryUntil: isStart ? undefined : deadline,
		maxRetryAfterMs: MAX_PAUSE_MS,
		isPoll: true,
		onAnswer: clock.onAnswer,
	});
	const options = {
		clock,
		deadline,
		budgetMs,
		timeoutMs,
		queue,
		troubles: local.troubles,
	};
	const result = await new PollReader(get, settings, state, options).read();
	const isFirstPass = state.pass === 0 && result.state.pass > 0;
	const hasReadings = Object.keys(result.state.seen).length > 0;
	// Once: a name in place of the slug, or a slug in capitals, would look like a team that measures nothing.
	if (target.provider && isFirstPass && !hasReadings)
		result.wrongField = await providerProblem(get, target.provider).catch(
			ignoreProblem,
		);
	return result;
}
