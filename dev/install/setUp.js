/**
 * Installation of what a command needs: runs dev/setup.js as a child process, so that what it installs can be required in the
 * next line.
 */
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { ROOT } = require('../paths');

/**
 * Exits when that fails; setup has printed the reason by then.
 * @param {Array<'--build' | '--host' | '--browser'>} parts beside the development tools, see dev/setup.js
 */
function setUp(...parts) {
	const { status } = spawnSync(process.execPath, [join(ROOT, 'dev', 'setup.js'), ...parts], { stdio: 'inherit' });
	if (status !== 0) process.exit(status ?? 130);
}

module.exports = { setUp };
