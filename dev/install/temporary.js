/**
 * Folders in the machine's temporary folder. Each names the process that made it: so what a killed one left is known, and goes
 * when the next is made.
 */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { isRunning } = require('./lock');

const OWNER = /^health-data-service-(\d+)-/;

/** An empty one. Who asks for it removes it. */
function temporaryFolder() {
	for (const name of fs.readdirSync(os.tmpdir())) {
		const [, pid] = OWNER.exec(name) ?? [];
		if (pid && !isRunning(Number(pid))) remove(path.join(os.tmpdir(), name));
	}
	return fs.mkdtempSync(path.join(os.tmpdir(), `health-data-service-${process.pid}-`));
}

/** @param {string} folder */
const remove = (folder) => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** Tools keep what they compiled where nobody told them otherwise. */
const CACHES = /^(tsx-\w+|node-compile-cache)$/;

/**
 * Runs something with a temporary folder of its own, which is also its folder for caches of the user, and is removed afterwards
 * with all that is in it. Anything left there is a failure.
 * @param {(env: Record<string, string>) => number | Promise<number>} work gets the variables that name the folder, gives a status
 * @returns {Promise<number>} the status
 */
async function leavingNothing(work) {
	const folder = temporaryFolder();
	const status = await work({ TMPDIR: folder, TEMP: folder, TMP: folder, XDG_CACHE_HOME: folder });
	const left = fs.readdirSync(folder).filter((name) => !CACHES.test(name));
	remove(folder);
	if (left.length === 0) return status;
	console.error(`\nFailed: left behind in the temporary folder: ${left.join(', ')}`);
	return status || 1;
}

module.exports = { leavingNothing, remove, temporaryFolder };
