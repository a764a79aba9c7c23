/**
 * How much one poll hands on of what it found: the oldest, and no more than n8n can hold. What does not go out is found again
 * in the next poll, from the first user on of whom something is left.
 */
import type { ChangedRow } from './detectChanges';

/** Most rows that one poll hands on: n8n keeps them all in memory, and so does every node behind. */
export const MAX_ROWS_PER_POLL = 10_000;

export interface FoundRow {
	row: ChangedRow;
	/** How many users were done before the one whose it is. */
	done: number;
}

/** In the order of time, and how many users are done with that. @param now for rows without a time */
export function limitDelivery(found: FoundRow[], { doneCount, now }: { doneCount: number; now: number }) {
	const inOrder = [...found].sort((a, b) => (a.row.time ?? now) - (b.row.time ?? now));
	const left = inOrder.slice(MAX_ROWS_PER_POLL);
	return {
		handed: inOrder.slice(0, MAX_ROWS_PER_POLL).map(({ row }) => row),
		doneCount: left.reduce((least, { done }) => Math.min(least, done), doneCount),
	};
}
