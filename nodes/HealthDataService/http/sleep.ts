/**
 * Cancellable sleep, and the errors of cancelled work. A file of its own because queue, rate limiter, retry and deadlines need
 * it: n8n-workflow's `sleep` cannot be interrupted, and n8n's linter forbids timers of our own.
 */
import { sleep } from 'n8n-workflow';
import { Problem } from '../shared/problem';

/** Long sleeps are divided into steps of this length: a cancel ends them within one step. */
export const SLEEP_STEP_MS = 200;

/** @param throwIfCancelled called after each step */
export async function cancellableSleep(ms: number, throwIfCancelled: () => void): Promise<void> {
	for (let left = ms; left > 0; left -= SLEEP_STEP_MS) {
		await sleep(Math.min(left, SLEEP_STEP_MS));
		throwIfCancelled();
	}
}

/** Of one request: its answer is not needed, so this is never shown. */
export const cancelledRequest = () =>
	new Problem('The request is no longer needed', 'Nothing was requested', { concernsAll: true });

/** @throws Problem when the execution was cancelled */
export function throwIfCancelled(signal?: AbortSignal) {
	if (signal?.aborted) {
		throw new Problem('The execution was cancelled', 'Nothing more was requested', { concernsAll: true });
	}
}
