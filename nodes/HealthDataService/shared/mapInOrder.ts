/**
 * Works on several things at once and gives the results in the order of the things.
 */

interface MapOptions {
	/** How many are worked on at a time. */
	width: number;
	/** How many may be started before the first of them is done; those that are done wait for their turn. */
	ahead?: number;
	/** Once it says so nothing is begun any more, and what is done so far comes. */
	isTimeUp?: () => boolean;
}

/**
 * Runs `work` for what `source` gives and yields the results in order. Whoever stops reading ends it, and so does the first
 * failure, at once: the source is read no further, and `isCancelled` tells the work that is still going on.
 */
export async function* mapInOrder<T, R>(
	source: AsyncIterable<T>,
	{ width, ahead = width, isTimeUp = () => false }: MapOptions,
	work: (one: T, isCancelled: () => boolean) => Promise<R>,
): AsyncGenerator<R> {
	const waiting: Array<{ result?: { value: R } }> = [];
	let next = 0;
	let inWork = 0;
	let failure: { error: Error } | undefined;
	let over = false;
	/** Set before `wake` is called: what is done while nobody waits yet must not be waited for. */
	let hasNews = false;
	let wake = () => {};

	async function start(one: T) {
		const place: (typeof waiting)[number] = {};
		waiting.push(place);
		inWork++;
		try {
			place.result = { value: await work(one, () => over || failure !== undefined) };
		} catch (error) {
			failure ??= { error };
		}
		inWork--;
		hasNews = true;
		wake();
	}
	function* inTurn() {
		// After a failure, work may have stopped half-way.
		for (; !failure && waiting[next]?.result; next++) {
			yield waiting[next].result!.value;
			waiting[next] = {};
		}
		if (failure) throw failure.error;
	}
	async function somethingIsDone() {
		if (!hasNews) await new Promise<void>((resolve) => (wake = resolve));
		hasNews = false;
	}

	try {
		for await (const one of source) {
			if (isTimeUp()) return yield* inTurn();
			void start(one);
			yield* inTurn();
			while (inWork >= width || waiting.length - next >= ahead) {
				if (isTimeUp()) return;
				await somethingIsDone();
				yield* inTurn();
			}
		}
		for (yield* inTurn(); next < waiting.length && !isTimeUp(); yield* inTurn()) await somethingIsDone();
	} finally {
		over = true;
	}
}

/** A promise whose failure may be looked at later, or never. */
export function quietly<T>(promise: Promise<T>): Promise<T> {
	promise.catch(() => undefined);
	return promise;
}
