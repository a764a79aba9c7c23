/** Rows of the tables of dev/bench/results.md, each found again by its first cell. The text around them is written by hand. */
const { join } = require('node:path');
const { ROOT } = require('../paths');

const RESULTS = join(ROOT, 'dev', 'bench', 'results.md');

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
/** @param {number} number */
const whole = (number) => Math.round(number).toLocaleString('en');

/** @param {number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** @param {Pick<import('./contests').Contest, 'name' | 'goals'>} contest @param {Record<string, number>} ms @returns {string[]} its cells */
function comparison({ name, goals }, { ours, http, unlimited, axios }) {
	const faster = (/** @type {number | undefined} */ ms) => (ms === undefined ? '–' : `${(ms / ours).toFixed(1)}×`);
	const wanted = [goals.http && `at least ${goals.http}×`, goals.axios && `at most ${goals.axios}`];
	const times = [ours, http, unlimited, axios].map((ms) => (ms === undefined ? '–' : Math.round(ms)));
	return [
		name,
		faster(http),
		faster(unlimited),
		(ours / axios).toFixed(2),
		wanted.filter(Boolean).join(', '),
		times.join(' / '),
	];
}

/** @typedef {Record<'ms' | 'axiosMs' | 'helperMs' | 'requests' | 'peak' | 'stateMegabytes', number>} Polled */

/** @param {number} users @param {Polled} polled @returns {string[]} its cells */
const pollRow = (users, { ms, axiosMs, helperMs, requests, peak, stateMegabytes }) => [
	whole(users),
	...[axiosMs, helperMs].map((floor) => (ms / floor).toFixed(2)),
	...[ms, axiosMs, helperMs].map(seconds),
	whole(requests),
	`${whole(peak)} MB`,
	`${stateMegabytes.toFixed(2)} MB`,
];

/** @param {string} page @param {string[][]} rows @throws Error when the page has no such row */
function withRows(page, rows) {
	const lines = page.split('\n');
	for (const cells of rows) {
		const at = lines.findIndex((line) => line.startsWith(`| ${cells[0]} |`));
		if (at === -1) throw new Error(`dev/bench/results.md has no row "${cells[0]}"`);
		lines[at] = `| ${cells.join(' | ')} |`;
	}
	return lines.join('\n');
}

module.exports = { RESULTS, comparison, median, pollRow, withRows };
