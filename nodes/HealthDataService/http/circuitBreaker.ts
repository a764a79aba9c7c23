/**
 * Circuit breaker: suspects an outage when requests fail in a row, or for long, without an answer in between. It opens if the user
 * list fails too (keyCheck.ts). While it is open the request queue rejects all requests.
 */
import type { Problem } from '../shared/problem';

export const BREAKER_LIMITS = {
	/** Failures in a row that cannot be those of single users. */
	inARow: 50,
	/** After this time without an answer, `MIN_FAILURES` failures are enough. */
	forMs: 600_000,
};

/** Fewer failures in a row may be chance. */
const MIN_FAILURES = 3;

export class CircuitBreaker {
	private failures = 0;
	/** The first failed attempt after the last answer. */
	private failingSince?: number;

	/** Error of the last exhausted request; the next answer clears it. Rejected requests get it. */
	lastFailure?: Problem;

	isOpen = false;

	/** To be called for each failed attempt. */
	onFailedAttempt() {
		this.failingSince ??= performance.now();
	}

	/** To be called for each request that has used up its attempts. */
	onFailure(problem: Problem) {
		this.failures++;
		this.lastFailure = problem.ofAll();
	}

	reset() {
		this.failures = 0;
		this.failingSince = undefined;
		this.lastFailure = undefined;
		this.isOpen = false;
	}

	/** Whether the failures may be an outage. They may also concern only the users read last. */
	get mayBeOutage(): boolean {
		const { inARow, forMs } = BREAKER_LIMITS;
		return (
			this.failures >= inARow ||
			(this.isFailing && performance.now() - (this.failingSince ?? Infinity) >= forMs)
		);
	}

	/** Whether the last requests in a row have used up their attempts: then the cause may be the service, not single users. */
	get isFailing(): boolean {
		return this.failures >= MIN_FAILURES;
	}
}
