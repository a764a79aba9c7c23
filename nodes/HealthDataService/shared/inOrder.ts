/**
 * Works on several things at once and gives the results in the order of the things.
 */

/**
 * Runs `work` for what `source` gives, at most `width` at a time, and yields the results in order. Whoever stops reading,
 * or fails, ends it: the source is read no further, and `isOver` tells the work that is still going on.
 */
export async function* inOrder<T, R>(
	source: AsyncIterable<T>,
	width: number,
	work: (one: T, isOver: () => boolean) => Promise<R>,
): AsyncGenerator<R> {
	const started: Array<Promise<R>> = [];
	let over = false;
	try {
		for await (const one of source) {
			started.push(quietly(work(one, () => over)));
			if (started.length >= width) yield await started.shift()!;
		}
		while (started.length > 0) yield await started.shift()!;
	} finally {
		over = true;
	}
}

/** A promise whose failure may be looked at later, or never. */
export function quietly<T>(promise: Promise<T>): Promise<T> {
	promise.catch(() => undefined);
	return promise;
}
