/**
 * Numbers, times and tables as docs/scale.md has them.
 */

const HOUR = 3600;

/** Two digits are as much as a model knows. @param {number} number */
const about = (number) => Number(number.toPrecision(2)).toLocaleString('en');

/** @param {number} seconds */
function time(seconds) {
	if (seconds < 100) return `${Math.ceil(seconds)} s`;
	if (seconds < 100 * 60) return `${about(seconds / 60)} min`;
	if (seconds < 48 * HOUR) return `${about(seconds / HOUR)} h`;
	return `${about(seconds / 24 / HOUR)} days`;
}

/** @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
	const [first, ...others] = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
	return [first, `|${head.map(() => '---|').join('')}`, ...others].join('\n');
}

module.exports = { about, table, time };
