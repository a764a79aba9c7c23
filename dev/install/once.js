/**
 * Work that is done once, however many commands start together, and done again when a file that it depends on has changed. A stamp
 * file holds the hash of these files: written last and removed first, so that interrupted work counts as not done.
 */
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { CACHE } = require('../paths');

/** @param {string[]} files */
function hashOf(files) {
	const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
	for (const file of files) hash.update(`\0${path.relative(CACHE, file)}\0`).update(fs.readFileSync(file));
	return hash.digest('hex');
}

/** @param {number} pid */
function isRunning(pid) {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return error.code === 'EPERM';
	}
}

/**
 * One process after the other: each puts a file with its time and id into a folder, and the oldest one that runs goes first. One that
 * was killed blocks nobody, and there is no lock that two could take away at once.
 * @param {string} name
 * @param {(line: string) => void} log
 * @param {() => Promise<void>} work
 */
async function inTurn(name, log, work) {
	const queue = path.join(CACHE, `${name}.queue`);
	fs.mkdirSync(queue, { recursive: true });
	const own = `${Date.now()}-${process.pid}`;
	fs.writeFileSync(path.join(queue, own), '');
	const leave = () => fs.rmSync(path.join(queue, own), { force: true });
	process.on('exit', leave);
	const first = () =>
		fs
			.readdirSync(queue)
			.sort()
			.find((one) => isRunning(Number(one.split('-')[1])));
	for (let waits = 0; ; waits++) {
		// Before the first look, too: another process may be writing an older name.
		await sleep(100);
		const next = first();
		if (next === own) break;
		if (waits === 0)
			log(`Waiting for process ${next?.split('-')[1]}, which installs the same. If it does not, delete ${queue}`);
	}
	await work().finally(leave);
	process.off('exit', leave);
}

/**
 * @param {{ name: string, stamp: string, files: () => string[], isThere?: () => boolean, log?: (line: string) => void }} task `name`:
 *   of the queue; `files` that the result depends on; `isThere`: whether the result still exists
 * @param {() => Promise<void>} work
 */
async function once({ name, stamp, files, isThere = () => true, log = console.log }, work) {
	const isDone = () => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hashOf(files()) && isThere();
	if (isDone()) return;
	await inTurn(name, log, async () => {
		if (isDone()) return; // Another process has done it during the wait.
		fs.rmSync(stamp, { force: true });
		const hash = hashOf(files());
		await work();
		fs.mkdirSync(path.dirname(stamp), { recursive: true });
		fs.writeFileSync(stamp, hash);
	});
}

const isFile = (/** @type {string} */ file) => fs.statSync(file).isFile();

/** @param {string} folder @returns {string[]} all files below it */
const filesIn = (folder) =>
	fs
		.readdirSync(folder, { encoding: 'utf8', recursive: true })
		.sort()
		.map((name) => path.join(folder, name))
		.filter(isFile);

module.exports = { filesIn, inTurn, isRunning, once };
