/**
 * Temporary folders, each named after the process that made it. Making one removes those of processes that are gone.
 */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { isRunning } = require('./lock');

const OWNER = /^health-data-service-(\d+)-/;

/** An empty folder. The caller removes it. */
function temporaryFolder() {
	for (const name of fs.readdirSync(os.tmpdir())) {
		const [, pid] = OWNER.exec(name) ?? [];
		if (pid && !isRunning(Number(pid))) remove(path.join(os.tmpdir(), name));
	}
	return fs.mkdtempSync(path.join(os.tmpdir(), `health-data-service-${process.pid}-`));
}

/** @param {string} folder */
const remove = (folder) => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** Default compile caches of tools. */
const CACHES = /^(tsx-\w+|node-compile-cache)$/;

/**
 * Runs work with a temporary folder of its own, which is also its user cache folder, and removes the folder afterwards. Files left
 * in it are a failure.
 * @param {(env: Record<string, string>) => number | Promise<number>} work gets the variables that name the folder, returns a status
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
