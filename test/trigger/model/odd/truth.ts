/** Oracle of the odd histories: for each reading, whether it must go out, may, or must not. Independent of the node and of oracle.ts. */
import type { IDataObject } from 'n8n-workflow';
import { fail } from '../judged';
import { HOUR } from '../steps';
import { reaches, type Limits } from '../values';
import { valueAt, type Measured, type ModelWorld, type Person } from '../world';

/** `due`: goes out. `old`: was there when watching began. `free`: nothing is promised. */
type Fate = 'due' | 'old' | 'free';

export class Truth {
	private limits: Limits = {};
	private haveLimitsChanged = false;
	private readonly fates = new Map<Measured, Fate>();
	/** What went out last, by reading. */
	private readonly sent = new Map<Measured, number>();
	/** Users who went out, or were there at the publication. */
	private readonly known = new Set<Person>();
	private readonly freeUsers = new Set<Person>();

	constructor(
		private readonly world: ModelWorld,
		private readonly time: { now: number },
		private readonly lookbackMs: number,
	) {}

	/** Watching begins: nothing that was measured until now goes out. */
	begin() {
		for (const one of this.world.readings) if (!this.sent.has(one)) this.fates.set(one, 'old');
		for (const person of this.world.people) this.known.add(person);
	}

	/** Nothing is promised of readings of a user from then on until now, and of those that were in the lookback then. */
	free(person: Person, from: number) {
		for (const one of this.world.readings)
			if (one.person === person && this.fateOf(one) !== 'old' && one.time! >= from - this.lookbackMs)
				this.fates.set(one, 'free');
	}

	/** A user who was not on the list at the publication: what is in the lookback may be new. */
	freeAll(person: Person) {
		for (const one of this.world.readings) if (one.person === person) this.fates.set(one, 'free');
		this.freeUsers.add(person);
	}

	/** The first users of a team: all are new, and what is older than the lookback is not. @param old readings of before then are old */
	meetTeam(old: number, lookback: number) {
		for (const one of this.world.readings) {
			if (this.fateOf(one) !== 'due' || one.time! >= lookback) continue;
			this.fates.set(one, one.time! < old ? 'old' : 'free');
		}
		for (const person of this.world.people) if (person.createdOn < lookback) this.freeUser(person);
	}

	/** A user who is missing for longer than the lookback counts as new. */
	freeUser(person: Person) {
		this.freeUsers.add(person);
	}

	changeLimits(limits: Limits) {
		this.limits = limits;
		this.haveLimitsChanged = true;
	}

	noteCorrection(one: Measured) {
		// Whether it goes out depends on whether it was seen before.
		if (this.fateOf(one) === 'old') this.fates.set(one, 'free');
	}

	private fateOf = (one: Measured) => this.fates.get(one) ?? 'due';

	/** @param isOdd whether a reading of this user may go out, though the user is not watched @param earliest older ones must not */
	judge(rows: IDataObject[], isOdd: (one: Measured) => boolean, earliest: number) {
		for (const row of rows) {
			const one = this.world.readings[Number(row.nr)];
			if (one.person.isUnwatched && !isOdd(one)) fail('a reading of a user who is not watched', row);
			if (row.code !== one.value) fail('a value that the reading does not have', row);
			if (this.sent.get(one) === one.value) fail('twice', row);
			if (this.fateOf(one) === 'old') fail('something old went out', row);
			if (!this.sent.has(one) && !reaches(one.value, this.limits)) fail('reaches no limit', row);
			if (!this.sent.has(one) && one.time! < earliest) fail('older than the lookback', row);
			if (this.sent.has(one) && row.change !== 'updated') fail('is not called updated', row);
			this.sent.set(one, one.value);
		}
	}

	/** After a poll in which nothing is wrong. */
	mustBeComplete() {
		const { now } = this.time;
		for (const one of this.world.readings) {
			const isVisible = valueAt(one, now) !== undefined && !one.person.isUnwatched;
			if (!isVisible || this.fateOf(one) !== 'due' || this.sent.get(one) === one.value) continue;
			const isInLookback = one.time! >= now - this.lookbackMs;
			const isWanted = this.sent.has(one) || reaches(one.value, this.limits);
			// A limit that comes later finds what is in the lookback.
			if (isWanted && (isInLookback || !this.haveLimitsChanged))
				fail('did not go out', { nr: one.nr, user: one.person.nr });
		}
	}

	/** Rows of *New User*. */
	judgeUsers(rows: IDataObject[]) {
		for (const { user_id } of rows) {
			const person = this.world.people.find(({ userId }) => userId === user_id)!;
			if (this.known.has(person) && !this.freeUsers.has(person)) fail('a user who was there, or twice', { user_id });
			this.known.add(person);
		}
	}

	mustHaveUsers() {
		for (const person of this.world.people)
			if (!this.known.has(person) && !this.freeUsers.has(person))
				fail('a user who joined did not go out', { nr: person.nr });
	}

	/** The newest reading that the service showed then, or nothing. */
	newestAt(moment: number) {
		const times = this.world.readings.flatMap((one) =>
			!one.person.isUnwatched && valueAt(one, moment) !== undefined ? [one.time!] : [],
		);
		return Math.max(...times);
	}
}

/** Reports of a history: at once for new trouble, and once an hour at most. */
export class Reports {
	private toldAt = -Infinity;
	private counted = 0;
	private mayRepeat = false;

	constructor(private readonly host: { reported: Array<{ message: string }> }) {}

	/** In memory, n8n may not have saved that something was told. */
	forget() {
		this.mayRepeat = true;
	}

	/** @param isTrouble whether the poll that began then has met trouble */
	judge(begun: number, isTrouble: boolean) {
		const told = this.host.reported.slice(this.counted).filter(({ message }) => !message.includes('cannot be used'));
		this.counted = this.host.reported.length;
		const isDue = begun - this.toldAt >= HOUR - 1000;
		const texts = told.map(({ message }) => message);
		if (told.length > 1 || (told.length > 0 && !isDue && !this.mayRepeat))
			fail('more than one report an hour', { texts });
		if (told.length > 0 && !isTrouble) fail('a report without trouble', { texts });
		if (told.length === 0 && isTrouble && isDue) fail('trouble, and no report');
		if (told.length === 0) return;
		this.toldAt = begun;
		this.mayRepeat = false;
	}
}
