/**
 * Timeout of whole answers: n8n's timeout ends when an answer begins, so a slow body would never end (quirk 20).
 * One watchdog serves all requests of a queue: a `sleep` of n8n for each request would keep its timer long after the request.
 */
import { sleep } from 'n8n-workflow';

/** Longest sleep at a time: nothing can interrupt n8n's `sleep`, and its linter forbids timers. A cancel ends one within a step. */
export const SLEEP_STEP_MS = 200;

interface Running {
	begunAt: number;
	ms: number;
	controller: AbortController;
}

export class Deadlines {
	private readonly running = new Set<Running>();
	private isWatching = false;

	/** When every request ends, by `performance.now()`. */
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
			const signal = cancel
				? AbortSignal.any([cancel, controller.signal])
				: controller.signal;
			return await work(signal).catch((error: unknown) => {
				if (!controller.signal.aborted || cancel?.aborted) throw error;
				throw Object.assign(new Error('No whole answer in time'), { code: 'ETIMEDOUT' });
			});
		} finally {
			this.running.delete(one);
		}
	}

	private readonly endOf = ({ begunAt, ms }: Running) =>
		Math.min(begunAt + ms, this.endAt);

	/** Watches until the last request ends. In short steps, so that memory is free soon after. */
	private async watch() {
		if (this.isWatching) return;
		this.isWatching = true;
		while (this.running.size > 0) {
			const next =
				Math.min(...[...this.running].map((one) => this.endOf(one))) - performance.now();
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
