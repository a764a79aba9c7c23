/**
 * Request queue, shared by all input items of a run. One pump sends the next request as soon as concurrency, rate, pauses and the
 * check of the API key allow it, and rejects all requests once the key is invalid or the circuit breaker is open.
 */
import { sleep } from 'n8n-workflow';
import type { Problem } from '../shared/problem';
import { CircuitBreaker } from './circuitBreaker';
import { isDenied, isRetryable, type Outcome } from './classify';
import { Deadlines, SLEEP_STEP_MS } from './deadlines';
import { CANCELLED_REQUEST, cancellationOf, outOfTime } from './errors';

export const DEFAULT_CONCURRENCY = 8;

export interface RequestLimits {
	concurrency?: number;
	/** No limit by default. */
	requestsPerSecond?: number;
}

export interface QueueOptions {
	signal?: AbortSignal;
	/** Whether it is sent although another request has failed. */
	continues: boolean;
	/** The request of the key check, for which all others wait. */
	isProbe?: boolean;
	/** A retry, or a further request for a user: goes ahead of first requests, because its time runs out. */
	isFurther?: boolean;
	/** By `performance.now()`: the pause before a retry. */
	notBefore?: number;
	/** Whether its answer is no longer needed. */
	isCancelled?: () => boolean;
	/** Why it is not sent any more, once its time is over: checked while it waits. */
	stoppedBy?: () => Problem | undefined;
}

interface Waiting extends QueueOptions {
	since: number;
	send: () => void;
	reject: (reason: Error) => void;
}

/** Until the key is accepted: hundreds of requests with a wrong key can lock an account. */
const MOST_WITH_UNPROVEN_KEY = 4;

/** Answers, for each request in flight, that raise the concurrency by one after the service has throttled. */
const ANSWERS_TO_RAISE = 10;

export class RequestQueue {
	private inFlight = 0;
	/** In the order in which they are sent; those that pause before a retry come last. */
	private readonly lines = { probe: [], further: [], first: [], later: [] } as Record<
		string,
		Waiting[]
	>;
	/** When the pump works next. */
	private wakesAt = Infinity;
	private sweepAt = 0;
	private pausedUntil = 0;
	private nextAt = 0;
	private readonly intervalMs: number;
	/** Learnt: halved when the service throttles, raised slowly by answers (AIMD). */
	private concurrency: number;
	private readonly most: number;
	/** Goes up with each decrease: of requests throttled together one counts. */
	private epoch = 0;
	private isKeyProven = false;
	private closedBy?: Error;
	/** The probe in progress. */
	private probing?: Promise<unknown>;
	private firstProbe?: Promise<void>;
	/** Whether the service has given data: then its address is right. */
	hasData = false;
	/** Times in a row that the service has throttled, without an answer in between. */
	throttles = 0;
	/** The last throttle that a reader waits out. */
	lastThrottle?: Problem;
	readonly deadlines = new Deadlines();
	readonly circuitBreaker = new CircuitBreaker();

	/** @param until by `performance.now()`: requests that the rate holds back longer are rejected */
	constructor(
		{ concurrency = DEFAULT_CONCURRENCY, requestsPerSecond = Infinity }: RequestLimits = {},
		private readonly until = Infinity,
	) {
		this.concurrency = this.most = concurrency;
		this.intervalMs = 1000 / requestsPerSecond;
	}

	/** Most requests in flight now. */
	get places() {
		return Math.floor(
			this.isKeyProven ? this.concurrency : Math.min(this.concurrency, MOST_WITH_UNPROVEN_KEY),
		);
	}

	/**
	 * Runs `work` as soon as it may be sent.
	 *
	 * @param settle what the result means, before the next request is sent
	 * @throws Problem when the execution or the request is cancelled, the key is invalid, or the circuit breaker is open
	 */
	async run<T, R = T>(
		work: () => Promise<T>,
		outcomeOf: (result: T) => Outcome,
		options: QueueOptions,
		settle = (result: T) => result as unknown as R,
	): Promise<R> {
		await new Promise<void>((send, reject) => {
			this.lineUp({ ...options, since: performance.now(), send, reject });
			this.pump();
		});
		const { epoch } = this;
		try {
			const result = await work();
			this.learn(outcomeOf(result), epoch);
			return settle(result);
		} finally {
			this.inFlight--;
			this.pump();
		}
	}

	throwIfClosed(options: QueueOptions) {
		const reason = this.reasonAgainst(options);
		if (reason) throw reason;
	}

	/** Rejects all requests that are not sent yet, and all later ones, with the first reason given. */
	close(reason: Error) {
		this.closedBy ??= reason;
		this.pump();
	}

	/** Runs `probe`, or awaits the one in progress; no other request is sent meanwhile. Never rejects. */
	async probe(probe: () => Promise<unknown>): Promise<void> {
		this.probing ??= probe()
			.catch(() => undefined)
			.finally(() => {
				this.probing = undefined;
				this.pump();
			});
		await this.probing;
	}

	/** `probe` for the first that it is given. */
	async probeOnce(probe: () => Promise<unknown>): Promise<void> {
		this.firstProbe ??= this.probe(probe);
		await this.firstProbe;
	}

	/** Sends nothing for so long: what Retry-After tells one request applies to all. */
	pause(ms: number) {
		this.pausedUntil = Math.max(this.pausedUntil, performance.now() + ms);
	}

	private reasonAgainst({
		signal,
		continues,
		isCancelled,
		stoppedBy,
	}: QueueOptions): Error | undefined {
		const { isOpen, lastFailure } = this.circuitBreaker;
		return (
			cancellationOf(signal) ??
			(isCancelled?.() ? CANCELLED_REQUEST : undefined) ??
			this.closedBy ??
			(isOpen || !continues ? lastFailure : undefined) ??
			stoppedBy?.()
		);
	}

	private lineUp(one: Waiting) {
		const { isProbe, isFurther, notBefore = 0 } = one;
		const { probe, further, first, later } = this.lines;
		if (notBefore <= performance.now()) (isProbe ? probe : isFurther ? further : first).push(one);
		else later.splice(later.filter((other) => other.notBefore! <= notBefore).length, 0, one);
	}

	/** Sends what may be sent now, rejects what may not be sent any more, and wakes up when time allows more. */
	private pump() {
		const { probe, further, first, later } = this.lines;
		for (;;) {
			const line = probe.length > 0 ? probe : further.length > 0 ? further : first;
			if (line.length === 0 || (this.probing && line !== probe)) break;
			const now = performance.now();
			const isHeld = now < this.pausedUntil || now < this.nextAt;
			const reason =
				this.reasonAgainst(line[0]) ??
				(now < this.nextAt && this.until <= now ? outOfTime() : undefined);
			if (!reason && this.inFlight >= this.places) break;
			if (!reason && isHeld) return void this.wakeUp(Math.max(this.pausedUntil, this.nextAt));
			const { since, send, reject } = line.shift()!;
			if (reason) {
				reject(reason);
				continue;
			}
			this.inFlight++;
			// Unused time is not saved up, and the delay of timers is made up for by half an interval at most: no burst follows.
			this.nextAt =
				Math.max(this.nextAt, since, this.pausedUntil, now - this.intervalMs / 2) + this.intervalMs;
			send();
		}
		const [next] = later;
		if (next) void this.wakeUp(next.notBefore!);
	}

	/** Pumps again then, or after a step, so that requests which are cancelled meanwhile end soon. @param time by `performance.now()` */
	private async wakeUp(time: number) {
		const now = performance.now();
		const at = Math.max(now + 1, Math.min(time, now + SLEEP_STEP_MS));
		if (this.wakesAt <= at) return;
		this.wakesAt = at;
		await sleep(at - now);
		if (this.wakesAt === at) this.wakesAt = Infinity;
		const { later } = this.lines;
		while (later.length > 0 && later[0].notBefore! <= performance.now())
			this.lineUp(later.shift()!);
		if (performance.now() >= this.sweepAt) this.sweep();
		this.pump();
	}

	/** Rejects what may not be sent any more. */
	private sweep() {
		this.sweepAt = performance.now() + SLEEP_STEP_MS;
		for (const line of Object.values(this.lines)) {
			for (const one of line.splice(0)) {
				const reason = this.reasonAgainst(one);
				if (reason) one.reject(reason);
				else line.push(one);
			}
		}
	}

	/** @param epoch in which the request was sent */
	private learn(outcome: Outcome, epoch: number) {
		if (outcome === 'answered' || isDenied(outcome)) {
			this.isKeyProven ||= outcome === 'answered';
			this.throttles = 0;
			this.concurrency = Math.min(
				this.most,
				this.concurrency + 1 / (ANSWERS_TO_RAISE * this.concurrency),
			);
			this.circuitBreaker.reset();
		}
		if (outcome === 'throttled' && epoch === this.epoch) {
			this.epoch++;
			this.throttles++;
			this.concurrency = Math.max(1, Math.floor(this.concurrency / 2));
		}
		if (isRetryable(outcome)) this.circuitBreaker.onFailedAttempt();
	}
}
