/**
 * Ordered concurrent map: works on several elements at once and yields the results in the order of the elements.
 */

interface MapOptions {
	/** Elements in work at a time. */
	width: number;
	/** Elements in work or finished before the next result is yielded. Default: `width`. */
	ahead?: number;
	/** Once true, no element is started, and the results so far are yielded. */
	isTimeUp?: () => boolean;
}

/**
 * Runs `work` for each element of `source`. When the consumer stops or an element fails, the source is read no further, and
 * `isCancelled` tells the running work.
 *
 * @throws the first error of `work`, without waiting for earlier elements
 */
export async function* mapInOrder<T, R>(
	source: AsyncIterable<T>,
	{ width, ahead = width, isTimeUp = () => false }: MapOptions,
	work: (one: T, isCancelled: () => boolean) => Promise<R>,
): AsyncGenerator<R> {
	const slots: Array<{ result?: { value: R } }> = [];
	/** Of the next result. */
	let next = 0;
	let inWork = 0;
	let failure: { error: Error } | undefined;
	let isEnded = false;
	/** Whether an element finished since the last wait: it may finish before the wait begins. */
	let hasNews = false;
	let wake = () => {};

	async function start(one: T) {
		const slot: (typeof slots)[number] = {};
		slots.push(slot);
		inWork++;
		try {
			slot.result = { value: await work(one, () => isEnded || failure !== undefined) };
		} catch (error) {
			failure ??= { error };
		}
		inWork--;
		hasNews = true;
		wake();
	}
	function* finished() {
		// After a failure, cancelled work may have incomplete results.
		for (; !failure && slots[next]?.result; next++) {
			yield slots[next].result!.value;
			slots[next] = {};
		}
		if (failure) throw failure.error;
	}
	async function nextFinished() {
		if (!hasNews) await new Promise<void>((resolve) => (wake = resolve));
		hasNews = false;
	}

	try {
		for await (const one of source) {
			if (isTimeUp()) return yield* finished();
			void start(one);
			yield* finished();
			while (inWork >= width || slots.length - next >= ahead) {
				if (isTimeUp()) return;
				await nextFinished();
				yield* finished();
			}
		}
		for (yield* finished(); next < slots.length && !isTimeUp(); yield* finished()) await nextFinished();
	} finally {
		isEnded = true;
	}
}

/** Marks a rejection as handled: the promise may be awaited later, or never. */
export function quietly<T>(promise: Promise<T>): Promise<T> {
	promise.catch(() => undefined);
	return promise;
}
