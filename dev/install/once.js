/**
 * Cached work: runs once, however many commands start together; interrupted work does not count as done.
 * Check the stamp, take the lock, check again, run, write the stamp.
 */
const path = require('node:path');
const { CACHE } = require('../paths');
const { withLock } = require('./lock');
const { isStamped, stamped } = require('./stamp');

/**
 * @typedef {{
 *   name: string,
 *   stamp: string,
 *   hash: () => string,
 *   isThere?: () => boolean,
 *   log?: (line: string) => void,
 * }} Task `name` of the lock; `stamp`: the file that says it is done; `hash` of everything the result depends on;
 * `isThere`: whether the result still exists
 *
 * @param {Task} task
 * @param {(holdFor: (pid: number) => void) => Promise<unknown>} work
 */
async function once({ name, stamp, hash, isThere = () => true, log = console.log }, work) {
	const isDone = () => isStamped(stamp, hash()) && isThere();
	if (isDone()) return;
	await withLock(path.join(CACHE, `${name}.lock`), log, async (holdFor) => {
		if (isDone()) return; // Another process has done it during the wait.
		await stamped(stamp, hash(), async () => await work(holdFor));
	});
}

module.exports = { once };
