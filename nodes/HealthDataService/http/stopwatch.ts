/** Stopwatch: adds up the time in which it runs. */
export class Stopwatch {
	private addedMs = 0;
	private runsSince?: number;
	/** Whether it was ever started. */
	isBegun = false;

	start() {
		this.isBegun = true;
		this.runsSince ??= performance.now();
	}

	stop() {
		this.addedMs = this.ms;
		this.runsSince = undefined;
	}

	get ms() {
		const now = performance.now();
		return this.addedMs + now - (this.runsSince ?? now);
	}
}
