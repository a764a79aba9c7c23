/** The range that is read for a user: what is sent, and to which period each reading belongs. */
import type { SelectedUser } from '../users/selection';
import type { LocalTimeOf } from './identity';
import type { Reading } from './measurements';

/** `before` is that of *Compare With Previous Period*. */
export type Period = 'current' | 'before';

export interface ReadRange {
	/** IANA name. */
	zone: string;
	localTimeOf: LocalTimeOf;
	/** First and last day as YYYY-MM-DD, or local times. */
	from: string;
	to: string;
	/** Parameters of the contract, 4.1. */
	query: { start_date: string; end_date?: string };
	/** False for an open range that begins in the future. */
	hasBegun: boolean;
	/** Undefined for a reading of a day outside the range. */
	periodOf(reading: Reading): Period | undefined;
}

export type RangeOf = (selected: SelectedUser) => ReadRange;
