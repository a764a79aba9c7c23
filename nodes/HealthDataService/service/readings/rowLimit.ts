/** Limits of rows: when Limit ends a read, how many rows n8n can take, and how many readings one user may have. */
import { Problem } from '../../shared/problem';

/** n8n moves the rows of one input item onto the call stack and crashes at about 125,000 rows. */
export const MAX_ROWS = 100_000;
/** The same in errors. */
export const MOST = MAX_ROWS.toLocaleString('en');

/** The only place that compares a number of rows with Limit, and decides whether reading ahead may be wasted. */
export class RowLimit {
	/**
	 * @param maxRows Infinity for all rows
	 * @param tooMany the error for more than `most` rows
	 */
	constructor(
		readonly maxRows: number,
		private readonly tooMany: Problem,
		private readonly most = MAX_ROWS,
	) {}

	/** Whether a read may end before all users and pages are read. */
	get mayEndEarly(): boolean {
		return this.maxRows !== Infinity;
	}

	/**
	 * To be called while rows arrive, so that no more is read than n8n can take.
	 *
	 * @param more rows that are returned, but do not count towards the limit @throws Problem of `tooMany`
	 */
	isReached(rows: number, more = 0): boolean {
		const returned = Math.min(rows, this.maxRows) + more;
		if (returned > this.most) throw this.tooMany;
		return rows >= this.maxRows;
	}
}

/** Limit of the readings of one user, so that pages without end are an error of that user only. */
export const limitOfUser = (maxRows: number, most = MAX_ROWS) =>
	new RowLimit(
		maxRows,
		new Problem(
			`More than ${most.toLocaleString('en')} readings of one user: read fewer days`,
			"Choose a shorter 'Date Range', or one 'Provider'. If a few days have as many, ask the people who run the service",
		),
		most,
	);
