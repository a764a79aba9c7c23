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
	/** Whether this request is sent although another one has failed. */
	continues: boolean;
	/** The request of the key check, for which all others wait. */
	isProbe?: boolean;
	/** A retry, or a further request for a user: goes ahead of first requests, because the user's time runs out. */
	isFurther?: boolean;
	/** By `performance.now()`: the pause before a retry. */
	notBefore?: number;
	/** Whether the answer is no longer needed. */
	isCancelled?: () => boolean;
	/** Why the request is not sent any more, once the user's time is over. Checked while the request waits. */
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
	/** Waiting requests, in the order in which they are sent; `later` has retries before the end of their pause. */
	private readonly lines: Record<'probe' | 'further' | 'first' | 'later', Waiting[]> = {
		probe: [],
		further: [],
		first: [],
		later: [],
	};
	/** When the pump works next. */
	private wakesAt = Infinity;
	private sweepAt = 0;
	private pausedUntil = 0;
	private nextAt = 0;
	private readonly intervalMs: number;
	/** Halved when the service throttles, raised slowly by answers (AIMD). */
	private concurrency: number;
	private readonly most: number;
	/** Number of decreases of the concurrency. A request sent before the last decrease does not cause another. */
	private epoch = 0;
	private isKeyProven = false;
	private closedBy?: Error;
	/** The probe in progress. */
	private probing?: Promise<unknown>;
	private firstProbe?: Promise<void>;
	private askingList?: Promise<void>;
	private isListAsked = false;
	/** Whether the first Retry-After was one for all requests, as far as is known. */
	isThrottledForAll = true;
	/** Whether the service has given data: then the Base URL is right. */
	hasData = false;
	/** Times in a row that the service has throttled, without an answer in between. */
	throttles = 0;
	/** Path of a request that has been answered: a limit that it does not meet is one of single users. */
	sample?: string;
	/** Error of the last throttle that a reader outlasts. */
	lastThrottle?: Problem;
	readonly deadlines = new Deadlines();
	readonly circuitBreaker = new CircuitBreaker();

	/** @param until by `performance.now()`: then requests end, and those that the rate holds back longer are rejected */
	constructor(
		{
			concurrency = DEFAULT_CONCURRENCY,
			requestsPerSecond = Infinity,
		}: RequestLimits = {},
		private readonly until = Infinity,
	) {
		this.concurrency = this.most = concurrency;
		this.intervalMs = 1000 / requestsPerSecond;
		this.deadlines.endAt = until;
	}

	/** Most requests in flight now. */
	get places() {
		const most = this.isKeyProven ? Infinity : MOST_WITH_UNPROVEN_KEY;
		return Math.floor(Math.min(this.concurrency, most));
	}

	/**
	 * Runs `work` as soon as it may be sent.
	 *
	 * @param settle what the result means, before the next request is sent
	 * @throws Problem when the execution or the request is cancelled, the key is invalid, or the circuit breaker is open
	 */
	async run<T, R>(
		work: () => Promise<T>,
		outcomeOf: (result: T) => Outcome,
		options: QueueOptions,
		settle: (result: T) => R,
	): Promise<R> {
		await new Promise<void>((send, reject) => {
			this.lineUp({ ...options, since: performance.now(), send, reject });
			this.pump();
		});
		const { epoch } = this;
		try {
			const result = await work();
			this.learn(outcomeOf(result), epoch, options);
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

	/**
	 * Obeys a Retry-After: sends nothing for `ms`, unless it is that of single users.
	 *
	 * @param isListThrottled asked once: what does not hold for the user list does not hold for all
	 */
	async obey(ms: number, isListThrottled: () => Promise<boolean>) {
		const until = performance.now() + ms;
		if (!this.isListAsked) {
			this.askingList = this.probe(async () => {
				this.isThrottledForAll = await isListThrottled();
			});
		}
		this.isListAsked = true;
		if (await this.knowsThrottledForAll()) this.pause(until - performance.now());
	}

	/** `isThrottledForAll`, once the list has told. */
	async knowsThrottledForAll(): Promise<boolean> {
		await this.askingList;
		return this.isThrottledForAll;
	}

	/** `probe` for the first that it is given. */
	async probeOnce(probe: () => Promise<unknown>): Promise<void> {
		this.firstProbe ??= this.probe(probe);
		await this.firstProbe;
	}

	/** Sends nothing for `ms`: the Retry-After of one answer applies to all requests. */
	pause(ms: number) {
		this.pausedUntil = Math.max(this.pausedUntil, performance.now() + ms);
	}

	private reasonAgainst(request: QueueOptions): Error | undefined {
		const cancelled = cancellationOf(request.signal);
		if (cancelled) return cancelled;
		if (request.isCancelled?.()) return CANCELLED_REQUEST;
		if (this.closedBy) return this.closedBy;
		const { isOpen, lastFailure } = this.circuitBreaker;
		const isStopped = isOpen || !request.continues;
		if (isStopped && lastFailure) return lastFailure;
		return request.stoppedBy?.();
	}

	/** Once the time of the queue is over, a request that the rate holds back is not sent. */
	private lateReason(): Error | undefined {
		const now = performance.now();
		const isHeld = now < this.nextAt;
		return isHeld && this.until <= now ? outOfTime() : undefined;
	}

	private lineUp(request: Waiting) {
		const { notBefore = 0 } = request;
		if (notBefore <= performance.now()) {
			this.lineOf(request).push(request);
			return;
		}
		const { later } = this.lines;
		const earlier = later.filter((other) => other.notBefore! <= notBefore);
		later.splice(earlier.length, 0, request);
	}

	private lineOf({ isProbe, isFurther }: Waiting) {
		if (isProbe) return this.lines.probe;
		return isFurther ? this.lines.further : this.lines.first;
	}

	/** The line whose first request is sent next. During the key check, no other request is sent. */
	private nextLine(): Waiting[] | undefined {
		const { probe, further, first } = this.lines;
		const line = [probe, further, first].find(({ length }) => length > 0);
		return this.probing && line !== probe ? undefined : line;
	}

	/** Sends and rejects requests until one has to wait, and wakes up when that one may be sent. */
	private pump() {
		for (let line = this.nextLine(); line; line = this.nextLine()) {
			const reason = this.reasonAgainst(line[0]) ?? this.lateReason();
			if (reason) {
				line.shift()!.reject(reason);
				continue;
			}
			if (this.inFlight >= this.places) break;
			const heldUntil = Math.max(this.pausedUntil, this.nextAt);
			if (performance.now() < heldUntil) {
				void this.wakeUp(heldUntil);
				return;
			}
			this.dispatch(line.shift()!);
		}
		const [retry] = this.lines.later;
		if (retry) void this.wakeUp(retry.notBefore!);
	}

	/** Sends the request and sets the time of the next one by the rate. */
	private dispatch({ since, send }: Waiting) {
		this.inFlight++;
		// Idle time earns no burst; a late timer earns half an interval at most.
		const earliest = performance.now() - this.intervalMs / 2;
		const turn = Math.max(this.nextAt, since, this.pausedUntil, earliest);
		this.nextAt = turn + this.intervalMs;
		send();
	}

	/**
	 * Pumps at `time`, or after a step of the sleep if that is earlier: requests that are cancelled meanwhile end soon.
	 *
	 * @param time by `performance.now()`
	 */
	private async wakeUp(time: number) {
		const now = performance.now();
		const at = Math.max(now + 1, Math.min(time, now + SLEEP_STEP_MS));
		if (this.wakesAt <= at) return;
		this.wakesAt = at;
		await sleep(at - now);
		if (this.wakesAt === at) this.wakesAt = Infinity;
		this.lineUpDue();
		if (performance.now() >= this.sweepAt) this.sweep();
		this.pump();
	}

	/** Moves retries whose pause has ended. */
	private lineUpDue() {
		const { later } = this.lines;
		while (later.length > 0 && later[0].notBefore! <= performance.now()) {
			this.lineUp(later.shift()!);
		}
	}

	/** Rejects all waiting requests that may not be sent any more. */
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
	private learn(outcome: Outcome, epoch: number, { isProbe }: QueueOptions) {
		// After an answer, the next throttle may be another one.
		if (outcome === 'answered' && !isProbe) this.isListAsked = false;
		if (outcome === 'answered') this.isKeyProven = true;
		if (outcome === 'answered' || isDenied(outcome)) this.onAnswer();
		if (outcome === 'throttled' && epoch === this.epoch) this.onThrottle();
		if (isRetryable(outcome)) this.circuitBreaker.onFailedAttempt();
	}

	private onAnswer() {
		const raised = this.concurrency + 1 / (ANSWERS_TO_RAISE * this.concurrency);
		this.concurrency = Math.min(this.most, raised);
		this.throttles = 0;
		this.circuitBreaker.reset();
	}

	private onThrottle() {
		this.epoch++;
		this.throttles++;
		this.concurrency = Math.max(1, Math.floor(this.concurrency / 2));
	}
}
