/** Rate limit of a history's service: fixed windows by the clock, or the last requests of a sliding window. */
export class RateLimit {
	/** Times of the admitted requests that count. */
	private admitted: number[] = [];

	constructor(
		readonly requests: number,
		readonly windowMs: number,
		/** Whether a refusal says when the next request is admitted. */
		readonly isAnnounced: boolean,
		private readonly isSliding: boolean,
		readonly isOfReadings = false,
	) {}

	/** Requests that would be admitted now. */
	free(now: number): number {
		const since = this.isSliding ? now - this.windowMs : now - (now % this.windowMs) - 1;
		this.admitted = this.admitted.filter((at) => at > since);
		return this.requests - this.admitted.length;
	}

	/** Counts a request. @returns undefined where it is admitted, else the milliseconds until one would be */
	refuse(now: number): number | undefined {
		if (this.free(now) > 0) {
			this.admitted.push(now);
			return undefined;
		}
		return this.isSliding ? this.admitted[0] + this.windowMs - now : this.windowMs - (now % this.windowMs);
	}
}
