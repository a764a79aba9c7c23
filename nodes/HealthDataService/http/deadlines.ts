/**
 * Timeout of whole answers: n8n's timeout ends when an answer begins, so a slow body would never end (quirk 20).
 * One watchdog for all requests of a queue, because n8n's `sleep` would keep a timer for each long after its request.
 */
import { sleep } from 'n8n-workflow';
import { SLEEP_STEP_MS } from './sleep';

/** A request in flight. */
interface Running {
	endsAt: number;
	controller: AbortController;
	/** Of the execution. */
	cancel?: AbortSignal;
}

export class Deadlines {
	private readonly running = new Set<Running>();
	private isWatching = false;

	/**
	 * Runs `work`, whose signal aborts after `ms`, or at once with `cancel`; it must end then.
	 *
	 * @throws what `work` throws; an error with the code `ETIMEDOUT` after `ms`
	 */
	async within<T>(ms: number, cancel: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
		const controller = new AbortController();
		const one: Running = { endsAt: performance.now() + ms, controller, cancel };
		if (cancel?.aborted) controller.abort();
		this.running.add(one);
		// The same function each time, so that the signal has one listener for all requests.
		cancel?.addEventListener('abort', this.abortCancelled);
		void this.watch();
		try {
			return await work(controller.signal).catch((error: unknown) => {
				if (!controller.signal.aborted || cancel?.aborted) throw error;
				throw Object.assign(new Error('No whole answer in time'), { code: 'ETIMEDOUT' });
			});
		} finally {
			this.running.delete(one);
			if (![...this.running].some((other) => other.cancel === cancel)) {
				cancel?.removeEventListener('abort', this.abortCancelled);
			}
		}
	}

	private readonly abortCancelled = () => {
		for (const { cancel, controller } of this.running) if (cancel?.aborted) controller.abort();
	};

	/** Ends with the last request. Short steps, so that its memory is free soon after. */
	private async watch() {
		if (this.isWatching) return;
		this.isWatching = true;
		while (this.running.size > 0) {
			const next = Math.min(...[...this.running].map(({ endsAt }) => endsAt)) - performance.now();
			await sleep(Math.min(Math.max(1, next), SLEEP_STEP_MS));
			for (const one of this.running) {
				if (one.endsAt > performance.now()) continue;
				this.running.delete(one);
				one.controller.abort();
			}
		}
		this.isWatching = false;
	}
}
