/** Limits of rows: when Limit ends a read, which rows it keeps, and how many n8n can take. */
import type { Problem } from '../../shared/problem';

/** n8n moves the rows of one input item onto the call stack and crashes at about 125,000 rows. */
export const MAX_ROWS = 100_000;

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

/** Limit that throws while rows arrive, so that no more is read than n8n can take. @param tooMany the error, with `MAX_ROWS` as text */
export const limitOf = (maximum: number, tooMany: (most: string) => Problem) =>
	new RowLimit(maximum, (rows) => {
		if (rows > MAX_ROWS) throw tooMany(MAX_ROWS.toLocaleString('en'));
	});
