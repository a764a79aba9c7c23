/**
 * Timeout of whole answers: n8n's timeout ends when an answer begins, so a slow body would never end (quirk 20).
 * One watchdog for all requests of a queue: n8n's `sleep` would keep a timer for each long after its request.
 */
import { sleep } from 'n8n-workflow';

/** Step of a sleep, which nothing can interrupt: a cancel ends it within one step (n8n's linter forbids timers of our own). */
export const SLEEP_STEP_MS = 200;

interface Running {
	begunAt: number;
	ms: number;
	controller: AbortController;
}

export class Deadlines {
	private readonly running = new Set<Running>();
	private isWatching = false;

	/** By `performance.now()`: then every request ends. */
	endAt = Infinity;

	/**
	 * Runs `work`. Its signal aborts after `ms`, or at once with `cancel`; the work must end then.
	 *
	 * @throws what `work` throws; an error with the code `ETIMEDOUT` after `ms`
	 */
	async within<T>(
		ms: number,
		cancel: AbortSignal | undefined,
		work: (signal: AbortSignal) => Promise<T>,
	): Promise<T> {
		const controller = new AbortController();
		const one: Running = { begunAt: performance.now(), ms, controller };
		this.running.add(one);
		void this.watch();
		try {
			const signal = cancel ? AbortSignal.any([cancel, controller.signal]) : controller.signal;
			return await work(signal).catch((error: unknown) => {
				if (!controller.signal.aborted || cancel?.aborted) throw error;
				throw Object.assign(new Error('No whole answer in time'), { code: 'ETIMEDOUT' });
			});
		} finally {
			this.running.delete(one);
		}
	}

	private readonly endOf = ({ begunAt, ms }: Running) => Math.min(begunAt + ms, this.endAt);

	/** Ends with the last request. Short steps, so that its memory is free soon after. */
	private async watch() {
		if (this.isWatching) return;
		this.isWatching = true;
		while (this.running.size > 0) {
			const next = Math.min(...[...this.running].map((one) => this.endOf(one))) - performance.now();
			await sleep(Math.min(Math.max(1, next), SLEEP_STEP_MS));
			for (const one of this.running) {
				if (this.endOf(one) > performance.now()) continue;
				this.running.delete(one);
				one.controller.abort();
			}
		}
		this.isWatching = false;
	}
}
