/** Watch of a trigger and its oracle (a changed scope starts a new one), and the oracle of *New User*. */
import { type Judge, type Scope, fail, isInScope, type Poll } from './judged';
import { Oracle } from './oracle';
import type { Limits } from './values';
import type { Around } from './watched';
import type { ModelWorld, Person } from './world';

export class Watching {
	oracle?: Judge;
	/** What was watched before, as long as nothing else is. */
	private before?: { scope: Scope; oracle: Judge };

	/** Of the tries to switch it on. */
	private firstTry?: number;

	constructor(
		private readonly around: Around,
		private scope: Scope,
		private lookback: number,
		private limits: Limits,
		private readonly isOfUsers = false,
	) {}

	/** @returns whether it begins now */
	begin(): boolean {
		const begins = !this.oracle;
		this.oracle ??= this.createOracle(this.around.time.now);
		return begins;
	}

	changeLookback(lookback: number) {
		this.lookback = lookback;
		for (const oracle of [this.oracle, this.before?.oracle]) oracle?.changeLookback(this.around.time.now, lookback);
	}

	changeLimits(limits: Limits) {
		this.limits = limits;
		for (const oracle of [this.oracle, this.before?.oracle]) oracle?.changeLimits(this.around.time.now, limits);
	}

	/** Other fields. The same watch continues if they are set back, and no other was published meanwhile. */
	change(scope: Scope) {
		this.firstTry = undefined;
		if (this.oracle) this.before = { scope: this.scope, oracle: this.oracle };
		this.scope = scope;
		const { before } = this;
		const keys = ['person', 'provider', 'list'] as const;
		const isBack = before && keys.every((key) => before.scope[key] === scope[key]);
		this.oracle = isBack ? before.oracle : undefined;
	}

	/** A trigger that could not be switched on has not begun to watch, or has, if the next try is successful. */
	stop() {
		this.firstTry ??= this.around.time.now;
		this.oracle = undefined;
	}

	/** It was switched on: there is no way back to what was watched before. */
	stay() {
		this.firstTry = undefined;
		this.before = undefined;
	}

	/** Another node. */
	forget() {
		this.firstTry = undefined;
		this.oracle = undefined;
		this.before = undefined;
	}

	/** The first list identifies the team; another team's users start a new watch. @returns whether they do */
	meet(team: string | undefined, begun: number): boolean {
		if (!team || !this.oracle || this.scope.person || this.scope.list) return false;
		const isOther = (this.oracle.scope.team ?? team) !== team;
		if (isOther) this.oracle = this.createOracle(begun);
		this.oracle.scope.team = team;
		return isOther;
	}

	private createOracle(since: number): Judge {
		const { world, time, service } = this.around;
		const { lookback, limits, isOfUsers } = this;
		if (isOfUsers) return new NewUsers(world, { ...this.scope }, since, time.error, lookback);
		const settings = { lookback, limits, sendsDate: service.sendsDate };
		return new Oracle(world, { ...this.scope }, settings, since, this.firstTry);
	}
}

export class NewUsers implements Judge {
	/** Listed when watching began, or emitted, and without a break since. */
	private readonly known = new Set<Person>();
	private readonly emitted = new Set<Person>();
	/** Known users who are missing, and since when a poll could notice it. */
	private readonly missing = new Map<Person, number>();
	/** Who came back and is known again, unless that is forgotten. */
	private readonly back = new Set<Person>();
	/** Who was missing for longer than the lookback counts as new, or not. Who joined before the list was first read may be old. */
	private readonly unsure = new Set<Person>();
	private areTimesRight = true;
	/** The list was read to its end, and that was saved. */
	private isListRead = false;
	private willBeRead = false;
	isFirstRound = true;

	constructor(
		private readonly world: ModelWorld,
		readonly scope: Scope,
		private readonly since: number,
		private readonly clockError: number,
		private lookback: number,
	) {
		// With a clock that was behind, users of that time look new where the publication could not read the list.
		const surelyOld = since - Math.abs(clockError);
		for (const one of world.people) {
			if (one.isListed) (one.createdOn <= surelyOld ? this.known : this.unsure).add(one);
		}
	}

	save() {
		this.isListRead = this.willBeRead;
		this.back.clear();
	}

	forget() {
		this.willBeRead = this.isListRead;
		for (const one of this.back) if (this.known.delete(one)) this.unsure.add(one);
	}

	goBack() {
		this.areTimesRight = false;
	}

	noteWrong = () => undefined;

	changeLookback(_from: number, ms: number) {
		this.lookback = Math.min(this.lookback, ms);
	}

	changeLimits = () => undefined;

	judge({ begun, rows, isKept, isHit, isQuick, listed, dateError, clockError }: Poll) {
		const isWrongNow = dateError !== 0 || clockError !== 0;
		if (isWrongNow) this.areTimesRight = false;
		if (isKept && !isHit) for (const one of listed) this.comeBack(one, begun);
		for (const { userId } of rows) {
			const one = this.world.people.find((person) => person.userId === userId);
			if (!one || !isInScope(this.scope, one)) fail('a user of another team was emitted', { userId });
			if (this.known.has(one)) fail(this.emitted.has(one) ? 'a user twice' : 'a user who was there before', { userId });
			this.known.add(one);
			this.emitted.add(one);
		}
		for (const one of this.world.people) {
			if (!one.isListed && this.known.delete(one)) this.missing.set(one, this.isListRead ? begun : -Infinity);
		}
		const seen = [...listed];
		if (!isKept || isHit || !isQuick || seen.length === 0) return;
		for (const one of seen) {
			const isNoted = [this.known, this.unsure, this.missing].some((those) => those.has(one));
			if (!isInScope(this.scope, one) || isNoted) continue;
			const mayLookOld = isWrongNow || one.createdOn <= this.since + Math.abs(this.clockError);
			if (!this.isListRead && mayLookOld) this.unsure.add(one);
			else fail('a user who joined was not emitted', { nr: one.nr });
		}
		this.isFirstRound = false;
		this.willBeRead = true;
	}

	private comeBack(one: Person, begun: number) {
		const since = this.missing.get(one);
		if (since === undefined) return;
		this.missing.delete(one);
		const isKnown = this.areTimesRight && begun - since < this.lookback;
		(isKnown ? this.known : this.unsure).add(one);
		this.back.add(one);
	}
}
