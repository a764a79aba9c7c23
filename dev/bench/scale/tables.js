/**
 * The tables of docs/scale.md, from the model and from what was measured (measured.json).
 */
const { readTeam } = require('./model');

/** @typedef {import('./model').Setup} Setup */
/** @typedef {Omit<Setup, 'cpuMs' | 'mainCpuMs'> & { seconds: number }} Point */
/** @typedef {{ n8n: string, cores: number, cpuMs: number, mainCpuMs: number, workerMegabytes: number, points: Point[] }} Measured */

/** How far the model may be from what was measured. */
const TOLERANCE = 0.3;

/** The node's and n8n's own settings, a service not far away, shards as long as a page of the user list. */
const DEFAULTS = { latencyMs: 100, requests: 8, executions: 10, shard: 500 };
const WORKERS = [1, 2, 8, 32];
const TEAM_SIZES = { '1 thousand': 1e3, '10 thousand': 1e4, '100 thousand': 1e5, '1 million': 1e6, '10 million': 1e7 };
const LIMITS = {
	'anything, and rows are only read': {},
	'50 requests per second': { requestsPerSecond: 50 },
	'10 pages of the user list per minute': { listsPerSecond: 10 / 60 },
	"anything, but rows go into n8n's data table": { rowsPerSecond: 100 },
};

/** A trigger polls on the main process, alone, with the node's own number of requests; two readings per user and day. */
const POLL_MINUTES = 15;
const BYTES_REMEMBERED_PER_USER = 2 * 2 * 26;

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

/** How long each team takes, by limit and number of workers. @param {Measured} measured @param {Partial<Setup>} given */
function teamsTable({ cpuMs, mainCpuMs }, given) {
	const rows = Object.entries(LIMITS).flatMap(([allowed, limits]) => {
		/** Cells after the number of workers → the numbers of workers that have them. @type {Map<string, number[]>} */
		const same = new Map();
		for (const workers of WORKERS) {
			const setup = { ...DEFAULTS, cpuMs, mainCpuMs, workers, ...given };
			const results = Object.values(TEAM_SIZES).map((users) => readTeam({ ...setup, users }, limits));
			const { seconds, heldUpBy } = results[results.length - 1];
			const perHour = about((TEAM_SIZES['10 million'] / seconds) * HOUR);
			const cells = [...results.map((result) => time(result.seconds)), perHour, heldUpBy].join(' | ');
			same.set(cells, [...(same.get(cells) ?? []), workers]);
		}
		return [...same].map(([cells, workers]) => [allowed, workers.join(', '), cells]);
	});
	return table(['The service allows', 'Workers', ...Object.keys(TEAM_SIZES), 'Users per hour', 'Held up by'], rows);
}

/** What a trigger on all users costs. @param {Measured} measured @param {Partial<Setup>} given */
function triggerTable({ cpuMs, mainCpuMs }, { latencyMs = DEFAULTS.latencyMs }) {
	const rows = Object.entries(TEAM_SIZES).map(([name, users]) => {
		const alone = {
			users,
			shard: users,
			workers: 1,
			executions: 1,
			requests: DEFAULTS.requests,
			latencyMs,
			cpuMs,
			mainCpuMs,
		};
		const { seconds } = readTeam(alone);
		const pollsPerHour = 60 / (POLL_MINUTES * Math.ceil(seconds / 60 / POLL_MINUTES));
		const megabytes = (users * BYTES_REMEMBERED_PER_USER) / 1e6;
		return [name, time(seconds), about(users * pollsPerHour), `${about(megabytes)} MB`];
	});
	return table(
		['Users', 'One poll takes', `Requests per hour, polling every ${POLL_MINUTES} minutes`, 'Remembered'],
		rows,
	);
}

/** Seconds that the model gives a measured point. @param {Measured} measured @param {Point} point */
const modelled = ({ cpuMs, mainCpuMs }, point) => readTeam({ ...point, cpuMs, mainCpuMs }).seconds;

/** Model over measured, less one. @param {Measured} measured @param {Point} point */
const deviation = (measured, point) => modelled(measured, point) / point.seconds - 1;

/** @param {Measured} measured */
function pointsTable(measured) {
	const rows = measured.points.map((point) => [
		String(point.workers),
		String(point.executions),
		String(point.requests),
		`${Math.round(point.latencyMs)} ms`,
		`${point.seconds.toFixed(1)} s`,
		`${modelled(measured, point).toFixed(1)} s`,
		`${Math.round(100 * deviation(measured, point))} %`,
	]);
	return table(
		['Workers', 'Executions at once in each', 'Requests at once in each', 'Latency', 'Measured', 'Model', 'Off by'],
		rows,
	);
}

/** What a user costs. @param {Measured} measured */
const costs = ({ n8n, cores, cpuMs, mainCpuMs, workerMegabytes }) =>
	`Measured (${cores} cores, n8n ${n8n}): a user costs a worker ${cpuMs.toFixed(2)} ms of CPU and the main process ${mainCpuMs.toFixed(2)} ms. A worker took at most ${about(workerMegabytes)} MB of memory.`;

/** By the names of their places in docs/scale.md; `given` is in place of what the page assumes. @param {Measured} measured @param {Partial<Setup>} given */
const allTables = (measured, given = {}) => ({
	teams: teamsTable(measured, given),
	trigger: triggerTable(measured, given),
	costs: costs(measured),
	points: pointsTable(measured),
});

/** The page with each text between its `<!-- name -->` and `<!-- /name -->`. @param {string} page @param {Record<string, string>} texts */
const filledIn = (page, texts) =>
	page.replace(
		/(<!-- (\w+) -->\n)[^]*?(<!-- \/\2 -->)/g,
		(_, before, name, after) => `${before}${texts[name]}\n${after}`,
	);

module.exports = { TOLERANCE, allTables, deviation, filledIn };
