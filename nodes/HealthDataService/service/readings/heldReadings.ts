/** Held readings: how many readings the users in progress may hold together, so that pages without end do not use up n8n's memory. */

/** A few users may have as many as one user may, or all a few thousand each. */
export const MAX_HELD = 250_000;

/** The users of one read, or of all input items of a run. */
export class HeldReadings {
	/** Readings of each user in progress, in the order of their first pages. */
	private readonly counts = new Map<object, number>();
	private total = 0;
	private waiting: Array<() => void> = [];

	constructor(readonly max = MAX_HELD) {}

	add(user: object, readings: number) {
		this.counts.set(user, (this.counts.get(user) ?? 0) + readings);
		this.total += readings;
	}

	/** Resolves when the user may read one more page. The first user in progress never waits: then the others have room. */
	async room(user: object) {
		while (this.total > this.max && this.counts.keys().next().value !== user)
			await new Promise<void>((resolve) => this.waiting.push(resolve));
	}

	end(user: object) {
		this.total -= this.counts.get(user) ?? 0;
		this.counts.delete(user);
		for (const wake of this.waiting.splice(0)) wake();
	}
}
