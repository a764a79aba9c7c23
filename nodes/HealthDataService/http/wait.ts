/**
 * Waiting that ends soon after nobody wants it any more.
 */
import { sleep } from 'n8n-workflow';
import { Problem } from '../shared/problem';

/** n8n's `sleep` cannot be woken: long waits are slept in parts of this length. */
export const LONGEST_SLEEP_MS = 200;

/** `stopIfOver` throws what ends the wait early. */
export async function wait(ms: number, stopIfOver: () => void): Promise<void> {
	for (let left = ms; left > 0; left -= LONGEST_SLEEP_MS) {
		await sleep(Math.min(left, LONGEST_SLEEP_MS));
		stopIfOver();
	}
}

/** For a request that was called off: nobody reads it. */
export const notWanted = () =>
	new Problem('The request was not needed any more', 'Nothing was requested', { concernsAll: true });

/** @throws Problem when the execution was cancelled */
export function stopIfCancelled(signal?: AbortSignal) {
	if (signal?.aborted) {
		throw new Problem('The execution was cancelled', 'Nothing more was requested', { concernsAll: true });
	}
}
