/** Data of a history's service: each reading with the times and values at which it was visible. Independent of the node. */
import { uuid } from '../../../dev/sandbox/world';

const LONG_AGO = Date.UTC(2025, 0, 1);

export interface Person {
	nr: number;
	userId: string;
	clientUserId: string;
	team: string;
	isListed: boolean;
	/** Still on the list, though the service knows nothing of them any more. */
	isGone: boolean;
	/** Not on the trigger's list, where it has one. */
	isUnwatched: boolean;
	/** When the user was added to the trigger's list. */
	addedAt?: number;
	createdOn: number;
}

export interface Measured {
	/** Comes back as a column of the row, and identifies the reading. */
	nr: number;
	person: Person;
	provider: string;
	/** Null for a source that has none. */
	type: string | null;
	/** Null for a reading without a time. */
	time: number | null;
	micro: string;
	ownId?: string;
	arrives: number;
	isRemoved: boolean;
	value: number;
	/** What could be seen from when on: undefined for nothing. */
	seen: Array<{ from: number; value?: number }>;
}

/** As it is measured. */
export type Unseen = Omit<Measured, 'nr' | 'seen' | 'isRemoved'>;

export class ModelWorld {
	readonly people: Person[] = [];
	readonly readings: Measured[] = [];
	private readonly groups = new Map<string, Measured[]>();

	constructor(private readonly time: { now: number }) {}

	join(team: string, createdOn = LONG_AGO): Person {
		const nr = this.people.length;
		const names = { userId: uuid('model', nr), clientUserId: `client ${nr}` };
		const person = { nr, ...names, team, createdOn, isListed: true, isGone: false, isUnwatched: false };
		this.people.push(person);
		return person;
	}

	set(person: Person, is: Partial<Pick<Person, 'isListed' | 'isGone' | 'isUnwatched' | 'addedAt'>>) {
		Object.assign(person, is);
		for (const reading of this.readings) if (reading.person === person) this.note(reading);
	}

	/** Undefined where there is one already with the same identity. */
	measure(one: Unseen): Measured | undefined {
		const reading = { ...one, nr: this.readings.length, isRemoved: false, seen: [] };
		if (one.time === null && this.groupOf(reading).length > 0) return undefined;
		this.readings.push(reading);
		this.groups.set(groupKey(reading), [...this.groupOf(reading), reading]);
		this.note(reading);
		return reading;
	}

	/** Of readings without a time, one with other values is another one. */
	correct(reading: Measured, value: number) {
		if (reading.value === value || reading.isRemoved) return;
		if (reading.time === null) {
			this.remove(reading);
			this.measure({ ...reading, value, arrives: Math.max(reading.arrives, this.time.now) });
			return;
		}
		reading.value = value;
		this.note(reading);
	}

	remove(reading: Measured, isRemoved = true) {
		reading.isRemoved = isRemoved;
		this.note(reading);
	}

	/** Those that share all that makes a reading the same one. */
	groupOf(reading: Unseen): Measured[] {
		return this.groups.get(groupKey(reading)) ?? [];
	}

	private note(reading: Measured) {
		const { now } = this.time;
		reading.seen = reading.seen.filter(({ from }) => from <= now);
		const { isListed, isGone, isUnwatched } = reading.person;
		const isThere = isListed && !isGone && !isUnwatched && !reading.isRemoved;
		const value = isThere ? reading.value : undefined;
		if (valueAt(reading, now) === value && (value === undefined || reading.arrives <= now)) return;
		reading.seen.push({ from: isThere ? Math.max(now, reading.arrives) : now, value });
	}
}

const lastOf = ({ seen }: Measured, moment: number) => seen.filter(({ from }) => from <= moment).at(-1);

/** What could be seen at a moment. */
export const valueAt = (reading: Measured, moment: number) => lastOf(reading, moment)?.value;

export const groupKey = ({ person, provider, type, time, micro, value }: Unseen) =>
	[person.nr, provider, type, time ?? `none ${value}`, micro].join(' ');
