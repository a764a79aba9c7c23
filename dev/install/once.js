/**
 * Work whose result stays: done once, however many commands start together, and never taken for done when it broke off.
 * Look at the stamp, take the lock, look again, do it, stamp it.
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
 * `isThere`: what somebody may have deleted is still there
 *
 * @param {Task} task
 * @param {(holdFor: (pid: number) => void) => Promise<unknown>} work
 */
async function once({ name, stamp, hash, isThere = () => true, log = console.log }, work) {
	const isDone = () => isStamped(stamp, hash()) && isThere();
	if (isDone()) return;
	await withLock(path.join(CACHE, `${name}.lock`), log, async (holdFor) => {
		if (isDone()) return; // The one we waited for has done it.
		await stamped(stamp, hash(), async () => await work(holdFor));
	});
}

module.exports = { once };
