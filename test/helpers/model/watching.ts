/** Watch of a trigger and its oracle: a changed scope starts a new one. */
import type { Scope } from './judged';
import { Oracle } from './oracle';
import type { Around } from './watched';

export class Watching {
	oracle?: Oracle;
	/** What was watched before, as long as nothing else is. */
	private before?: { scope: Scope; oracle: Oracle };

	constructor(
		private readonly around: Around,
		private scope: Scope,
		private lookback: number,
		private minimum = 0,
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

	changeMinimum(minimum: number) {
		this.minimum = minimum;
		for (const oracle of [this.oracle, this.before?.oracle]) oracle?.minimums.change(minimum);
	}

	/** Other fields. The same watch continues if they are set back, and no other was published meanwhile. */
	change(scope: Scope) {
		if (this.oracle) this.before = { scope: this.scope, oracle: this.oracle };
		this.scope = scope;
		const { before } = this;
		const isBack = before && before.scope.person === scope.person && before.scope.provider === scope.provider;
		this.oracle = isBack ? before.oracle : undefined;
	}

	/** A trigger that could not be switched on has not begun to watch. */
	stop() {
		this.oracle = undefined;
	}

	/** It was switched on: there is no way back to what was watched before. */
	stay() {
		this.before = undefined;
	}

	/** Another node. */
	forget() {
		this.oracle = undefined;
		this.before = undefined;
	}

	/** The first list identifies the team; another team's users start a new watch. */
	meet(team: string | undefined, begun: number) {
		if (!team || !this.oracle || this.scope.person) return;
		if ((this.oracle.scope.team ?? team) !== team) this.oracle = this.createOracle(begun);
		this.oracle.scope.team = team;
	}

	private createOracle(since: number) {
		const { world, time, service } = this.around;
		const { lookback, minimum } = this;
		const settings = { lookback, minimum, sendsDate: service.sendsDate };
		return new Oracle(world, { ...this.scope }, settings, since, time.error);
	}
}
