/**
 * A plain table for the terminal.
 */

/** The first line of `rows` is its head. @param {unknown[][]} rows */
function table(rows) {
	const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
	const line = (/** @type {unknown[]} */ row) =>
		row
			.map((cell, column) => String(cell).padEnd(widths[column]))
			.join('  ')
			.trimEnd();
	return [line(rows[0]), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.slice(1).map(line)].join('\n');
}

module.exports = { table };
