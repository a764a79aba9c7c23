/**
 * npm: its command line, and installations with it.
 */
const fs = require('node:fs');
const path = require('node:path');
const { run } = require('./command');
const { cleanEnvironment } = require('./cleanEnvironment');
const { ReadableError } = require('./failure');
const { CACHE } = require('../paths');

/** Neither package.json nor package-lock.json may change. Audits and funding notes are left out: they are not read here. */
const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund', '--no-update-notifier'];
const PATIENCE = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
const IMPATIENCE = ['--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-timeout=10000'];

/**
 * npm is a script; on Windows it cannot be spawned by name.
 * @returns {string[]} the command line that starts it
 */
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

/** @param {string} folder the project; its npm settings name the registry */
async function isRegistryReachable(folder) {
	const logFile = path.join(CACHE, 'npm-ping.log');
	try {
		await run('Asking the npm registry', [...npmCommand(), 'ping', ...IMPATIENCE], {
			cwd: folder,
			env: cleanEnvironment(),
			logFile,
			usesRegistry: true,
		});
		return true;
	} catch (error) {
		if (error instanceof ReadableError && error.signal) throw error;
		// Not every registry supports a ping; an error status from the registry is an answer, too.
		return !(error instanceof ReadableError && error.isNetwork);
	}
}

/**
 * Installs what a folder's package-lock.json says.
 * @param {string} what for the error: "Installing the scanner"
 * @param {{ folder: string, logFile: string, log: (line: string) => void, onStart: (pid: number) => void, flags?: string[] }} options
 */
async function installWithNpm(what, { folder, logFile, log, onStart, flags = [] }) {
	const command = [...npmCommand(), ...INSTALL, ...PATIENCE, ...flags];
	// Without a network npm asks in vain for a thousand packages, for minutes. `--offline` takes them from its cache or fails at once.
	if (!(await isRegistryReachable(folder))) {
		log('  The npm registry cannot be reached: trying with what npm has in its cache');
		command.push('--offline');
	}
	await run(what, command, { cwd: folder, env: cleanEnvironment(), logFile, usesRegistry: true, onStart });
}

module.exports = { installWithNpm, npmCommand };
