/** Plain table of rows for the terminal, with times in the machine's time zone. */
const { DateTime } = require('luxon');

const MOST_LINES = 20;
const WIDEST_CELL = 40;

/** A text that the workflow wrote for a person: then it is the only column, in full length. */
const MESSAGE = 'text';
/** Long columns for machines. */
const HIDDEN = ['row_id', 'user_id'];

/** @param {unknown} value @param {string} timeZone */
function cell(value, timeZone) {
	const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
	const time = /^\d{4}-\d\d-\d\dT/.test(text) && DateTime.fromISO(text, { zone: 'utc' }).setZone(timeZone);
	if (time && time.isValid) return time.toFormat('yyyy-MM-dd HH:mm');
	return text.length > WIDEST_CELL ? `${text.slice(0, WIDEST_CELL - 1)}…` : text;
}

/** The newest first, where rows have a time. @param {Array<Record<string, unknown>>} rows @param {string} timeZone */
function table(rows, timeZone) {
	const newestFirst = [...rows].sort((a, b) => (String(a.timestamp ?? '') < String(b.timestamp ?? '') ? 1 : -1));
	const shown = (rows.every(({ timestamp }) => timestamp) ? newestFirst : rows).slice(0, MOST_LINES);
	const more = rows.length > shown.length ? [`… and ${rows.length - shown.length} more`] : [];
	if (shown.every((row) => typeof row[MESSAGE] === 'string'))
		return [...shown.map((row) => row[MESSAGE]), ...more].join('\n');

	const columns = [...new Set(shown.flatMap((row) => Object.keys(row)))].filter((name) => !HIDDEN.includes(name));
	const lines = [columns, ...shown.map((row) => columns.map((name) => cell(row[name], timeZone)))];
	const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at].length)));
	const padded = (/** @type {string[]} */ line) =>
		line
			.map((text, at) => text.padEnd(widths[at]))
			.join('  ')
			.trimEnd();
	const [head, ...body] = lines.map(padded);
	return [head, widths.map((width) => '─'.repeat(width)).join('  '), ...body, ...more].join('\n');
}

module.exports = { table };
