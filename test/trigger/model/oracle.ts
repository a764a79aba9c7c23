/**
 * Oracle: the rows that a trigger must and must not emit, computed from the service's data and the requests. It uses none of the
 * node's code. One for each watch: from the poll in which watching began until something else is watched.
 * Its exceptions, with reasons, are in judged.ts.
 */
import { ClockWatch, Lookbacks } from './lookbacks';
import { fail, isInScope, isWanted, type Judge, type Poll, type Row, type Scope } from './judged';
import { type Group, Groups } from './group';
import { reaches, writtenAs, type Limits } from './values';
import { valueAt, type Measured, type ModelWorld, type Person } from './world';

const DAY = 86_400_000;
/** A `Date` has no milliseconds. */
const SECOND = 1000;

interface Begin {
	at: number;
	isFirstPoll: boolean;
	zone: number;
	/** Whether the service's time was wrong then: what was measured may look dated ahead. */
	isDateWrong: boolean;
}

export class Oracle implements Judge {
	private readonly groups: Groups;
	/** When a user was first read, and remembered. */
	private readonly begins = new Map<Person, Begin>();
	private readonly lookbacks: Lookbacks;
	private readonly unsaved = new Set<Person>();
	/** Users who were on the list without readings: their window may move back beyond the lookback when they have some. */
	private readonly gone = new Set<Person>();
	/** By how much n8n's clock was wrong when watching began, if the service did not tell. */
	private worstClock = 0;
	/** The same of the service's time. */
	private worstDate = 0;
	/** Whether n8n's clock and the service's were right in each poll so far. */
	private areClocksRight = true;
	private polls = 0;
	private clock?: ClockWatch;
	private limitsAt = -Infinity;
	/** Begin of the last poll that read all users. */
	private pass: { at: number; saved: number; before: number[] };
	/** Users who were read, also by polls that had no time for all of it. */
	private readonly mayBeRead = new Set<Person>();
	/** The same while the service's time was wrong: what is dated ahead of it counts as old. */
	private readonly mayBeReadAtWrongDate = new Set<Person>();

	constructor(
		private readonly world: ModelWorld,
		readonly scope: Scope,
		private readonly settings: { lookback: number; limits: Limits; sendsDate: boolean },
		readonly since: number,
		/** What came since then may be new. */
		private readonly firstTry = since,
	) {
		this.lookbacks = new Lookbacks(settings.lookback);
		this.groups = new Groups(world);
		this.pass = { at: firstTry, saved: firstTry, before: [firstTry] };
	}

	/** Whether no user was read yet. */
	get isFirstRound() {
		return this.begins.size === 0;
	}

	save() {
		this.clock?.save();
		this.pass.saved = this.pass.at;
		this.unsaved.clear();
	}

	goBack() {
		[this.pass.at] = this.pass.before;
	}

	/** Users first read since the last save count as unread. */
	forget() {
		this.clock?.restore();
		this.pass.at = this.pass.saved;
		for (const person of this.unsaved) this.begins.delete(person);
		this.unsaved.clear();
	}

	noteWrong(person: Person, isLong: boolean) {
		if (isLong) this.begins.delete(person);
		// Read for the first time, it is watched from then on.
		if (!this.begins.has(person)) person.addedAt = Infinity;
	}

	changeLookback(from: number, ms: number) {
		this.lookbacks.change(from, ms);
	}

	changeLimits(from: number, limits: Limits) {
		this.settings.limits = limits;
		this.limitsAt = from;
	}

	private beginClock({ clockError, dateError, isHit, isKept }: Poll) {
		const { sendsDate } = this.settings;
		// A poll that fails saves no time of the service, only n8n's; so does one that fails to read a user while n8n's clock is behind.
		const isRight = isKept && clockError >= 0;
		const clockMs = isRight ? Math.min(clockError, SECOND) : Math.abs(clockError);
		this.worstDate = Math.max(Math.abs(dateError), clockMs);
		if (sendsDate && !isHit) return;
		this.clock = new ClockWatch(sendsDate);
		this.clock.begin(this.since, clockError, this.lookbacks.now);
	}

	judge(poll: Poll) {
		if (this.polls === 0) this.beginClock(poll);
		if (this.clock && this.isFirstRound) this.worstClock = Math.max(this.worstClock, Math.abs(poll.clockError));
		this.polls++;
		if (poll.dateError !== 0 || poll.clockError !== 0) this.areClocksRight = false;
		// Without a number: of an answer in which something is malformed.
		for (const row of poll.rows) if (row.nr !== undefined) this.judgeRow(row, poll);
		for (const person of poll.gone) this.gone.add(person);
		if (!poll.isKept) return;
		// An entry that is added again is watched from then on.
		for (const person of this.begins.keys()) if (person.isUnwatched) this.begins.delete(person);
		const hasRead = [...this.begins.keys()].every((one) => !one.isListed || poll.served.has(one) || this.gone.has(one));
		this.clock?.look(poll.begun, poll.clockError, this.lookbacks.now, hasRead);
		const watched = this.world.people.filter((one) => one.isListed && this.isInScope(one));
		const isPass = poll.isQuick && watched.every((one) => poll.served.has(one));
		if (isPass) this.pass.before = [...this.pass.before.slice(-1), this.pass.at];
		if (isPass) this.pass.at = poll.begun;
		for (const [person, at] of poll.served) {
			this.mayBeRead.add(person);
			if (poll.dateError !== 0) this.mayBeReadAtWrongDate.add(person);
			// What it had no time for was read in vain.
			if (!this.isInScope(person) || !poll.isQuick) continue;
			const wasBegun = this.begins.has(person);
			const isDateWrong = this.mayBeReadAtWrongDate.has(person);
			if (!wasBegun) this.begins.set(person, { at, isFirstPoll: this.polls === 1, zone: this.zone, isDateWrong });
			if (!wasBegun) this.unsaved.add(person);
			if (person.addedAt === Infinity) person.addedAt = poll.ended;
			for (const group of this.groups.ofPerson(person, this.isWanted)) {
				const isDone = this.mustBeDone(group, poll, at);
				if (!wasBegun) this.begin(group, at, poll.ended);
				if (isDone && poll.clockError <= 0) group.readAt = at;
			}
		}
	}

	/** Of a user who is first read in this poll. */
	private get zone() {
		return this.polls === 1 ? this.worstClock : Math.max(this.worstClock, this.worstDate);
	}

	private begin(group: Group, at: number, ended: number) {
		const { time, person } = group.readings[0];
		const hasCome = group.hasChanged(this.since, at);
		const wasThere = this.wasThere(group);
		const ahead = (time ?? -Infinity) - at;
		if (wasThere && ahead > DAY + this.worstClock && !group.hasChanged(this.since, ended) && group.isInTable)
			fail('dated ahead, and there when watching began', group.readings[0]);
		const { isFirstPoll, zone, isDateWrong } = this.begins.get(person)!;
		// The publication could not read the user, and its clock was behind: what is older may go out.
		const mayLookNew = !isFirstPoll && time !== null && time > this.since - zone;
		const isNew = hasCome && !wasThere && ahead <= 0 && time !== null && time > this.since + this.worstClock;
		group.begin(at, {
			isNew,
			isLate: time !== null && at - time > this.lookbacks.least - this.worstClock,
			isUnsure:
				wasThere ||
				group.hasChanged(this.firstTry, this.since) ||
				isDateWrong ||
				mayLookNew ||
				ahead > 0 ||
				(time !== null && this.clock?.mayHide(time)) ||
				group.hasChanged(at, ended) ||
				(hasCome && this.polls > 1 && !isNew),
		});
	}

	/** Dated ahead, and there when watching began: a poll that came to nothing may have seen it all the same, or not. */
	private wasThere({ readings }: Group): boolean {
		const isAhead = readings[0].time !== null && readings[0].time > this.since;
		return isAhead && readings.some((one) => valueAt(one, this.since) !== undefined);
	}

	private judgeRow(row: Row, { begun, ended }: Poll) {
		const reading = this.world.readings[row.nr];
		if (!reading) fail(`a row of no reading: ${JSON.stringify(row)}`);
		if (!this.isInScope(reading.person) || !this.isWanted(reading)) fail('a reading of another user was emitted', row);
		const { seen } = reading;
		const couldBeSeen = seen.some(
			({ value, from }, i) => value === row.code && from <= ended && (seen[i + 1]?.from ?? Infinity) >= begun,
		);
		if (!couldBeSeen || row.systolic !== writtenAs(row.code).systolic) fail('a row says what the service did not', row);
		const group = this.groups.of(reading);
		if (this.isOld(group, reading, ended)) fail('something old went out', row);
		const isFirstRead = !this.mayBeRead.has(reading.person) && this.areClocksRight;
		if (isFirstRead && (reading.time ?? Infinity) < this.pass.at - this.lookbacks.most - SECOND)
			fail('of a user who joined, older than the lookback before the last pass', row);
		group.emit(row, reading, reaches(row.code, this.settings.limits), this.limitsAt);
	}

	/** There when watching began, and the same since. */
	private isOld(group: Group, { time, person }: Measured, until: number): boolean {
		const { since } = this;
		if (group.hasChanged(this.firstTry, since)) return false;
		const begin = this.begins.get(person);
		if (group.hasChanged(begin ? begin.at : since, until)) return false;
		// Arrived after watching began, and before the first read.
		if (group.hasChanged(since, until))
			return begin !== undefined && (time ?? -Infinity) <= since - begin.zone && group.isKnown;
		const zone = begin?.zone ?? this.zone;
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
				begin.isDateWrong ||
				time === null ||
				time > begin.at ||
				changed <= this.since ||
				time <= Math.max(this.since, person.addedAt ?? -Infinity) + begin.zone ||
				isDuringFirst
			)
				return false;
		}
		// Other minimums: what has not gone out (of twins, one may have), and is in the lookback still.
		const mayBeUnsent = !group.isInTable || members.length > 1;
		const due = this.limitsAt > changed && mayBeUnsent ? at : changed;
		// A lower lookback, and then a first read.
		const isLate = (when: number) => time !== null && due - time > this.lookbacks.at(when, time);
		if (time !== null && (isLate(due) || isLate(Math.max(due, begin.at)) || this.clock?.mayHide(time))) return false;
		const values = members.map((one) => valueAt(one, at)!);
		group.mustHold(values, members[0], (value) => reaches(value, this.settings.limits));
		return true;
	}

	private isInScope = (person: Person) => isInScope(this.scope, person);

	private isWanted = (reading: Measured) => isWanted(this.scope, reading);
}
