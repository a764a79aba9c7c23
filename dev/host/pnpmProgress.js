/**
 * Progress filter: reduces pnpm's many progress lines to a few.
 */
const EVERY_MS = 5000;

/**
 * @param {(line: string) => void} log
 * @returns {(line: string) => void} feed it every line of `pnpm install --reporter=append-only`
 */
function pnpmProgress(log) {
	let total = '';
	let last = Date.now();
	const compiling = new Set();
	return (line) => {
		total = /^Packages: \+(\d+)/.exec(line)?.[1] ?? total;
		const counts = /^Progress: .*reused (\d+), downloaded (\d+), added (\d+)(, done)?/.exec(line);
		if (counts && (counts[4] || Date.now() - last >= EVERY_MS)) {
			last = Date.now();
			const [, reused, downloaded, added] = counts;
			log(
				`  ${added}${total && ` of ${total}`} packages in place (${downloaded} downloaded, ${reused} from pnpm's store)`,
			);
		}
		const compiled = /node_modules\/(sqlite3) install: gyp info spawn make/.exec(line)?.[1];
		if (compiled && !compiling.has(compiled)) {
			compiling.add(compiled);
			log(`  compiling ${compiled} (about 20 seconds)`);
		}
	};
}

module.exports = { pnpmProgress };
