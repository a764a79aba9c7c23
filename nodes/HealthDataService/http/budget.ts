/** Budget: the time that all requests for one user share. */
import { tooSlow } from './errors';

/** In ms. */
export interface BudgetLimits {
	/** A request that failed, but for a throttle of the service, is sent again until then. */
	retryMs: number;
	/** The next request is sent until then. */
	totalMs: number;
}

const NO_LIMITS: BudgetLimits = { retryMs: Infinity, totalMs: Infinity };

/** Runs during the attempts of each request, from the first to the last, not in the queue. */
export class Budget {
	private spentMs = 0;
	private runsSince?: number;
	/** Whether a request was sent. */
	isBegun = false;

	/** @param limits asked before each request and retry */
	constructor(private readonly limits = () => NO_LIMITS) {}

	start() {
		this.isBegun = true;
		this.runsSince ??= performance.now();
	}

	stop() {
		this.spentMs = this.ms;
		this.runsSince = undefined;
	}

	/** What was spent. */
	get ms() {
		const now = performance.now();
		return this.spentMs + now - (this.runsSince ?? now);
	}

	get mayRetry() {
		return this.ms < this.limits().retryMs;
	}

	/** Why no request is sent any more: a request ends with the error of its last attempt, or with this reason. */
	get stoppedBy() {
		return this.isBegun && this.ms >= this.limits().totalMs
			? tooSlow()
			: undefined;
	}
}
