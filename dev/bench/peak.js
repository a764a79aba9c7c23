/**
 * How much memory something takes while it is done. For a process of its own with `--expose-gc`, so that nothing else is counted.
 */

/**
 * The heap at its highest, garbage included, above what it was before; in bytes.
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
