/**
 * The tables of docs/scale.md, from the model and from what was measured (measured.json).
 */
const { pollTeam, readTeam } = require('./model');
const { pollTimes, SCHEDULERS } = require('./pollTimes');
const { about, table, time } = require('./write');

/** @typedef {import('./model').Setup} Setup */
/** @typedef {Setup & { seconds: number }} Point */
/** @typedef {{ users: number, latencyMs: number, seconds: number }} PollPoint */
/** @typedef {import('./model').Costs & { n8n: string, cores: number, workerMegabytes: number, points: Point[], polls: PollPoint[] }} Measured */

/** How far the model may be from what was measured. */
const TOLERANCE = 0.3;

/** The node's and n8n's own settings, a service not far away, shards as the example cuts them. */
const DEFAULTS = { latencyMs: 100, requests: 8, executions: 10, shard: 500, rowsPerUser: 10 };
const WORKERS = [1, 2, 8, 32];
const TEAM_SIZES = { '1 thousand': 1e3, '10 thousand': 1e4, '100 thousand': 1e5, '1 million': 1e6, '10 million': 1e7 };
const WATCHED = { 100: 100, '1 thousand': 1e3, '10 thousand': 1e4, '100 thousand': 1e5 };

/** What is remembered of two readings per user and day: the lookback of 48 hours and a day more. */
const BYTES_REMEMBERED_PER_USER = 3 * 2 * 26;

const HOUR = 3600;
const LARGEST = Math.max(...Object.values(TEAM_SIZES));

/** Rows of a table: what the service allows, and whether rows are written. @param {number} rowsPerUser */
const situations = (rowsPerUser) => ({
	'anything, and rows are only read': { rowsPerUser: 0 },
	[`anything, and ${rowsPerUser} rows of each user go into PostgreSQL`]: { rowsPerUser },
	'50 requests per second': { rowsPerUser, requestsPerSecond: 50 },
	'10 pages of the user list per minute': { rowsPerUser, listsPerSecond: 10 / 60 },
});

/** How long each team takes, by limit and number of workers. @param {Measured} measured @param {Partial<Setup>} given */
function teamsTable(measured, given) {
	const all = { ...measured, ...DEFAULTS, ...given };
	const rows = Object.entries(situations(all.rowsPerUser)).flatMap(([allowed, { rowsPerUser, ...limits }]) => {
		/** Cells after the number of workers → the numbers of workers that have them. @type {Map<string, number[]>} */
		const same = new Map();
		for (const workers of WORKERS) {
			const setup = { ...all, workers, rowsPerUser };
			const results = Object.values(TEAM_SIZES).map((users) => readTeam({ ...setup, users }, limits));
			const { seconds, heldUpBy } = results[results.length - 1];
			const perHour = about((LARGEST / seconds) * HOUR);
			const cells = [...results.map((result) => time(result.seconds)), perHour, heldUpBy].join(' | ');
			same.set(cells, [...(same.get(cells) ?? []), workers]);
		}
		return [...same].map(([cells, workers]) => [allowed, workers.join(', '), cells]);
	});
	return table(['The service allows', 'Workers', ...Object.keys(TEAM_SIZES), 'Users per hour', 'Held up by'], rows);
}

/** What a trigger on all users costs, and how often it can poll. @param {Measured} measured @param {Partial<Setup>} given */
function triggerTable(measured, { latencyMs = DEFAULTS.latencyMs }) {
	const rows = Object.entries(WATCHED).flatMap(([name, users]) => {
		const setup = { ...measured, users, latencyMs, requests: DEFAULTS.requests };
		/** Cells → the schedulers that have them. @type {Map<string, string[]>} */
		const same = new Map();
		for (const [scheduler, pollSeconds] of Object.entries(SCHEDULERS)) {
			const { seconds, polls, requests } = pollTeam(setup, pollSeconds);
			const { minutes, text } = pollTimes(seconds, pollSeconds);
			const megabytes = `${about((users * BYTES_REMEMBERED_PER_USER) / 1e6)} MB`;
			const cells = [
				time(seconds),
				String(polls),
				text,
				`${polls * minutes} min`,
				about((requests * 60) / (polls * minutes)),
			];
			const row = [...cells, megabytes].join(' | ');
			same.set(row, [...(same.get(row) ?? []), scheduler]);
		}
		return [...same].map(([cells, schedulers]) => [name, schedulers.join(', '), cells]);
	});
	const head = ['Users', 'Scheduler', 'A round takes', 'Polls in it', 'Set *Poll Times* to'];
	return table([...head, 'Everybody is read every', 'Requests per hour', 'Remembered'], rows);
}

/** Model over measured, less one. @param {Measured} measured @param {Point} point */
const deviation = (measured, point) => readTeam({ ...measured, ...point }).seconds / point.seconds - 1;

/** The same for a poll. @param {Measured} measured @param {PollPoint} point */
const pollDeviation = (measured, point) => polled(measured, point) / point.seconds - 1;

/** @param {Measured} measured @param {PollPoint} point */
const polled = (measured, point) => pollTeam({ ...measured, ...point, requests: DEFAULTS.requests }).seconds;

/** @param {number} measured @param {number} modelled @param {number} off */
const compared = (measured, modelled, off) => [
	`${measured.toFixed(1)} s`,
	`${modelled.toFixed(1)} s`,
	`${Math.round(100 * off)} %`,
];

/** @param {Measured} measured */
function pointsTable(measured) {
	const rows = measured.points.map((point) => [
		String(point.workers),
		String(point.executions),
		String(point.requests),
		`${Math.round(point.latencyMs)} ms`,
		point.rowsPerUser > 0 ? about(point.users * point.rowsPerUser) : '–',
		...compared(point.seconds, readTeam({ ...measured, ...point }).seconds, deviation(measured, point)),
	]);
	const head = ['Workers', 'Executions at once in each', 'Requests at once in each', 'Latency', 'Rows written'];
	return table([...head, 'Measured', 'Model', 'Off by'], rows);
}

/** @param {Measured} measured */
function pollsTable(measured) {
	const rows = measured.polls.map((point) => [
		point.users.toLocaleString('en'),
		`${Math.round(point.latencyMs)} ms`,
		...compared(point.seconds, polled(measured, point), pollDeviation(measured, point)),
	]);
	return table(['Users', 'Latency', 'Measured', 'Model', 'Off by'], rows);
}

/** What a user, a row and a statement cost. @param {Measured} measured */
const costs = ({ n8n, cores, cpuMs, mainCpuMs, rowCpuMs, rowMs, statementMs, workerMegabytes }) =>
	`Measured (${cores} cores, n8n ${n8n}): a **user** costs a worker ${cpuMs.toFixed(2)} ms of CPU and the main process ${mainCpuMs.toFixed(2)} ms. A **row** costs the worker ${rowCpuMs.toFixed(3)} ms of CPU and takes ${rowMs.toFixed(3)} ms to write, which is ${about(1000 / rowMs)} rows a second in one statement. A **statement** takes ${statementMs.toFixed(0)} ms by itself. A worker with 100,000 rows on their way took ${about(workerMegabytes)} MB of memory at most.`;

/** By the names of their places in docs/scale.md; `given` is in place of what the page assumes. @param {Measured} measured @param {Partial<Setup>} given */
const allTables = (measured, given = {}) => ({
	teams: teamsTable(measured, given),
	trigger: triggerTable(measured, given),
	costs: costs(measured),
	points: pointsTable(measured),
	polls: pollsTable(measured),
});

/** The page with each text between its `<!-- name -->` and `<!-- /name -->`. @param {string} page @param {Record<string, string>} texts */
const filledIn = (page, texts) =>
	page.replace(
		/(<!-- (\w+) -->\n)[^]*?(<!-- \/\2 -->)/g,
		(_, before, name, after) => `${before}${texts[name]}\n${after}`,
	);

module.exports = { TOLERANCE, allTables, deviation, filledIn, pollDeviation };
