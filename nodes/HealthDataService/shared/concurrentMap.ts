/**
 * Concurrent map: works on several elements at once, and yields the results in the order of the elements or as they are completed.
 */

export interface MapOptions {
	/** Elements in work at a time; in order, finished ones that are not yielded yet count too. */
	width: number;
	/** Whether results come as they are completed, so that a slow element holds back no other one. */
	asCompleted?: boolean;
	/** Once true, no element is started, and those in work are awaited. */
	isTimeUp?: () => boolean;
}

/**
 * Runs `work` for each element of `source`, and leaves out undefined results. When the consumer stops or an element fails, the source
 * is read no further, and `isCancelled` tells the running work.
 *
 * @throws the first error of `work`, without waiting for others; an error of `source`, as completed after the elements in work
 */
export async function* concurrentMap<T, R>(
	source: Iterable<T> | AsyncIterable<T>,
	{ width, asCompleted = false, isTimeUp = () => false }: MapOptions,
	work: (one: T, isCancelled: () => boolean) => Promise<R | undefined>,
): AsyncGenerator<R> {
	const inWork = new InWork<R>(asCompleted);
	try {
		for await (const one of source) {
			if (isTimeUp()) break;
			void inWork.start(async () => await work(one, inWork.isCancelled));
			yield* inWork.results(width - 1);
			if (isTimeUp()) break;
		}
		yield* inWork.results(0);
	} catch (error) {
		if (asCompleted) yield* inWork.results(0);
		inWork.failure ??= { error };
		// Throws the failure.
		yield* inWork.results(0);
	} finally {
		inWork.isEnded = true;
	}
}

/** Elements in work, with their results until these are taken. */
class InWork<R> {
	/** What is taken next: from the start of an element on, or as completed from its end on. */
	private readonly queue: Array<{ isDone: boolean; value?: R }> = [];
	/** Elements started, less the results taken. */
	private pending = 0;
	private wake = () => {};
	/** The first error: of an element or, in order, of the source. */
	failure?: { error: unknown };
	isEnded = false;

	constructor(private readonly asCompleted: boolean) {}

	readonly isCancelled = () => this.isEnded || this.failure !== undefined;

	async start(work: () => Promise<R | undefined>) {
		const slot: (typeof this.queue)[number] = { isDone: false };
		this.pending++;
		if (!this.asCompleted) this.queue.push(slot);
		try {
			slot.value = await work();
			slot.isDone = true;
		} catch (error) {
			this.failure ??= { error };
		}
		if (this.asCompleted) this.queue.push(slot);
		this.wake();
	}

	/** The results that are next, until at most `left` elements are in work. @throws the failure: other results may be incomplete then */
	async *results(left: number): AsyncGenerator<R> {
		for (;;) {
			if (this.failure) throw this.failure.error;
			const [first] = this.queue;
			if (first?.isDone) {
				this.queue.shift();
				this.pending--;
				if (first.value !== undefined) yield first.value;
			} else if (this.pending <= left) return;
			else await new Promise<void>((resolve) => (this.wake = resolve));
		}
	}
}
