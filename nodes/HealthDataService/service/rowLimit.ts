/** Limits of rows: when Limit ends a read, and which rows it keeps. */

/** The only place that compares a number of rows with Limit, and decides whether reading ahead may be wasted. */
export class RowLimit {
	/**
	 * @param maximum Infinity for all rows
	 * @param check called with a number of rows that would be returned; throws if they are too many
	 */
	constructor(
		readonly maximum = Infinity,
		private readonly check: (rows: number) => void = () => {},
	) {}

	/** Whether a read may end before all users and pages are read. */
	get mayEndEarly(): boolean {
		return this.maximum !== Infinity;
	}

	/** @param more rows that are returned, but do not count towards the limit @throws what `check` throws */
	isReached(rows: number, more = 0): boolean {
		this.check(Math.min(rows, this.maximum) + more);
		return rows >= this.maximum;
	}

	keep<T>(rows: T[]): T[] {
		return rows.length > this.maximum ? rows.slice(0, this.maximum) : rows;
	}
}
