/**
 * Request queue, shared by all input items of a run. One pump sends the next request as soon as concurrency, rate, pauses and the
 * check of the API key allow it, and rejects all requests once the key is invalid or the service is down.
 */
import { sleep } from 'n8n-workflow';
import type { Problem } from '../shared/problem';
import { isRetryable, type Outcome } from './classify';
import { cancellationOf } from './errors';

/** Longest sleep at a time, within which cancelled requests end: nothing can interrupt n8n's `sleep`, and its linter forbids timers. */
const SLEEP_STEP_MS = 200;

export const DEFAULT_CONCURRENCY = 8;

export interface RequestLimits {
	concurrency?: number;
	/** No limit by default. */
	requestsPerSecond?: number;
}

interface QueueOptions {
	signal?: AbortSignal;
	/** For the whole answer: n8n's timeout ends when an answer begins, so a slow body would never end (quirk 20). */
	timeoutMs: number;
	/** The request of the key check, for which all others wait. */
	isProbe?: boolean;
	/** A retry or a further request for a user: before first requests, as the user's time runs out. */
	isFurther: boolean;
	/** By `performance.now()`: the pause before a retry. */
	notBefore: number;
	/** Why the request is not sent any more. Checked while the request waits. */
	stoppedBy?: () => Problem | undefined;
}

interface Waiting extends QueueOptions {
	send: (sent: InFlight) => void;
	reject: (reason: Error) => void;
}

interface InFlight {
	endsAt: number;
	controller: AbortController;
}

/** Failures in a row that the service may cause. Fewer may be chance. */
export const MIN_FAILURES = 3;

export interface Failing {
	count: number;
	/** When the first attempt after the last answer failed, by `performance.now()`. */
	since?: number;
}

/** Until the key is accepted: hundreds of requests with a wrong key can lock an account. */
const MOST_WITH_UNPROVEN_KEY = 4;

/** Answers, for each request in flight, that raise the concurrency by one after the service has throttled. */
const ANSWERS_TO_RAISE = 10;

/** As an error of Node. */
const TIMEOUT = { code: 'ETIMEDOUT' };

const compare = (one: Waiting, other: Waiting) =>
	Number(other.isFurther) - Number(one.isFurther) ||
	one.notBefore - other.notBefore;

export class RequestQueue {
	private readonly inFlight = new Set<InFlight>();
	/** Waiting requests, in the order in which they are sent. */
	private readonly waiting: Waiting[] = [];
	/** When the pump works next. */
	private wakesAt = Infinity;
	private pausedUntil = 0;
	private nextAt = 0;
	private readonly intervalMs: number;
	/** Halved when the service throttles, raised slowly by answers (AIMD). */
	private concurrency: number;
	private readonly most: number;
	/** Number of decreases of the concurrency. A request sent before the last decrease does not cause another. */
	epoch = 0;
	private closedBy?: Error;
	/** Probes in progress and waiting: each begins when the one before has ended. */
	probes = 0;
	private lastProbe: Promise<unknown> = Promise.resolve();
	/** The check of the API key, once for all requests. */
	private keyCheck?: Promise<void>;
	private isListAsked = false;
	/** Whether the last throttle was one for all requests, as far as is known. */
	isThrottledForAll = true;
	private isProven = false;
	/** Times in a row that the service has throttled, without an answer in between. */
	throttles = 0;
	/** Requests in a row that have used up their attempts. */
	private failing: Failing = { count: 0 };
	/** As `failing.count`, but no answer of a probe resets it. */
	private exhausted = 0;

	/** @param endAt by `performance.now()`: then requests end, and those that the rate holds back longer are rejected */
	constructor(
		{
			concurrency = DEFAULT_CONCURRENCY,
			requestsPerSecond = Infinity,
		}: RequestLimits = {},
		public endAt = Infinity,
	) {
		this.concurrency = this.most = concurrency;
		this.intervalMs = 1000 / requestsPerSecond;
	}

	/** Whether the service has given data: then the key and the Base URL are right. */
	get hasData() {
		return this.isProven;
	}

	proveKey() {
		this.isProven = true;
	}

	/** Starts the check of the key, once for all requests. */
	async checkKey(check: () => Promise<unknown>) {
		this.keyCheck ??= this.probe(check);
		await this.keyCheck;
	}

	/** Requests in a row that have used up their attempts. */
	get failures(): Readonly<Failing> {
		return this.failing;
	}

	/** Whether requests fail in a row, though the user list may be answered. */
	get isFailing() {
		return this.exhausted >= MIN_FAILURES;
	}

	/** Notes a request that has used up its attempts. */
	noteFailure() {
		this.failing.count++;
		this.exhausted++;
	}

	/** Most requests in flight now. */
	get places() {
		const most = this.isProven ? Infinity : MOST_WITH_UNPROVEN_KEY;
		return Math.floor(Math.min(this.concurrency, most));
	}

	/**
	 * Runs `work` as soon as it may be sent. Its signal aborts after the timeout, or with the execution.
	 *
	 * @throws Problem when the execution or the request is cancelled, the key is invalid, or the service is down
	 */
	async run<T>(
		work: (signal: AbortSignal) => Promise<T>,
		options: QueueOptions,
	): Promise<T> {
		const sent = await new Promise<InFlight>((send, reject) => {
			this.lineUp({ ...options, send, reject });
			this.pump();
		});
		const { signal } = sent.controller;
		const { signal: cancel } = options;
		try {
			return await work(cancel ? AbortSignal.any([cancel, signal]) : signal);
		} finally {
			this.inFlight.delete(sent);
			this.pump();
		}
	}

	throwIfClosed(signal?: AbortSignal) {
		const reason = this.reasonAgainst({ signal });
		if (reason) throw reason;
	}

	/** Rejects all requests that are not sent yet, and all later ones, with the first reason given. */
	close(reason: Error) {
		this.closedBy ??= reason;
		this.pump();
	}

	/** Runs `probe` after those before; no other request is sent meanwhile. Never rejects. */
	async probe(probe: () => Promise<unknown>): Promise<void> {
		this.probes++;
		this.lastProbe = this.lastProbe.then(probe).catch(() => undefined);
		await this.lastProbe;
		this.probes--;
		this.pump();
	}

	/**
	 * Obeys a throttle: sends nothing for `ms`, unless it is one of single users.
	 *
	 * @param isListThrottled asked once until the next answer: what does not hold for its request does not hold for all
	 */
	async obey(ms: number, isListThrottled: () => Promise<boolean>) {
		const until = performance.now() + ms;
		if (!this.isListAsked)
			void this.probe(async () => {
				this.isThrottledForAll = await isListThrottled();
			});
		this.isListAsked = true;
		if (await this.knowsThrottledForAll())
			this.pause(until - performance.now());
	}

	/** `isThrottledForAll`, once the list has told. */
	async knowsThrottledForAll(): Promise<boolean> {
		await this.lastProbe;
		return this.isThrottledForAll;
	}

	/** Sends nothing for `ms`: the Retry-After of one answer applies to all requests. */
	pause(ms: number) {
		this.pausedUntil = Math.max(this.pausedUntil, performance.now() + ms);
	}

	private reasonAgainst({ signal, stoppedBy }: Partial<QueueOptions>) {
		return cancellationOf(signal) ?? this.closedBy ?? stoppedBy?.();
	}

	private lineUp(request: Waiting) {
		const before = this.waiting.findLastIndex(
			(one) => compare(one, request) <= 0,
		);
		this.waiting.splice(before + 1, 0, request);
	}

	/** The request that is sent next. During a probe, no other request is sent. */
	private next() {
		const now = performance.now();
		return this.waiting.find(
			({ isProbe, notBefore }) =>
				notBefore <= now && (isProbe || this.probes === 0),
		);
	}

	/** Sends and rejects requests until one has to wait. */
	private pump() {
		for (let one = this.next(); one; one = this.next()) {
			const reason = this.reasonAgainst(one);
			if (!reason && !this.isFree) break;
			this.waiting.splice(this.waiting.indexOf(one), 1);
			if (reason) one.reject(reason);
			else this.dispatch(one);
		}
		void this.wakeUp();
	}

	private get isFree() {
		const heldUntil = Math.max(this.pausedUntil, this.nextAt);
		return this.inFlight.size < this.places && heldUntil <= performance.now();
	}

	/** Sends the request and sets the time of the next one by the rate. */
	private dispatch({ notBefore, timeoutMs, send }: Waiting) {
		const now = performance.now();
		// Idle time earns no burst; a late timer earns half an interval at most.
		const earliest = now - this.intervalMs / 2;
		const turn = Math.max(this.nextAt, notBefore, earliest);
		this.nextAt = turn + this.intervalMs;
		const endsAt = Math.min(now + timeoutMs, this.endAt);
		const sent = { endsAt, controller: new AbortController() };
		this.inFlight.add(sent);
		send(sent);
	}

	/** Works again at the next time at which a request may be sent or ends, or after a step of the sleep. */
	private async wakeUp() {
		const [first] = this.waiting;
		if (!first && this.inFlight.size === 0) return;
		const now = performance.now();
		const times = [this.pausedUntil, this.nextAt, first?.notBefore ?? 0];
		const at = Math.min(
			now + SLEEP_STEP_MS,
			...times.filter((time) => time > now),
		);
		if (this.wakesAt <= at) return;
		this.wakesAt = at;
		await sleep(at - now);
		if (this.wakesAt === at) this.wakesAt = Infinity;
		this.sweep();
		this.pump();
	}

	/** Ends all requests that have run out of time, and rejects those that may not be sent any more. */
	private sweep() {
		for (const { endsAt, controller } of this.inFlight)
			if (endsAt <= performance.now()) controller.abort(TIMEOUT);
		for (const one of this.waiting.splice(0)) {
			const reason = this.reasonAgainst(one);
			if (reason) one.reject(reason);
			else this.waiting.push(one);
		}
	}

	/** Adapts to the outcome of an attempt, before the next request is sent. @param epoch in which it was sent */
	learn(outcome: Outcome, epoch: number, isProbe = false) {
		// After an answer, the next throttle may be another one.
		if (outcome === 'answered' && !isProbe) this.isListAsked = false;
		if (outcome === 'answered' || outcome === 'denied') this.onAnswer(isProbe);
		if (outcome === 'throttled' && epoch === this.epoch) this.onThrottle();
		if (isRetryable(outcome)) this.failing.since ??= performance.now();
	}

	private onAnswer(isProbe: boolean) {
		const raised = this.concurrency + 1 / (ANSWERS_TO_RAISE * this.concurrency);
		this.concurrency = Math.min(this.most, raised);
		this.throttles = 0;
		this.failing = { count: 0 };
		if (!isProbe) this.exhausted = 0;
	}

	private onThrottle() {
		this.epoch++;
		this.throttles++;
		this.concurrency = Math.max(1, Math.floor(this.concurrency / 2));
	}
}
