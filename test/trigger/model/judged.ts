/**
 * Input of the oracle for a poll, and the rules of its judgement.
 *
 * Its exceptions, with reasons:
 * - a reading measured before watching began that arrived between that moment and the first time its user could be read:
 *   it cannot be distinguished from one that was there before;
 * - a reading measured before its user was added to the list;
 * - a reading (or a correction) of a measurement that was older than the lookback when it could first be seen;
 * - where n8n's clock was wrong when watching began, and the service sent no time: whatever was measured as far around the
 *   beginning as it was wrong, of a user whom the first poll did not read at once; if it did, what was measured during that poll;
 * - the same where the time of the service was wrong, of a user whom the first poll did not read: it looks like n8n's clock;
 * - a reading dated ahead that came before its user was first read; one dated less than a day ahead that was there at the beginning,
 *   of a user that the first poll could not read;
 * - without a time of the service: what is older than the lookback by a clock that is ahead, until a poll that reads all users finds it set back; for good where it
 *   was set right between polls, for longer than it was ahead: then this cannot be detected (lookbacks.ts);
 * - what changed while its user was being read: the next poll decides;
 * - readings of one instant may go out again under another of their ids when one of them comes, goes or is corrected.
 */
import type { Limits } from './values';
import type { Measured, Person } from './world';

export interface Scope {
	person?: Person;
	/** Where these are the entries of a list: of which kind. */
	list?: string;
	provider: string;
	team?: string;
}

export interface Row {
	id: string;
	nr: number;
	code: number;
	systolic: unknown;
	change: string;
	/** Of an emitted user. */
	userId: string;
}

export interface Poll {
	begun: number;
	ended: number;
	rows: Row[];
	/** Users read completely, and since when. */
	served: Map<Person, number>;
	/** Users on the pages of the list. */
	listed: Iterable<Person>;
	/** Users of the list whose readings were not found. */
	gone: Iterable<Person>;
	/** Whether the service failed in it. */
	isHit: boolean;
	/** Whether what it found is kept: it did not fail and was not cut short. */
	isKept: boolean;
	/** Whether it had the time to read all users. */
	isQuick: boolean;
	/** By how much n8n's clock was wrong, and the time of the service. */
	clockError: number;
	dateError: number;
}

export const isInScope = ({ person, team }: Scope, one: Person) =>
	(person ? person === one : !team || team === one.team) && !one.isUnwatched;

export const isWanted = ({ provider }: Scope, one: Measured) => !provider || provider === one.provider;

/** What is the same for readings and for users who join: one for each watch. */
export interface Judge {
	readonly scope: Scope;
	readonly isFirstRound: boolean;
	/** What has been remembered until now stays. */
	save(): void;
	/** A kill: what was not saved is gone. */
	forget(): void;
	/** The next poll may have the state of two polls before. */
	goBack(): void;
	/** @throws Broken for whatever went out and must not, or did not and must */
	judge(poll: Poll): void;
	/** An entry named another user, maybe for so long that watching it begins anew. */
	noteWrong(person: Person, isLong: boolean): void;
	changeLookback(from: number, ms: number): void;
	changeLimits(from: number, limits: Limits): void;
}

export class Broken extends Error {}

export function fail(what: string, about?: object): never {
	throw new Broken(about ? `${what}: ${JSON.stringify(about)}` : what);
}
