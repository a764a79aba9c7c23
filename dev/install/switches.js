/**
 * Switches of our programs: parseArgs of `node:util` reads them, and `--help` prints a text. Both work before anything is installed, so
 * a program reads its switches first.
 */
require('./nodeVersion');

/**
 * Exits at `--help` (0), and at a switch that is not there or has no value (2).
 * @template {{ help?: boolean }} T
 * @param {string} help the command, what it does, and a line for each switch
 * @param {() => { values: T }} parse calls parseArgs
 * @returns {T}
 */
function readSwitches(help, parse) {
	try {
		const { values } = parse();
		if (!values.help) return values;
		console.log(help);
		return process.exit(0);
	} catch (error) {
		console.error(`${error.message}\n\n${help}`);
		return process.exit(2);
	}
}

/** @param {string} name @param {string | undefined} given @returns {number} */
function numberOf(name, given) {
	if (/^\d+$/.test(given ?? '')) return Number(given);
	console.error(`--${name} takes a number`);
	return process.exit(2);
}

module.exports = { numberOf, readSwitches };
