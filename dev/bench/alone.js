/**
 * Runner for the measuring programs of this folder: starts one in a process of its own and returns its output.
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
