/** Watch of a trigger and its oracle: a changed scope starts a new one. */
import type { Judge, Scope } from './judged';
import { NewUsers } from './newUsers';
import { Oracle } from './oracle';
import type { Limits } from './values';
import type { Around } from './watched';

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
		if (isOfUsers) return new NewUsers(world, { ...this.scope }, since, time.error);
		const settings = { lookback, limits, sendsDate: service.sendsDate };
		return new Oracle(world, { ...this.scope }, settings, since, this.firstTry);
	}
}
