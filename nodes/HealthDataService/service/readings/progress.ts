/** Progress of a long read, in n8n's log: a line when a user is done and the last line is old enough. */

export const PROGRESS_INTERVAL_MS = 30_000;

/** Several reads, such as those of all input items, are logged together. */
export class Progress {
	private readonly reads: Array<{ done: number; expected: () => number | undefined }> = [];
	private readonly startedAt = performance.now();
	private loggedAt = this.startedAt;

	/** @param held number of requests that wait */
	constructor(
		private readonly held: () => number,
		private readonly log: (line: string) => void,
	) {}

	/** @param expected number of users of this read, once known @returns to call when a user was read, or could not be */
	begin(expected: () => number | undefined) {
		const read = { done: 0, expected };
		this.reads.push(read);
		return () => {
			read.done++;
			this.logIfDue(performance.now());
		};
	}

	private logIfDue(now: number) {
		if (now - this.loggedAt < PROGRESS_INTERVAL_MS) return;
		this.loggedAt = now;
		const done = sum(this.reads.map((read) => read.done));
		const expected = sum(this.reads.map((read) => read.expected() ?? NaN));
		const users = Number.isNaN(expected)
			? `${shown(done)} users`
			: `${shown(done)} of ${shown(expected)} users`;
		const seconds = Math.round((now - this.startedAt) / 1000);
		this.log(`${users} done after ${seconds} seconds, ${shown(this.held())} requests wait.`);
	}
}

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
const shown = (count: number) => count.toLocaleString('en');
