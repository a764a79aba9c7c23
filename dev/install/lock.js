/**
 * Installation lock: a folder that holds the ids of the processes working under it. When all of them are gone (killed, power cut),
 * the lock is stale and the next process removes it.
 */
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const OWNERS = 'owners';

/**
 * Linux: a zombie, ended but not reaped. In a container without an init process it can stay one.
 * @param {number} pid
 */
function isZombie(pid) {
	try {
		return /^State:\s*Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
	} catch {
		return false;
	}
}

/** @param {number} pid */
function isRunning(pid) {
	try {
		process.kill(pid, 0);
		return !isZombie(pid);
	} catch (error) {
		return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
	}
}

/**
 * @param {string} folder
 * @returns {number[]} the processes that hold the lock and still run
 */
function livingOwners(folder) {
	try {
		const pids = fs.readFileSync(path.join(folder, OWNERS), 'utf8').split('\n').filter(Boolean).map(Number);
		return pids.filter(isRunning);
	} catch {
		return [];
	}
}

/**
 * Takes the lock in one step: a folder that already names its owner is moved into place, which fails when one is there.
 * @param {string} folder
 */
function tryToTake(folder) {
	fs.mkdirSync(path.dirname(folder), { recursive: true });
	const prepared = fs.mkdtempSync(`${folder}-`);
	fs.writeFileSync(path.join(prepared, OWNERS), `${process.pid}\n`);
	try {
		fs.renameSync(prepared, folder);
		return true;
	} catch (error) {
		fs.rmSync(prepared, { recursive: true, force: true });
		if (fs.existsSync(folder)) return false;
		throw error;
	}
}

/**
 * Moves a lock away before deleting it, so that no process ever sees half of one.
 * @param {string} folder
 */
function clear(folder) {
	const discarded = `${folder}-${process.pid}-${Date.now()}`;
	try {
		fs.renameSync(folder, discarded);
		// Another process may have cleared and taken the lock between the check and the move: give its lock back.
		if (livingOwners(discarded).some((pid) => pid !== process.pid)) fs.renameSync(discarded, folder);
		fs.rmSync(discarded, { recursive: true, force: true });
	} catch {
		// Another process cleared it.
	}
}

/**
 * @template T
 * @param {string} folder
 * @param {(line: string) => void} log
 * @param {(holdFor: (pid: number) => void) => Promise<T>} work gets a function that adds a child process to the owners:
 *   a child that outlives us keeps the lock until it is done
 * @returns {Promise<T>}
 */
async function withLock(folder, log, work) {
	for (let waited = false; !tryToTake(folder); waited = true) {
		const owners = livingOwners(folder);
		if (owners.length === 0) clear(folder);
		else {
			if (!waited)
				log(`Waiting for another installation (process ${owners.join(', ')}). If there is none, delete ${folder}`);
			await sleep(300);
		}
	}
	try {
		return await work((pid) => fs.appendFileSync(path.join(folder, OWNERS), `${pid}\n`));
	} finally {
		fs.rmSync(folder, { recursive: true, force: true });
	}
}

module.exports = { isRunning, withLock };
