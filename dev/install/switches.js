/**
 * Command-line parser of our own programs. `--help` prints what the command does and its switches; an unknown switch prints
 * one line with that list. Both work before anything is installed, so a program calls this first.
 */
require('./nodeVersion');
const { parseArgs } = require('node:util');

/**
 * @typedef {{
 *   type: 'string' | 'number' | 'boolean',
 *   about: string,
 *   value?: string,
 *   default?: string | number,
 *   multiple?: true,
 * }} Switch `value`: what it takes, as the help names it: PORT; `multiple`: texts only
 */
/**
 * @template {Switch} S
 * @typedef {S['type'] extends 'boolean' ? boolean
 *   : S extends { multiple: true } ? string[]
 *   : (S['type'] extends 'number' ? number : string) | (S extends { default: string | number } ? never : undefined)} Value
 */
/**
 * @typedef {{ name: string, about: string }} Command `name`: how it is called; `about`: what it does, a sentence or a few lines
 */

const HELP = /** @type {const} */ ({ type: 'boolean', about: 'show this' });

/**
 * Exits at `--help` (0) and at an unknown switch (2).
 * @template {Record<string, Switch>} T
 * @param {Command & { switches?: T }} command
 * @param {string[]} [args]
 * @returns {{ [Name in keyof T]: Value<T[Name]> }}
 */
function readSwitches(command, args = process.argv.slice(2)) {
	const { name } = command;
	/** @type {Record<string, Switch>} */
	const switches = { ...command.switches, help: HELP };
	const values = parsed(name, switches, args);
	if (values.help) {
		console.log(help(command, switches));
		process.exit(0);
	}
	return /** @type {{ [Name in keyof T]: Value<T[Name]> }} */ (values);
}

/**
 * @param {string} name
 * @param {Record<string, Switch>} switches
 * @param {string[]} args
 * @returns {Record<string, unknown>}
 */
function parsed(name, switches, args) {
	const options = Object.fromEntries(
		Object.entries(switches).map(([key, { type, multiple = false }]) => [
			key,
			{ type: type === 'boolean' ? type : /** @type {const} */ ('string'), multiple },
		]),
	);
	try {
		const { values } = parseArgs({ args, options });
		return Object.fromEntries(
			Object.entries(switches).map(([key, one]) => [key, valueOf(key, one, values[key] ?? one.default)]),
		);
	} catch (error) {
		// Only the first sentence of Node's error: the others advise a `--`, which npm has already removed.
		const [reason] = error.message.split(/\.\s/);
		const list = Object.keys(switches).map((key) => `--${key}`);
		console.error(`${name}: ${reason}. There are: ${list.join(', ')}`);
		process.exit(2);
	}
}

/** @param {string} key @param {Switch} one @param {unknown} given */
function valueOf(key, { type, multiple }, given) {
	if (type === 'boolean') return given === true;
	if (type === 'string' || given === undefined) return given ?? (multiple && []);
	const number = Number(given);
	if (given === '' || !(number >= 0)) throw new Error(`--${key} takes a number`);
	return number;
}

/** @param {Command} command @param {Record<string, Switch>} switches */
function help({ name, about }, switches) {
	const rows = Object.entries(switches).map(([key, { type, value, default: usual, about: what }]) => {
		const takes = type === 'boolean' ? '' : ` ${value ?? (type === 'number' ? 'N' : 'TEXT')}`;
		return [`--${key}${takes}`, usual === undefined ? what : `${what} (${usual})`];
	});
	const width = Math.max(...rows.map(([left]) => left.length));
	const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
	return [name, about, lines.join('\n')].join('\n\n');
}

module.exports = { readSwitches };
