/**
 * Minimum that counts for a reading after changes of the option: that of now, and each of before that was in force when it was measured
 * or later.
 */
import type { Measured } from './world';

export class Minimums {
	private readonly set: Array<{ from: number; least: number }>;
	/** Set by the user of n8n, and not noted by a poll yet. */
	private next?: number;

	constructor(least: number) {
		this.set = [{ from: -Infinity, least }];
	}

	change(least: number) {
		this.next = least;
	}

	/** A poll that did not fail for good: it knows the fields. @param error by how much its clock may be wrong */
	note(begun: number, error: number) {
		if (this.next !== undefined && this.next !== this.now)
			this.set.push({ from: begun + Math.abs(error), least: this.next });
		this.next = undefined;
	}

	/** Of the last poll that noted it. */
	get now() {
		return this.set.at(-1)!.least;
	}

	/** Whether this value must go out. */
	isReached({ time }: Measured, value: number, at: number): boolean {
		const since = time === null || time > at ? -Infinity : time;
		return this.set.every(({ least }, index) => value >= least || (this.set[index + 1]?.from ?? Infinity) < since);
	}
}
