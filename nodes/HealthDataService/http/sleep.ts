/**
 * Steps of sleep, and why a request that waits is not sent any more. n8n-workflow's `sleep` cannot be interrupted, and n8n's linter
 * forbids timers of our own.
 */
import { Problem } from '../shared/problem';

/** Long sleeps are divided into steps of this length: a cancel ends them within one step. */
export const SLEEP_STEP_MS = 200;

/** The answer of a request is not needed, so this is never shown. */
export const cancelledRequest = () =>
	new Problem('The request is no longer needed', 'Nothing was requested', { concernsAll: true });

/** Why nothing more is requested once the execution was cancelled. */
export const cancellationOf = (signal?: AbortSignal) =>
	signal?.aborted
		? new Problem('The execution was cancelled', 'Nothing more was requested', { concernsAll: true })
		: undefined;

/** The rate holds a request back for too long. */
export const outOfTime = () =>
	new Problem(
		"The time was over before 'Requests per Second' allowed the next request",
		"Raise 'Requests per Second' in the options, or read fewer users",
		{ kind: 'temporarily-unavailable' },
	);
