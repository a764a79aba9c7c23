/**
 * Runs one of the programs beside this that measure something in a process of their own, and gives what it printed.
 */
const { execFileSync } = require('node:child_process');

/** @param {string} program such as './memory' @param {object} [options] */
function measureAlone(program, options = {}) {
	const args = ['--expose-gc', require.resolve(program), JSON.stringify(options)];
	const printed = execFileSync(process.execPath, args, { encoding: 'utf8' });
	console.log(`\n${program} ${printed}`);
	return JSON.parse(printed);
}

module.exports = { measureAlone };
