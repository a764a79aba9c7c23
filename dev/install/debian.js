/**
 * Installation of programs that npm does not have: those on this machine, else Debian's packages.
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
const works = ([file, ...args]) => spawnSync(file, args, { stdio: 'ignore', env: cleanEnvironment() }).status === 0;

/** Set to anything, it keeps us from installing. */
const REFUSED = 'NO_APT_GET';

/**
 * Returns what `find` finds. If it finds nothing, installs `packages` first, as root or with sudo, unless `NO_APT_GET` is set.
 * @template T
 * @param {() => T | undefined} find
 * @param {{ what: string, packages: string[], services?: string[], log: (line: string) => void }} options
 *   `what` in a sentence: "The browser test needs …"; `services`: those that the packages start and that are not needed here
 * @returns {Promise<T>}
 */
async function findOrInstall(find, { what, packages, services = [], log }) {
	const found = find();
	if (found) return found;

	const names = packages.join(' ');
	const byHand = `${what}. Install them (Debian, Ubuntu: sudo apt-get install ${names}) and run this again.`;
	const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '--non-interactive'];
	const apt = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
	if (process.env[REFUSED] || !works([...apt, '--version'])) throw new ReadableError(byHand);

	return await withLock(path.join(CACHE, 'debian.lock'), log, async (onStart) => {
		const meanwhile = find();
		if (meanwhile) return meanwhile; // Another process has installed it during the wait.
		log(
			`${what}. Debian's ${names} will be installed with apt-get, as root (a minute or two, this once). ` +
				`To refuse, press Ctrl-C and set ${REFUSED}=1`,
		);
		for (const args of [['update'], ['install', '--yes', '--no-upgrade', '--no-install-recommends', ...packages]]) {
			const logFile = path.join(CACHE, `apt-get-${args[0]}.log`);
			await run(`apt-get ${args[0]} (${names})`, [...apt, ...args], {
				cwd: CACHE,
				env: cleanEnvironment(),
				logFile,
				onStart,
			});
		}
		endServices(services, asRoot, log);
		const installed = find();
		if (!installed) throw new ReadableError(byHand);
		return installed;
	});
}

/** @param {string[]} services @param {string[]} asRoot @param {(line: string) => void} log */
function endServices(services, asRoot, log) {
	// Where there is no systemd, as in a container, a package may still have started something.
	const ends = (/** @type {string} */ name) =>
		works([...asRoot, 'systemctl', 'disable', '--now', name]) || works([...asRoot, 'service', name, 'stop']);
	const ended = services.filter(ends);
	const left = services.filter((name) => !ended.includes(name));
	if (ended.length) log(`Stopped and disabled, because it is not needed here: the service ${ended.join(', ')}`);
	if (left.length) log(`The package may have started the service ${left.join(', ')}, which is not needed here`);
}

module.exports = { findOrInstall, findProgram };
