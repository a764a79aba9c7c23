/**
 * How many requests may be on their way at once: n8n starts those of all input items together, so they queue here.
 */

/** Where the user does not say otherwise. */
export const CONCURRENT_REQUESTS = 8;

/** A request on its way; handed back to the gate when it ends. */
interface Pass {
	round: number;
}

/** Requests that must succeed, per request allowed at once, before one more is allowed again. */
const SUCCESSES_TO_RECOVER = 10;

export class Gate {
	private inFlight = 0;
	/** Adapts to the service: halved when it refuses, up again with success. */
	private allowed: number;
	private successes = 0;
	/** Counts the times the service said "too many": requests sent before the last time say nothing new. */
	private round = 0;
	private pausedUntil = 0;
	private readonly queue: Array<() => void> = [];

	/** Set when a request was given up after all its tries, until one succeeds: the ones behind it do not wait as long again. */
	isServiceDown = false;

	constructor(private readonly most: number) {
		this.allowed = most;
	}

	/** Waits for a place. */
	async enter(): Promise<Pass> {
		while (this.inFlight >= this.allowed) await new Promise<void>((resolve) => this.queue.push(resolve));
		this.inFlight++;
		return { round: this.round };
	}

	/** Gives the place back. `accepted` is false when the service said "too many requests". */
	leave({ round }: Pass, accepted: boolean) {
		this.inFlight--;
		if (!accepted && round === this.round) {
			this.round++;
			this.successes = 0;
			this.allowed = Math.max(1, Math.floor(this.allowed / 2));
		}
		if (accepted && ++this.successes >= SUCCESSES_TO_RECOVER * this.allowed) {
			this.successes = 0;
			this.allowed = Math.min(this.most, this.allowed + 1);
		}
		for (let free = this.allowed - this.inFlight; free > 0 && this.queue.length > 0; free--) this.queue.shift()!();
	}

	/** Nobody sends for so long: the service told one of us to wait. */
	pause(ms: number) {
		this.pausedUntil = Math.max(this.pausedUntil, Date.now() + ms);
	}

	/** Milliseconds left of a pause. */
	get pausedFor(): number {
		return Math.max(0, this.pausedUntil - Date.now());
	}
}

const gates = new WeakMap<object, Gate>();

/** The gate shared by everything that has the same `execution`, gone with it. The first one's `most` counts. */
export function gateOf(execution: object, most: number): Gate {
	const gate = gates.get(execution) ?? new Gate(most);
	gates.set(execution, gate);
	return gate;
}
