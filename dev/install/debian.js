/**
 * Programs that npm does not have: looked for on this machine, else installed as Debian's packages.
 */
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { run } = require('./command');
const { cleanEnvironment } = require('./cleanEnvironment');
const { ReadableError } = require('./failure');
const { withLock } = require('./lock');
const { CACHE } = require('../paths');

/**
 * @param {string} name
 * @param {string[]} [before] folders to look in before those of the PATH
 * @returns {string | undefined}
 */
function findProgram(name, before = []) {
	const folders = [...before, ...(process.env.PATH ?? '').split(path.delimiter).filter(Boolean)];
	return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
}

/** @param {string[]} command */
const works = ([file, ...args]) => spawnSync(file, args, { stdio: 'ignore' }).status === 0;

/**
 * What `find` finds, if need be after `packages` were installed, as root or with sudo.
 * @template T
 * @param {() => T | undefined} find
 * @param {{ what: string, packages: string[], log: (line: string) => void }} options `what` in a sentence: "The browser test needs …"
 * @returns {Promise<T>}
 */
async function findOrInstall(find, { what, packages, log }) {
	const found = find();
	if (found) return found;

	const names = packages.join(' ');
	const byHand = `${what}. Install them (Debian, Ubuntu: sudo apt-get install ${names}) and run this again.`;
	const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '--non-interactive'];
	const apt = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
	if (!works([...apt, '--version'])) throw new ReadableError(byHand);

	return await withLock(path.join(CACHE, 'debian.lock'), log, async (onStart) => {
		const meanwhile = find();
		if (meanwhile) return meanwhile; // The one we waited for has done it.
		log(`Installing with apt-get: ${names} (a minute or two, this once)`);
		for (const args of [['update'], ['install', '--yes', '--no-upgrade', '--no-install-recommends', ...packages]]) {
			const logFile = path.join(CACHE, `apt-get-${args[0]}.log`);
			await run(`apt-get ${args[0]} (${names})`, [...apt, ...args], {
				cwd: CACHE,
				env: cleanEnvironment(),
				logFile,
				onStart,
			});
		}
		const installed = find();
		if (!installed) throw new ReadableError(byHand);
		return installed;
	});
}

module.exports = { findOrInstall, findProgram };
