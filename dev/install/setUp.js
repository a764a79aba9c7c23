/**
 * Puts in place what a command needs, when it is not there: dev/setup.js as a program, so that it is done when this returns and
 * what was installed can be required in the next line.
 */
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { ROOT } = require('../paths');

/**
 * Ends the process when that fails; why has been said by then.
 * @param {Array<'build' | 'host' | 'browser'>} parts beside the development tools, see dev/setup.js
 */
function setUp(...parts) {
	// Ctrl-C goes to both: setup repairs or explains, and its status is what counts here.
	const wait = () => {};
	process.on('SIGINT', wait);
	const { status } = spawnSync(process.execPath, [join(ROOT, 'dev', 'setup.js'), ...parts.map((part) => `--${part}`)], {
		stdio: 'inherit',
	});
	process.off('SIGINT', wait);
	if (status !== 0) process.exit(status ?? 130);
}

module.exports = { setUp };
