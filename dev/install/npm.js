/** Installation of what the package-lock.json of a folder says. Neither it nor package.json changes. */
const { NETWORK, run } = require('./command');

const INSTALL = 'install --no-save --no-audit --no-fund --no-update-notifier --fetch-retries=2'.split(' ');
const PING = 'ping --fetch-retries=0 --fetch-timeout=10000'.split(' ');

/** Not every registry supports a ping: an error status is an answer, too. @param {string} folder its npm settings name the registry */
async function isRegistryReachable(folder) {
	let output = '';
	const onLine = (/** @type {string} */ line) => (output += line);
	await run('npm ping', ['npm', ...PING], { cwd: folder, onLine }).catch(() => undefined);
	return !NETWORK.test(output);
}

/**
 * @param {string} what for the error: "Installing the scanner"
 * @param {{ folder: string, log: (line: string) => void, flags?: string[] }} options
 */
async function installWithNpm(what, { folder, log, flags = [] }) {
	const command = ['npm', ...INSTALL, ...flags];
	// Without a network npm asks in vain for a thousand packages, for minutes. `--offline` takes them from its cache or fails at once.
	if (!(await isRegistryReachable(folder))) {
		log('  The npm registry cannot be reached: trying with what npm has in its cache');
		command.push('--offline');
	}
	await run(what, command, { cwd: folder, usesRegistry: true });
}

module.exports = { installWithNpm };
