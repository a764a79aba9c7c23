/**
 * How many requests may be on their way at once: few until the key was accepted, half as many after the service refused,
 * more again with its answers.
 */

/** Until the key was accepted once: a wrong one must not be tried by hundreds, which locks accounts. */
const HANDFUL = 4;

/** Answers, per request allowed at once, before one more is allowed again. */
const ANSWERS_TO_RECOVER = 10;

export class Pace {
	private allowed: number;
	private isKeyProven = false;
	private answers = 0;
	/** Counts the refusals that said something new: not those of requests sent before the last one. */
	round = 0;

	/** Refusals since the last answer, those of requests sent together counted as one. */
	refusals = 0;

	constructor(private readonly most: number) {
		this.allowed = most;
	}

	get room() {
		return this.isKeyProven ? this.allowed : Math.min(this.allowed, HANDFUL);
	}

	/** @param provesKey whether the service has looked at the key and taken it */
	answered(provesKey: boolean) {
		this.isKeyProven ||= provesKey;
		this.refusals = 0;
		if (++this.answers < ANSWERS_TO_RECOVER * this.allowed) return;
		this.answers = 0;
		this.allowed = Math.min(this.most, this.allowed + 1);
	}

	/** @param round in which the refused request was sent */
	refused(round: number) {
		if (round !== this.round) return;
		this.round++;
		this.refusals++;
		this.answers = 0;
		this.allowed = Math.max(1, Math.floor(this.allowed / 2));
	}
}
