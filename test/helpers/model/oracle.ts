/**
 * Oracle: the rows that a trigger must and must not emit, computed from the service's data and the requests. It uses none of the
 * node's code. One for each watch: from the poll in which watching began until something else is watched.
 * Its exceptions, with reasons, are in judged.ts.
 */
import { ClockWatch } from './clockWatch';
import { fail } from './fail';
import type { Group } from './group';
import { Groups } from './groups';
import { isInScope, isWanted, type Poll, type Row, type Scope } from './judged';
import { Lookbacks } from './lookbacks';
import { Minimums } from './minimums';
import { valueAt, type Measured, type ModelWorld, type Person } from './world';

const DAY = 86_400_000;

interface Begin {
	at: number;
	isFirstPoll: boolean;
	zone: number;
}

export class Oracle {
	private readonly groups: Groups;
	/** When a user was first read, and remembered. */
	private readonly begins = new Map<Person, Begin>();
	private readonly lookbacks: Lookbacks;
	readonly minimums: Minimums;
	private readonly unsaved = new Set<Person>();
	/** Users who were on the list without readings: their window may move back beyond the lookback when they have some. */
	private readonly gone = new Set<Person>();
	private worstClock = 0;
	private polls = 0;
	private readonly clock: ClockWatch;

	constructor(
		private readonly world: ModelWorld,
		readonly scope: Scope,
		private readonly settings: { lookback: number; minimum: number; sendsDate: boolean },
		readonly since: number,
		clockError: number,
	) {
		const { lookback, minimum, sendsDate } = settings;
		this.clock = new ClockWatch(sendsDate);
		this.clock.begin(since, clockError, lookback);
		this.lookbacks = new Lookbacks(lookback);
		this.minimums = new Minimums(minimum);
		this.groups = new Groups(world);
	}

	/** Whether no user was read yet. */
	get isFirstRound() {
		return this.begins.size === 0;
	}

	/** What has been remembered until now stays. */
	save() {
		this.clock.save();
		this.unsaved.clear();
	}

	/** A kill: users first read since the last save count as unread. */
	forget() {
		this.clock.restore();
		for (const person of this.unsaved) {
			this.begins.delete(person);
			for (const group of this.groups.ofPerson(person, this.isWanted)) group.forgetLate();
		}
		this.unsaved.clear();
	}

	changeLookback(from: number, ms: number) {
		this.lookbacks.change(from, ms);
	}

	/** @throws Error for whatever went out and must not, or did not and must */
	judge(poll: Poll) {
		this.worstClock = Math.max(this.worstClock, Math.abs(poll.clockError));
		this.polls++;
		for (const group of poll.rows.map((row) => this.judgeRow(row, poll))) group.forgetSkipped();
		for (const person of poll.broken)
			for (const group of this.groups.ofPerson(person, this.isWanted)) group.isSkipSure = false;
		for (const person of poll.gone) this.gone.add(person);
		if (!poll.isKept) return;
		const hasRead = [...this.begins.keys()].every((one) => !one.isListed || poll.served.has(one) || this.gone.has(one));
		this.clock.look(poll.begun, poll.clockError, this.lookbacks.now, hasRead);
		for (const [person, at] of poll.served) {
			// What it had no time for was read in vain.
			if (!this.isInScope(person) || !poll.isQuick) continue;
			const wasBegun = this.begins.has(person);
			if (!wasBegun) this.begins.set(person, { at, isFirstPoll: this.polls === 1, zone: this.worstClock });
			if (!wasBegun) this.unsaved.add(person);
			for (const group of this.groups.ofPerson(person, this.isWanted)) {
				const isDone = this.mustBeDone(group, poll, at);
				if (!wasBegun) this.begin(group, at, poll.ended);
				if (isDone && poll.clockError <= 0) group.readAt = at;
				const isInTime = at - (group.readings[0].time ?? -Infinity) < this.lookbacks.least;
				group.skip(at, this.minimums.now, this.worstClock === 0 && isInTime);
			}
		}
	}

	private begin(group: Group, at: number, ended: number) {
		const { time, person } = group.readings[0];
		// n8n's clock may have been ahead, for all that the trigger knows.
		const isSure = this.settings.sendsDate && this.worstClock === 0 && !this.gone.has(person);
		if (isSure && time !== null && at - time > this.lookbacks.most) group.begunLate(at);
		const hasCome = group.hasChanged(this.since, at);
		const wasThere = this.wasThere(group);
		const ahead = (time ?? -Infinity) - at;
		if (wasThere && ahead > DAY + this.worstClock && !group.hasChanged(this.since, ended) && group.isInTable)
			fail('dated ahead, and there when watching began', group.readings[0]);
		const isNew = hasCome && !wasThere && ahead <= 0 && time !== null && time > this.since + this.worstClock;
		group.begin(at, {
			isNew,
			isLate: time !== null && at - time > this.lookbacks.least - this.worstClock,
			isUnsure:
				wasThere ||
				ahead > 0 ||
				(time !== null && this.clock.mayHide(time)) ||
				group.hasChanged(at, ended) ||
				(hasCome && this.polls > 1 && !isNew),
		});
	}

	/** Dated ahead, and there when watching began: a poll that came to nothing may have seen it all the same, or not. */
	private wasThere({ readings }: Group): boolean {
		const isAhead = readings[0].time !== null && readings[0].time > this.since;
		return isAhead && readings.some((one) => valueAt(one, this.since) !== undefined);
	}

	private judgeRow(row: Row, { begun, ended }: Poll): Group {
		const reading = this.world.readings[row.nr];
		if (!reading) fail(`a row of no reading: ${JSON.stringify(row)}`);
		if (!this.isInScope(reading.person) || !this.isWanted(reading)) fail('a reading of another user was emitted', row);
		const { seen } = reading;
		const couldBeSeen = seen.some(
			({ value, from }, i) => value === row.systolic && from <= ended && (seen[i + 1]?.from ?? Infinity) >= begun,
		);
		if (!couldBeSeen) fail('a row says what the service did not', row);
		const group = this.groups.of(reading);
		if (this.isOld(group, reading, ended)) fail('something old went out', row);
		if (row.systolic < this.minimums.now) fail('a row is below the minimum', row);
		group.emit(row, reading);
		return group;
	}

	/** There when watching began, and the same since. */
	private isOld(group: Group, { time, person }: Measured, until: number): boolean {
		const { since } = this;
		const begin = this.begins.get(person);
		if (group.hasChanged(begin ? begin.at : since, until)) return false;
		// Arrived after watching began, and before the first read.
		if (group.hasChanged(since, until))
			return begin !== undefined && (time ?? -Infinity) <= since - begin.zone && group.isKnown;
		const zone = begin?.zone ?? this.worstClock;
		const isFirstPoll = begin?.isFirstPoll ?? this.polls === 1;
		return time === null || (isFirstPoll && zone === 0) || time < since - zone;
	}

	/** @returns whether it was promised @throws Broken when it is not there */
	private mustBeDone(group: Group, { ended }: Poll, at: number): boolean {
		if (group.hasChanged(at, ended)) return false;
		const members = group.readings.filter((one) => this.isWanted(one) && valueAt(one, at) !== undefined);
		if (members.length === 0) return false;
		const changed = group.lastChange(at)!;
		const { time, person } = members[0];
		const begin = this.begins.get(person)!;
		if (changed <= begin.at) {
			const isDuringFirst = begin.isFirstPoll && this.worstClock > 0;
			if (
				this.wasThere(group) ||
				time === null ||
				time > begin.at ||
				changed <= this.since ||
				time <= this.since + begin.zone ||
				isDuringFirst
			)
				return false;
		}
		if (time !== null && (changed - time > this.lookbacks.at(changed, time) || this.clock.mayHide(time))) return false;
		const values = members
			.map((one) => valueAt(one, at)!)
			.filter((value) => this.minimums.isReached(members[0], value, at));
		group.mustHold(values, members[0]);
		return values.length > 0;
	}

	private isInScope = (person: Person) => isInScope(this.scope, person);

	private isWanted = (reading: Measured) => isWanted(this.scope, reading);
}
