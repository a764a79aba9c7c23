/**
 * Concurrent maps: work on several elements at once, and yield the results in the order of the elements or as they are completed.
 */

interface MapOptions {
	/** Elements in work at a time; in order, finished ones that are not yielded yet count too. */
	width: number;
	/** Once true, no element is started. In order, the results so far are yielded; as completed, those in work are awaited. */
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
	{ width, isTimeUp = () => false }: MapOptions,
	work: (one: T, isCancelled: () => boolean) => Promise<R>,
): AsyncGenerator<R> {
	const slots: Array<{ result?: { value: R } }> = [];
	/** Of the next result. */
	let next = 0;
	let failure: { error: Error } | undefined;
	let isEnded = false;
	/** Whether an element finished since the last wait: it may finish before the wait begins. */
	let hasNews = false;
	let wake = () => {};

	async function start(one: T) {
		const slot: (typeof slots)[number] = {};
		slots.push(slot);
		try {
			slot.result = { value: await work(one, () => isEnded || failure !== undefined) };
		} catch (error) {
			failure ??= { error };
		}
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
			while (slots.length - next >= width) {
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

/**
 * As `mapInOrder`, but a slow element holds back no other one, and an undefined result is left out. When the source fails, the
 * elements in work are awaited first.
 *
 * @throws the first error of `work`, without waiting for the elements in work
 */
export async function* mapAsCompleted<T, R>(
	source: AsyncIterable<T>,
	{ width, isTimeUp = () => false }: MapOptions,
	work: (one: T, isCancelled: () => boolean) => Promise<R | undefined>,
): AsyncGenerator<R> {
	const completed: R[] = [];
	let inWork = 0;
	let failure: { error: Error } | undefined;
	let sourceFailure: { error: Error } | undefined;
	let isEnded = false;
	/** Whether an element finished since the last wait: it may finish before the wait begins. */
	let hasNews = false;
	let wake = () => {};

	async function start(one: T) {
		inWork++;
		try {
			const result = await work(one, () => isEnded || failure !== undefined);
			if (result !== undefined) completed.push(result);
		} catch (error) {
			failure ??= { error };
		}
		inWork--;
		hasNews = true;
		wake();
	}
	function* results() {
		// After a failure, cancelled work may have incomplete results.
		while (!failure && completed.length > 0) yield completed.shift()!;
		if (failure) throw failure.error;
	}
	async function nextCompleted() {
		if (!hasNews) await new Promise<void>((resolve) => (wake = resolve));
		hasNews = false;
	}
	async function* elements() {
		try {
			yield* source;
		} catch (error) {
			sourceFailure = { error };
		}
	}

	try {
		for await (const one of elements()) {
			if (isTimeUp()) break;
			void start(one);
			yield* results();
			while (inWork >= width) {
				await nextCompleted();
				yield* results();
			}
			if (isTimeUp()) break;
		}
		for (yield* results(); inWork > 0 || hasNews; yield* results()) await nextCompleted();
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
