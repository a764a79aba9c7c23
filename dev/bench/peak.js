/**
 * Peak memory of a function, for a process of its own with `--expose-gc`, so that only this is counted.
 */

/**
 * The highest growth of the heap, garbage included, in bytes.
 * @template T
 * @param {() => Promise<T>} work
 */
async function peakWhile(work) {
	global.gc?.();
	const before = process.memoryUsage().heapUsed;
	let peak = before;
	const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().heapUsed)), 10);
	try {
		const result = await work();
		return { result, peak: peak - before };
	} finally {
		clearInterval(watch);
	}
}

module.exports = { peakWhile };
