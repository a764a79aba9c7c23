/**
 * Who may send when: n8n starts the requests of all input items together, so they queue here, wait for what one of them was
 * told or must find out, and end together when sending is over for everybody.
 */
import type { Problem } from '../shared/problem';
import { Deadlines } from './deadlines';
import { Losses } from './losses';
import { Pace } from './pace';
import { Rate } from './rate';
import { notWanted, stopIfCancelled, wait } from './wait';

/**
 * `denied`: an answer that may be about the key. `refused`: the service has too much to do. `failed`: any other failure that
 * can pass. `unsent`: nothing that says anything about the service.
 */
export type Outcome = 'answered' | 'denied' | 'refused' | 'failed' | 'unsent';

/** For whom a request is sent. */
export interface Wanted {
	signal?: AbortSignal;
	/** Whether it is still wanted after another request was given up. */
	continues: boolean;
	/** Whether it is what finds out about the key, for which all others wait. */
	isProbe?: boolean;
	/** Whether it has failed before: it goes ahead of those that have not been sent yet, since its time runs out. */
	isAgain?: boolean;
	/** Whether nobody waits for it any more. */
	isOver?: () => boolean;
}

export class Gate {
	private inFlight = 0;
	private readonly queue: Array<() => void> = [];
	private pausedUntil = 0;
	/** The key was refused: nothing is sent any more. */
	private ended?: Problem;
	private verdict?: Promise<unknown>;
	private isAsking = false;

	readonly pace: Pace;

	/** What was given up since the last answer. */
	readonly losses = new Losses();

	readonly deadlines = new Deadlines();

	constructor(
		maxInFlight: number,
		readonly rate = new Rate(),
	) {
		this.pace = new Pace(maxInFlight);
	}

	/**
	 * `work`, when there is room for it and nobody asked us to wait.
	 *
	 * @throws Problem when it is over
	 */
	async inTurn<T>(work: () => Promise<T>, outcomeOf: (result: T) => Outcome, wanted: Wanted): Promise<T> {
		for (;;) {
			this.stopIfOver(wanted);
			if (this.isAsking && !wanted.isProbe) await this.verdict;
			if (this.pausedFor > 0) await wait(this.pausedFor, () => this.stopIfOver(wanted));
			await this.enter(wanted);
			let round = 0;
			let outcome: Outcome = 'unsent';
			try {
				await this.rate.turn(() => this.mayGo(wanted));
				if (!this.mayGo(wanted)) continue;
				round = this.pace.round;
				const result = await work();
				outcome = outcomeOf(result);
				return result;
			} finally {
				this.leave(round, outcome);
			}
		}
	}

	/** @throws Problem when the execution was cancelled, the key was refused, or too much was given up */
	stopIfOver({ signal, continues, isOver }: Wanted) {
		stopIfCancelled(signal);
		if (isOver?.()) throw notWanted();
		const over = this.ended ?? this.losses.down ?? (continues ? undefined : this.losses.echo);
		if (over) throw over;
	}

	/** Nothing more is sent: everybody else ends with the same Problem. */
	end(reason: Problem) {
		this.ended ??= reason;
	}

	/** Finds something out that decides about all others: once, and nobody sends meanwhile. Never fails. */
	async askOnce(ask: () => Promise<unknown>): Promise<void> {
		if (!this.verdict) {
			this.isAsking = true;
			this.verdict = ask()
				.catch(() => undefined)
				.finally(() => (this.isAsking = false));
		}
		await this.verdict;
	}

	/** Whether it may be sent now. Throws what `stopIfOver` throws. */
	private mayGo(wanted: Wanted): boolean {
		this.stopIfOver(wanted);
		return this.pausedFor === 0 && (wanted.isProbe === true || !this.isAsking);
	}

	/** Waits for a place. */
	private async enter({ isAgain }: Wanted): Promise<void> {
		while (this.inFlight >= this.pace.room) {
			await new Promise<void>((resolve) => (isAgain ? this.queue.unshift(resolve) : this.queue.push(resolve)));
		}
		this.inFlight++;
	}

	/** Gives the place back, and learns from what became of a request that was sent in `round`. */
	private leave(round: number, outcome: Outcome) {
		this.inFlight--;
		if (outcome === 'answered' || outcome === 'denied') {
			this.pace.answered(outcome === 'answered');
			this.losses.forget();
		}
		if (outcome === 'refused') this.pace.refused(round);
		if (outcome === 'refused' || outcome === 'failed') this.losses.begin();
		for (let free = this.pace.room - this.inFlight; free > 0 && this.queue.length > 0; free--) this.queue.shift()!();
	}

	/** Nobody sends for so long: what the service said to one of us goes for all. */
	pause(ms: number) {
		this.pausedUntil = Math.max(this.pausedUntil, performance.now() + ms);
	}

	/** Milliseconds left of a pause. */
	private get pausedFor(): number {
		return Math.max(0, this.pausedUntil - performance.now());
	}
}
