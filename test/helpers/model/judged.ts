/**
 * Input of the oracle for a poll, and the rules of its judgement.
 *
 * Its exceptions, with reasons:
 * - a reading measured before watching began that arrived between that moment and the first time its user could be read:
 *   it cannot be distinguished from one that was there before;
 * - a reading (or a correction) of a measurement that was older than the lookback when it could first be seen;
 * - where n8n's clock was wrong before the first reading of a user, whatever was measured as far around the beginning as it
 *   was wrong, if that user was not read in the first poll at once; if so, what was measured during that poll;
 * - a reading dated ahead that came before its user was first read; one dated less than a day ahead that was there at the beginning,
 *   of a user that the first poll could not read;
 * - what is older than the lookback by a clock that is ahead, until a poll that reads all users finds it set back; for good where it
 *   was set right between polls, for longer than it was ahead: then this cannot be detected (clockWatch.ts);
 * - what did not reach a minimum that was in force after it was measured;
 * - what changed while its user was being read: the next poll decides;
 * - readings of one instant may go out again under another of their ids when one of them comes, goes or is corrected.
 */
import type { Measured, Person } from './world';

export interface Scope {
	person?: Person;
	provider: string;
	team?: string;
}

export interface Row {
	row_id: string;
	nr: number;
	systolic: number;
	change: string;
}

export interface Poll {
	begun: number;
	ended: number;
	rows: Row[];
	/** Users read completely, and since when. */
	served: Map<Person, number>;
	/** Users who could not be read. */
	broken: Person[];
	/** Users of the list whose readings were not found. */
	gone: Iterable<Person>;
	/** Whether what it found is kept: it did not fail and was not cut short. */
	isKept: boolean;
	/** Whether it had the time to read all users. */
	isQuick: boolean;
	/** By how much n8n's clock was wrong. */
	clockError: number;
}

export const isInScope = ({ person, team }: Scope, one: Person) =>
	person ? person === one : !team || team === one.team;

export const isWanted = ({ provider }: Scope, one: Measured) => !provider || provider === one.provider;
