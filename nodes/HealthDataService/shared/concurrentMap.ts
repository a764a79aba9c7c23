/**
 * Concurrent map: works on several elements at once, and yields the results in the order of the elements or as they are completed.
 */

interface MapOptions {
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
	/** What is yielded next: from the start of an element on, or as completed from its end on. */
	const queue: Array<{ result?: { value: R | undefined } }> = [];
	/** Elements started, less the results taken from the queue. */
	let pending = 0;
	let failure: { error: Error } | undefined;
	let sourceFailure: { error: Error } | undefined;
	let isEnded = false;
	/** Whether an element finished since the last wait: it may finish before the wait begins. */
	let hasNews = false;
	let wake = () => {};

	async function start(one: T) {
		const slot: (typeof queue)[number] = {};
		pending++;
		if (!asCompleted) queue.push(slot);
		try {
			slot.result = { value: await work(one, () => isEnded || failure !== undefined) };
		} catch (error) {
			failure ??= { error };
		}
		if (asCompleted) queue.push(slot);
		hasNews = true;
		wake();
	}
	function* finished() {
		// After a failure, cancelled work may have incomplete results.
		while (!failure && queue[0]?.result) {
			const { value } = queue.shift()!.result!;
			pending--;
			if (value !== undefined) yield value;
		}
		if (failure) throw failure.error;
	}
	async function nextFinished() {
		if (!hasNews) await new Promise<void>((resolve) => (wake = resolve));
		hasNews = false;
	}
	async function* elements() {
		try {
			yield* source;
		} catch (error) {
			if (asCompleted) sourceFailure = { error };
			else failure ??= { error };
		}
	}

	try {
		for await (const one of elements()) {
			if (isTimeUp()) break;
			void start(one);
			for (yield* finished(); pending >= width; yield* finished()) await nextFinished();
			if (isTimeUp()) break;
		}
		for (yield* finished(); pending > 0; yield* finished()) await nextFinished();
		if (sourceFailure) throw sourceFailure.error;
	} finally {
		isEnded = true;
	}
}

/** Marks a rejection as handled: the promise may be awaited later, or never. */
export function quietly<T>(promise: Promise<T>): Promise<T> {
	promise.catch(() => undefined);
	return promise;
}
