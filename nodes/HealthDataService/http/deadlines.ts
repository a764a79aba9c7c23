/**
 * How long a whole answer may take: n8n's time-out ends when the answer begins, and one that drips would never end.
 * One watchdog for all requests of a gate, because a timer for each would be kept long after its request.
 */
import { sleep } from 'n8n-workflow';
import { LONGEST_SLEEP_MS } from './wait';

/** A request on its way. */
interface Running {
	endsAt: number;
	controller: AbortController;
	/** The execution's own signal. */
	cancel?: AbortSignal;
}

export class Deadlines {
	private readonly running = new Set<Running>();
	private isWatching = false;

	/**
	 * `work`, which must end when its signal aborts: after `ms`, or at once with `cancel`.
	 *
	 * @throws what `work` throws; an error with the code `ETIMEDOUT` when the time was up
	 */
	async within<T>(ms: number, cancel: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
		const controller = new AbortController();
		const one: Running = { endsAt: performance.now() + ms, controller, cancel };
		if (cancel?.aborted) controller.abort();
		this.running.add(one);
		// The same function each time, so that the signal has one listener for all.
		cancel?.addEventListener('abort', this.endCancelled);
		void this.watch();
		try {
			return await work(controller.signal).catch((error: unknown) => {
				if (!controller.signal.aborted || cancel?.aborted) throw error;
				throw Object.assign(new Error('No whole answer in time'), { code: 'ETIMEDOUT' });
			});
		} finally {
			this.running.delete(one);
			if (![...this.running].some((other) => other.cancel === cancel)) {
				cancel?.removeEventListener('abort', this.endCancelled);
			}
		}
	}

	private readonly endCancelled = () => {
		for (const { cancel, controller } of this.running) if (cancel?.aborted) controller.abort();
	};

	/** Ends with the last request; looked at often, so that nothing is held for long after it. */
	private async watch() {
		if (this.isWatching) return;
		this.isWatching = true;
		while (this.running.size > 0) {
			const next = Math.min(...[...this.running].map(({ endsAt }) => endsAt)) - performance.now();
			await sleep(Math.min(Math.max(1, next), LONGEST_SLEEP_MS));
			for (const one of this.running) {
				if (one.endsAt > performance.now()) continue;
				this.running.delete(one);
				one.controller.abort();
			}
		}
		this.isWatching = false;
	}
}
