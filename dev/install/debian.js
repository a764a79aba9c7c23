/** Installation of programs that npm does not have: those on this machine, else Debian's packages. */
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { cleanEnvironment } = require('./cleanEnvironment');
const { ReadableError, run } = require('./command');
const { inTurn } = require('./once');
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
const works = ([file, ...args]) => spawnSync(file, args, { stdio: 'ignore', env: cleanEnvironment() }).status === 0;

/**
 * Returns what `find` finds. If it finds nothing, installs `packages` first, as root or with sudo, unless `NO_APT_GET` is set.
 * @template T
 * @param {() => T | undefined} find
 * @param {{ what: string, packages: string[] }} options `what` in a sentence: "The browser test needs …"
 * @returns {Promise<T>}
 */
async function findOrInstall(find, { what, packages }) {
	const names = packages.join(' ');
	const byHand = `${what}. Install them (Debian, Ubuntu: sudo apt-get install ${names}) and run this again.`;
	const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '--non-interactive'];
	const apt = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
	const install = async () => {
		if (find()) return; // Another process has installed it during the wait.
		console.log(
			`${what}. Debian's ${names} will be installed with apt-get, as root (a minute or two, this once). ` +
				'To refuse, press Ctrl-C and set NO_APT_GET=1',
		);
		await run(`apt-get update (${names})`, [...apt, 'update'], { cwd: CACHE });
		const options = ['--yes', '--no-upgrade', '--no-install-recommends'];
		await run(`apt-get install (${names})`, [...apt, 'install', ...options, ...packages], { cwd: CACHE });
	};
	if (!find()) {
		if (process.env.NO_APT_GET || !works([...apt, '--version'])) throw new ReadableError(byHand);
		await inTurn('debian', console.log, install);
	}
	const found = find();
	if (!found) throw new ReadableError(byHand);
	return found;
}

module.exports = { findOrInstall, findProgram };
