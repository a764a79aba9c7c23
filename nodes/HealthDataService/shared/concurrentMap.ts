/**
 * Concurrent map: works on several elements at once, and yields the results in the order of the elements or of their completion.
 */

export interface MapOptions {
	/** Elements in work at a time. In order, finished elements whose results are not yielded yet count too. */
	width: number;
	/** Whether results are yielded in the order of completion: a slow element holds back no other one. */
	asCompleted?: boolean;
	/** Once true, no element is started, and elements in work are awaited. */
	isTimeUp?: () => boolean;
}

/**
 * Runs `work` for each element of `source`, and leaves out undefined results. When the consumer stops or an element fails, the source
 * is read no further, and `isCancelled` tells the running work.
 *
 * @throws the first error of `work`, without waiting for other elements; an error of `source`, with `asCompleted` after the elements
 * in work
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
		throw inWork.failure.error;
	} finally {
		inWork.isEnded = true;
	}
}

/** Elements in work, and results that are not taken yet. */
class InWork<R> {
	/** Elements in the order in which their results are taken: of their start or, with `asCompleted`, of their end. */
	private readonly queue: Array<{ isDone: boolean; value?: R }> = [];
	/** Elements whose result is not taken yet. */
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

	/** Yields results until at most `left` elements are in work. @throws the failure: then other results may be incomplete */
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
