/** Installation of what the package-lock.json of a folder says. Neither it nor package.json changes. */
const { run } = require('./command');

const INSTALL = [
	...['install', '--no-save', '--no-audit', '--no-fund', '--no-update-notifier'],
	// What npm has in its cache needs no network. Without one, the rest fails after a minute or two.
	...['--prefer-offline', '--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'],
];

/** @param {string} what for the error: "Installing the scanner" @param {string} folder @param {string[]} [flags] */
const installWithNpm = async (what, folder, flags = []) =>
	await run(what, ['npm', ...INSTALL, ...flags], { cwd: folder, usesRegistry: true });

module.exports = { installWithNpm };
