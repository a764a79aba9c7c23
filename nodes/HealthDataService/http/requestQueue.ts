/**
 * Request queue, shared by all input items of a run. Limits concurrency and rate, pauses on Retry-After and while the API key
 * is checked, and rejects all requests once the key is invalid or the circuit breaker is open.
 */
import type { Problem } from '../shared/problem';
import { CircuitBreaker } from './circuitBreaker';
import { isDenied, isRetryable, type Outcome } from './classify';
import { Deadlines } from './deadlines';
import { RateLimiter } from './rateLimiter';
import { cancelledRequest, cancellableSleep, throwIfCancelled } from './sleep';

export const DEFAULT_CONCURRENCY = 8;

/** What the user of n8n limits. */
export interface RequestLimits {
	/** Most requests in flight. */
	concurrency?: number;
	/** No limit by default. */
	requestsPerSecond?: number;
}

/** How one request passes the queue. */
export interface QueueOptions {
	/** Of the execution. */
	signal?: AbortSignal;
	/** Whether it is sent although another request has failed. */
	continues: boolean;
	/** The request of the key check, for which all others wait. */
	isProbe?: boolean;
	/** A retry, or a further request for a user: goes ahead of first requests, because its time runs out. */
	isFurther?: boolean;
	/** Whether its answer is no longer needed. */
	isCancelled?: () => boolean;
	/** Why it is not sent any more, once its time is over: checked while it waits. */
	stoppedBy?: () => Problem | undefined;
}

export class RequestQueue {
	private inFlight = 0;
	/** Attempts that the service has not answered yet. */
	private sent = 0;
	/** Requests that wait for a place, in the order in which they came. */
	private readonly waiting = { further: [] as Array<() => void>, first: [] as Array<() => void> };
	/** Epoch in which the rate was lowered last: of requests throttled together one counts. */
	private slowedIn?: number;
	private pausedUntil = 0;
	/** Why nothing is sent any more. */
	private closedBy?: Error;
	private probe?: Promise<unknown>;
	private isProbing = false;

	/** Whether the service has given data: then its address is right. */
	hasData = false;

	/** Requests without a result, also those between two attempts. */
	open = 0;

	/** Requests that wait for concurrency, the rate limit, a pause or their next attempt. */
	get held() {
		return this.open - this.sent;
	}

	/** The last limit that the service has reported. */
	lastLimit?: Problem;

	readonly concurrency: AdaptiveConcurrency;

	readonly rateLimiter: RateLimiter;

	readonly deadlines = new Deadlines();

	/** @param until by `performance.now()`: requests that the rate limit holds back longer are rejected */
	constructor(
		{ concurrency = DEFAULT_CONCURRENCY, requestsPerSecond }: RequestLimits = {},
		until?: number,
		readonly circuitBreaker = new CircuitBreaker(),
	) {
		this.concurrency = new AdaptiveConcurrency(concurrency);
		this.rateLimiter = new RateLimiter(requestsPerSecond, until);
	}

	/**
	 * Runs `work` as soon as concurrency, rate limit and pauses allow it.
	 *
	 * @throws Problem when the execution or the request is cancelled, the key is invalid, or the circuit breaker is open
	 */
	async run<T>(work: () => Promise<T>, outcomeOf: (result: T) => Outcome, options: QueueOptions): Promise<T> {
		for (;;) {
			this.throwIfClosed(options);
			if (this.isProbing && !options.isProbe) await this.probe;
			if (this.pauseLeftMs > 0) await cancellableSleep(this.pauseLeftMs, () => this.throwIfClosed(options));
			await this.takeSlot(options);
			let epoch = 0;
			let outcome: Outcome = 'failed';
			try {
				await this.rateLimiter.acquire(() => this.canSend(options));
				if (!this.canSend(options)) continue;
				({ epoch } = this.concurrency);
				this.sent++;
				const result = await work().finally(() => this.sent--);
				outcome = outcomeOf(result);
				return result;
			} finally {
				this.releaseSlot(epoch, outcome);
			}
		}
	}

	/** @throws Problem when the execution or the request is cancelled, the key is invalid, or the circuit breaker is open */
	throwIfClosed({ signal, continues, isCancelled, stoppedBy }: QueueOptions) {
		throwIfCancelled(signal);
		if (isCancelled?.()) throw cancelledRequest();
		const { isOpen, lastFailure } = this.circuitBreaker;
		const reason = this.closedBy ?? (isOpen || !continues ? lastFailure : undefined) ?? stoppedBy?.();
		if (reason) throw reason;
	}

	/** Rejects all requests that are not sent yet, and all later ones, with the first reason given. */
	close(reason: Error) {
		this.closedBy ??= reason;
	}

	/** Runs the first `probe` it is given; no other request is sent meanwhile. Never rejects. */
	async probeOnce(probe: () => Promise<unknown>): Promise<void> {
		if (!this.probe) {
			this.isProbing = true;
			this.probe = probe()
				.catch(() => undefined)
				.finally(() => (this.isProbing = false));
		}
		await this.probe;
	}

	/** Sends nothing for so long: what Retry-After tells one request applies to all. */
	pause(ms: number) {
		this.pausedUntil = Math.max(this.pausedUntil, performance.now() + ms);
	}

	/** Learns a lower rate from a limit of the service. */
	slowDown(limit: Problem) {
		this.lastLimit = limit;
		if (this.slowedIn === this.concurrency.epoch) return;
		this.slowedIn = this.concurrency.epoch;
		this.rateLimiter.slowDown();
	}

	private get pauseLeftMs(): number {
		return Math.max(0, this.pausedUntil - performance.now());
	}

	/** Throws what `throwIfClosed` throws. */
	private canSend(options: QueueOptions): boolean {
		this.throwIfClosed(options);
		return this.pauseLeftMs === 0 && (options.isProbe === true || !this.isProbing);
	}

	private async takeSlot({ isFurther }: QueueOptions): Promise<void> {
		const line = isFurther ? this.waiting.further : this.waiting.first;
		while (this.inFlight >= this.concurrency.limit) {
			await new Promise<void>((resolve) => line.push(resolve));
		}
		this.inFlight++;
	}

	/** @param epoch in which the request was sent */
	private releaseSlot(epoch: number, outcome: Outcome) {
		this.inFlight--;
		if (outcome === 'answered' || isDenied(outcome)) {
			this.concurrency.increase(outcome === 'answered');
			this.rateLimiter.speedUp();
			this.circuitBreaker.reset();
		}
		if (outcome === 'throttled') this.concurrency.decrease(epoch);
		if (isRetryable(outcome)) this.circuitBreaker.onFailedAttempt();
		const { further, first } = this.waiting;
		for (let free = this.concurrency.limit - this.inFlight; free > 0; free--) (further.shift() ?? first.shift())?.();
	}
}

/** Until the key is accepted: hundreds of requests with a wrong key can lock an account. */
const LIMIT_OF_UNPROVEN_KEY = 4;

/** Answers, for each request allowed in flight, before the limit rises by one. */
const ANSWERS_TO_INCREASE = 10;

/** Adaptive concurrency (AIMD): halved when the service throttles, raised by one after a number of answers. */
class AdaptiveConcurrency {
	private current: number;
	private isKeyProven = false;
	private answers = 0;

	/** Goes up with each decrease: throttled requests that were sent before the last one are ignored. */
	epoch = 0;

	/** Decreases since the last answer. */
	throttles = 0;

	constructor(private readonly max: number) {
		this.current = max;
	}

	/** Most requests in flight. */
	get limit() {
		return this.isKeyProven ? this.current : Math.min(this.current, LIMIT_OF_UNPROVEN_KEY);
	}

	/** @param provesKey whether the answer shows that the service accepts the key */
	increase(provesKey: boolean) {
		this.isKeyProven ||= provesKey;
		this.throttles = 0;
		if (++this.answers < ANSWERS_TO_INCREASE * this.current) return;
		this.answers = 0;
		this.current = Math.min(this.max, this.current + 1);
	}

	/** @param epoch in which the throttled request was sent */
	decrease(epoch: number) {
		if (epoch !== this.epoch) return;
		this.epoch++;
		this.throttles++;
		this.answers = 0;
		this.current = Math.max(1, Math.floor(this.current / 2));
	}
}
