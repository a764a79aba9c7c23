/**
 * The browser of the browser test: a Chromium or Chrome on the PATH, else Debian's, installed with apt-get.
 */
const fs = require('node:fs');
const path = require('node:path');
const { run } = require('./lib/command');
const { cleanEnvironment } = require('./lib/environment');
const { ReadableError } = require('./lib/failure');
const { CACHE, HOST } = require('./lib/paths');

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const HINT = 'Install Chromium (Debian: apt-get install chromium) or put a Chrome on the PATH.';

/**
 * @param {string[]} names
 * @returns {string | undefined} the first that the PATH has
 */
function onPath(names) {
	const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
	const files = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
	return files.find((file) => fs.existsSync(file));
}

const findBrowser = () => onPath(BROWSERS);

/** @param {{ log?: (line: string) => void }} [options] */
async function installBrowser({ log = console.log } = {}) {
	if (findBrowser()) return;
	if (!onPath(['apt-get'])) throw new ReadableError(`The browser test needs a browser. ${HINT}`);

	log('Installing Chromium with apt-get (about 300 MB, this once)');
	const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
	for (const command of [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']]) {
		const env = cleanEnvironment({ DEBIAN_FRONTEND: 'noninteractive' });
		const logFile = path.join(CACHE, `apt-get-${command[0]}.log`);
		await run(`Installing Chromium (apt-get ${command[0]})`, [...asRoot, 'apt-get', ...command], { cwd: HOST, env, logFile });
	}
	if (!findBrowser()) throw new ReadableError(`apt-get gave no Chromium. ${HINT}`);
}

module.exports = { findBrowser, installBrowser };
