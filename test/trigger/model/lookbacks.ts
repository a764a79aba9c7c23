/** Windows: the lookback that counts after a change of the option, and readings that a clock ahead may skip. */
import { HOUR } from './steps';

export class Lookbacks {
	private readonly set: Array<{ from: number; ms: number }>;

	constructor(ms: number) {
		this.set = [{ from: -Infinity, ms }];
	}

	change(from: number, ms: number) {
		this.set.push({ from, ms });
	}

	get now() {
		return this.set.at(-1)!.ms;
	}

	get most() {
		return Math.max(...this.set.map(({ ms }) => ms));
	}

	get least() {
		return Math.min(...this.set.map(({ ms }) => ms));
	}

	/** Of a measurement first seen at `moment`. A longer one reaches no further back than the shorter one did when it was set. */
	at(moment: number, time: number): number {
		const until = this.set.filter(({ from }) => from <= moment);
		const reaches = until.every(({ from, ms }, i) => {
			const before = until[i - 1]?.ms ?? ms;
			return ms <= before || time >= from - before;
		});
		return reaches ? until.at(-1)!.ms : Math.min(...until.map(({ ms }) => ms));
	}
}

const DAY = 24 * HOUR;

export class ClockWatch {
	/** The least that a clock that was ahead has shown, since it was right last. */
	private least = Infinity;
	/** Older readings come when the clock is found to have been set back. */
	private untilNoticed = -Infinity;
	/** Older readings are lost: it was set right between polls, for longer than it was ahead. */
	private forGood = -Infinity;
	/** Older readings are lost: the clock was ahead when watching began, until it was right. */
	private hiddenAtFirst = -Infinity;
	/** The last window that was ahead begins then: while n8n is down, time passes it. */
	private aheadUntil = -Infinity;
	private lookedAt = Infinity;
	private saved = {};

	/** @param isConfirmed whether the service sends its time: then a clock that is ahead moves no window behind the first */
	constructor(private readonly isConfirmed: boolean) {}

	/**
	 * Watching begins. The first window takes a clock that is a day ahead into account, not one that is more.
	 *
	 * @param error by how much the clock is ahead
	 */
	begin(now: number, error: number, lookback: number) {
		if (error > 0) this.least = now + error;
		if (error > DAY) this.hiddenAtFirst = now + error - DAY - lookback;
		this.save();
	}

	/** A poll that was kept. @param hasRead whether it read all users: else some windows stay */
	look(now: number, clockError: number, lookback: number, hasRead: boolean) {
		const error = this.isConfirmed ? Math.min(0, clockError) : clockError;
		if (now - this.lookedAt > lookback) this.forGood = Math.max(this.forGood, this.aheadUntil);
		this.lookedAt = now;
		if (error > 0) this.aheadUntil = Math.max(this.aheadUntil, now + error - lookback);
		if (error <= 0 && !hasRead) return;
		if (error <= 0) this.hiddenAtFirst = Math.min(this.hiddenAtFirst, now);
		const shown = now + error;
		const isNoticed = shown < this.least;
		if (!isNoticed) this.forGood = Math.max(this.forGood, this.untilNoticed);
		this.least = error > 0 ? Math.min(this.least, shown) : Infinity;
		this.untilNoticed = error > 0 ? Math.max(this.untilNoticed, shown - lookback) : -Infinity;
	}

	/** What has been found out until now is remembered. */
	save() {
		const { least, untilNoticed, forGood, hiddenAtFirst } = this;
		this.saved = { least, untilNoticed, forGood, hiddenAtFirst };
	}

	/** A kill: as it was saved. */
	restore() {
		Object.assign(this, this.saved);
	}

	mayHide = (time: number) => time < Math.max(this.untilNoticed, this.forGood, this.hiddenAtFirst);
}
