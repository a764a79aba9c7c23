/**
 * How many requests may be on their way at once: n8n starts those of all input items together, so they queue here.
 */
import type { Problem } from '../shared/problem';
import { stopIfCancelled, wait } from './wait';

/** Where the user does not say otherwise. */
export const CONCURRENT_REQUESTS = 8;

/** Answers, per request allowed at once, before one more is allowed again. */
const ANSWERS_TO_RECOVER = 10;

/** A request on its way; handed back when it ends. */
interface Pass {
	round: number;
}

/** `refused`: the service has too much to do. `failed`: any other failure that can pass. `unsent`: it did not go out. */
export type Outcome = 'answered' | 'refused' | 'failed' | 'unsent';

export class Gate {
	private inFlight = 0;
	/** Adapts to the service: halved when it refuses, up again with answers. */
	private allowed: number;
	private answers = 0;
	private readonly queue: Array<() => void> = [];
	private pausedUntil = 0;
	/** Counts the refusals that said something new: not those of requests sent before the last one. */
	private round = 0;
	private failingSince?: number;

	/** Refusals since the last answer, those of requests sent together counted as one. */
	refusals = 0;

	/** Why a request was given up after all its tries, until another is answered: those behind it need not wait as long again. */
	givenUp?: Problem;

	constructor(private readonly maxInFlight: number) {
		this.allowed = maxInFlight;
	}

	/**
	 * `work`, when there is room for it and nobody asked us to wait.
	 *
	 * @param continues whether it is still wanted after another request was given up
	 * @throws Problem when the execution was cancelled, or another request was given up
	 */
	async inTurn<T>(
		work: () => Promise<T>,
		outcomeOf: (result: T) => Outcome,
		{ signal, continues }: { signal?: AbortSignal; continues: boolean },
	): Promise<T> {
		for (;;) {
			if (this.pausedFor > 0) await wait(this.pausedFor, signal);
			const pass = await this.enter();
			let outcome: Outcome = 'unsent';
			try {
				stopIfCancelled(signal);
				// The run has failed already: nothing that came now would be seen.
				if (this.givenUp && !continues) throw this.givenUp;
				if (this.pausedFor > 0) continue;
				const result = await work();
				outcome = outcomeOf(result);
				return result;
			} finally {
				this.leave(pass, outcome);
			}
		}
	}

	/** Waits for a place. */
	private async enter(): Promise<Pass> {
		while (this.inFlight >= this.allowed) await new Promise<void>((resolve) => this.queue.push(resolve));
		this.inFlight++;
		return { round: this.round };
	}

	/** Gives the place back, and learns from what became of the request. */
	private leave({ round }: Pass, outcome: Outcome) {
		this.inFlight--;
		if (outcome === 'answered') this.learnAnswer();
		if (outcome === 'refused' && round === this.round) this.learnRefusal();
		if (outcome === 'refused' || outcome === 'failed') this.failingSince ??= performance.now();
		for (let free = this.allowed - this.inFlight; free > 0 && this.queue.length > 0; free--) this.queue.shift()!();
	}

	private learnAnswer() {
		this.failingSince = undefined;
		this.givenUp = undefined;
		this.refusals = 0;
		if (++this.answers < ANSWERS_TO_RECOVER * this.allowed) return;
		this.answers = 0;
		this.allowed = Math.min(this.maxInFlight, this.allowed + 1);
	}

	private learnRefusal() {
		this.round++;
		this.refusals++;
		this.answers = 0;
		this.allowed = Math.max(1, Math.floor(this.allowed / 2));
	}

	/** Nobody sends for so long: what the service said to one of us goes for all. */
	pause(ms: number) {
		this.pausedUntil = Math.max(this.pausedUntil, performance.now() + ms);
	}

	/** Milliseconds left of a pause. */
	private get pausedFor(): number {
		return Math.max(0, this.pausedUntil - performance.now());
	}

	/** Milliseconds since the service began to fail without answering anything in between. */
	get failingFor(): number {
		return this.failingSince === undefined ? 0 : performance.now() - this.failingSince;
	}
}

const gates = new WeakMap<object, Gate>();

/** The gate shared by everything that has the same `run`, gone with it. The first one's `maxInFlight` counts. */
export function gateOf(run: object, maxInFlight: number): Gate {
	const gate = gates.get(run) ?? new Gate(maxInFlight);
	gates.set(run, gate);
	return gate;
}
