/** Readings that may be skipped because n8n's clock was ahead: a window that follows it is ahead, too. */
import { HOUR } from './steps';

const DAY = 24 * HOUR;

export class ClockWatch {
	/** The least that a clock that was ahead has shown, since it was right last. */
	private least = Infinity;
	/** Older readings come when the clock is found to have been set back. */
	private untilNoticed = -Infinity;
	/** Older readings are lost: it was set right between polls, for longer than it was ahead. */
	private forGood = -Infinity;
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
		if (error > DAY) this.forGood = now + error - DAY - lookback;
		this.save();
	}

	/** A poll that was kept. @param hasRead whether it read all users: else some windows stay */
	look(now: number, clockError: number, lookback: number, hasRead: boolean) {
		const error = this.isConfirmed ? Math.min(0, clockError) : clockError;
		if (now - this.lookedAt > lookback) this.forGood = Math.max(this.forGood, this.aheadUntil);
		this.lookedAt = now;
		if (error > 0) this.aheadUntil = Math.max(this.aheadUntil, now + error - lookback);
		if (error <= 0 && !hasRead) return;
		const shown = now + error;
		const isNoticed = shown < this.least;
		if (!isNoticed) this.forGood = Math.max(this.forGood, this.untilNoticed);
		this.least = error > 0 ? Math.min(this.least, shown) : Infinity;
		this.untilNoticed = error > 0 ? Math.max(this.untilNoticed, shown - lookback) : -Infinity;
	}

	/** What has been found out until now is remembered. */
	save() {
		this.saved = { least: this.least, untilNoticed: this.untilNoticed, forGood: this.forGood };
	}

	/** A kill: as it was saved. */
	restore() {
		Object.assign(this, this.saved);
	}

	mayHide = (time: number) => time < Math.max(this.untilNoticed, this.forGood);
}
