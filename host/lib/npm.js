/**
 * Finds npm and gives the command line that starts it. npm is a script; on Windows it cannot be spawned by name.
 */
const fs = require('node:fs');
const path = require('node:path');

/** No funding notes, no audit; fail within seconds rather than minutes when there is no network. */
const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier'];
const PATIENCE = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

/** @returns {string[]} */
function npmCommand() {
	const bin = path.dirname(process.execPath);
	const candidates = [
		// Set by npm itself in `npm run`; another package manager would name its own script here.
		process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined,
		path.join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
		path.join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
	];
	const script = candidates.find((file) => file !== undefined && fs.existsSync(file));
	if (script) return [process.execPath, script];
	return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/**
 * `npm install` that changes neither package.json nor package-lock.json.
 * @param {...string} more
 */
const npmInstall = (...more) => [...npmCommand(), 'install', '--no-save', ...QUIET, ...PATIENCE, ...more];

module.exports = { npmCommand, npmInstall };
