/**
 * Waiting that ends soon after the execution is cancelled.
 */
import { sleep } from 'n8n-workflow';
import { Problem } from '../shared/problem';

/** n8n's `sleep` cannot be woken: long waits are slept in parts of this length. */
const LONGEST_SLEEP_MS = 200;

/** @throws Problem when the execution was cancelled meanwhile */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
	for (let left = ms; left > 0; left -= LONGEST_SLEEP_MS) {
		await sleep(Math.min(left, LONGEST_SLEEP_MS));
		stopIfCancelled(signal);
	}
}

export function stopIfCancelled(signal?: AbortSignal) {
	if (signal?.aborted) throw new Problem('The execution was cancelled', 'Nothing more was requested');
}
