/** The range that is read for a user: what is sent, and which readings are of the period before. */
import type { SelectedUser } from '../users/selection';
import type { LocalTimeOf } from './identity';
import type { Reading } from './measurements';

export interface ReadRange {
	/** IANA name. */
	zone: string;
	localTimeOf: LocalTimeOf;
	/** First and last day as YYYY-MM-DD, or local times. */
	from: string;
	to: string;
	/** Parameters of the contract, 4.1. Undefined for an open range that begins in the future. */
	query?: { start_date: string; end_date?: string };
	/** Whether a reading is of the period before, with *Compare With Previous Period*. */
	isBefore(reading: Reading): boolean;
}

export type RangeOf = (selected: SelectedUser) => ReadRange;
