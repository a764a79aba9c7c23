/**
 * When a service counts as down for everybody: requests given up in a row, or for long, without an answer in between.
 */
import { Problem } from '../shared/problem';

export const LOSS_LIMITS = {
	/** So many given up in a row are no longer those of single users. */
	inARow: 50,
	/** Fewer are enough where they have taken this long already. */
	fewInARow: 3,
	forMs: 600_000,
};

export class Losses {
	private count = 0;
	private since?: number;

	/** Why a request was given up after all its tries: until another is answered, those behind it need not wait as long again. */
	last?: Problem;

	/** The same for those who are not sent because of it: it is not their own. */
	echo?: Problem;

	/** Set while the service is down for everybody. */
	down?: Problem;

	/** A request failed. */
	begin() {
		this.since ??= performance.now();
	}

	/** A request was given up. */
	add(reason: Problem) {
		this.count++;
		this.last = reason;
		const { message, description, kind, httpCode } = reason;
		this.echo = new Problem(message, description, { kind, httpCode, concernsAll: true });
		const { inARow, fewInARow, forMs } = LOSS_LIMITS;
		if (this.count < inARow && !(this.count >= fewInARow && this.failingFor >= forMs)) return;
		this.down ??= this.echo;
	}

	/** A request was answered. */
	forget() {
		this.count = 0;
		this.since = undefined;
		this.last = undefined;
		this.echo = undefined;
		this.down = undefined;
	}

	/** Milliseconds since the service began to fail without answering anything in between. */
	get failingFor(): number {
		return this.since === undefined ? 0 : performance.now() - this.since;
	}
}
