/**
 * How long it takes to read a team once, and what holds it up. A model of few lines: each part of the machine says how long
 * it needs at least, and the slowest decides. test/repository/scale.test.js holds it against what was measured.
 */

/** Most users on a page of the list. */
const USERS_PER_PAGE = 500;

/** Pages of the list that are asked for side by side: the node's own number of requests. */
const PAGES_AT_ONCE = 8;

/**
 * @typedef {{
 *   users: number,
 *   shard: number,
 *   workers: number,
 *   executions: number,
 *   requests: number,
 *   latencyMs: number,
 *   rowsPerUser: number,
 * }} Setup `shard`: users in one execution; `executions` at once in each worker; `requests` at once in each execution;
 * `latencyMs` of an answer; `rowsPerUser` that go into PostgreSQL, in one statement for each shard
 *
 * @typedef {{ cpuMs: number, mainCpuMs: number, rowCpuMs: number, rowMs: number, statementMs: number }} Costs what a user
 * costs the worker, and the main process, in CPU time; what a row costs the worker, to be read and handed on; how long the
 * statement takes for each row, and for itself
 *
 * @typedef {{ requestsPerSecond?: number, listsPerSecond?: number }} Limits what the service allows: requests in all, pages
 * of the user list
 */

const pagesOf = (/** @type {number} */ users) => Math.ceil(users / USERS_PER_PAGE);

/** Before the shards, and of those that come with their users nothing more. @param {Setup} setup */
const secondsOfList = ({ users, latencyMs }) => (pagesOf(users) * latencyMs) / PAGES_AT_ONCE / 1000;

/**
 * An execution sends its requests in rounds: all wait together for the service, then the worker takes the answers one by
 * one. When all are read, their rows are written.
 * @param {Setup & Costs} setup
 */
function secondsOfShard({ users, shard, requests, latencyMs, rowsPerUser, cpuMs, rowCpuMs, rowMs, statementMs }) {
	const usersInIt = Math.min(users, shard);
	const reading = usersInIt * (latencyMs / requests + cpuMs);
	const writing = rowsPerUser > 0 ? statementMs + usersInIt * rowsPerUser * (rowCpuMs + rowMs) : 0;
	return (reading + writing) / 1000;
}

/**
 * @param {Setup & Costs} setup
 * @param {Limits} [limits]
 * @returns {{ seconds: number, heldUpBy: string }}
 */
function readTeam(setup, { requestsPerSecond = Infinity, listsPerSecond = Infinity } = {}) {
	const { users, shard, workers, executions, rowsPerUser, cpuMs, mainCpuMs, rowCpuMs, rowMs } = setup;
	const shards = Math.ceil(users / shard);
	const lists = pagesOf(users);
	const turns = Math.ceil(shards / (workers * executions));
	/** Seconds that each needs if all others are infinitely fast. */
	const needed = {
		'waiting for answers': secondsOfList(setup) + turns * secondsOfShard(setup),
		'CPU of the workers': (users * (cpuMs + rowsPerUser * rowCpuMs)) / 1000 / Math.min(workers, shards),
		'CPU of the main process': (users * mainCpuMs) / 1000,
		// One statement after the other: how much more a database does at once is its own matter.
		PostgreSQL: (users * rowsPerUser * rowMs) / 1000,
		'the limit': (users + lists) / requestsPerSecond,
		'the limit of the list': lists / listsPerSecond,
	};
	const [heldUpBy, seconds] = Object.entries(needed).reduce((slowest, one) => (one[1] > slowest[1] ? one : slowest));
	return { seconds, heldUpBy };
}

/**
 * A round of the trigger over all users: in one piece, on the main process, whose polls take users for so many seconds each.
 * @param {Omit<Setup, 'shard' | 'workers' | 'executions' | 'rowsPerUser'> & Costs} setup
 * @param {number} [pollSeconds]
 */
function pollTeam(setup, pollSeconds = Infinity) {
	const { users } = setup;
	const { seconds } = readTeam({ ...setup, shard: users, workers: 1, executions: 1, rowsPerUser: 0 });
	// The list ends with an empty page.
	return { seconds, polls: Math.ceil(seconds / pollSeconds) || 1, requests: users + pagesOf(users) + 1 };
}

module.exports = { pollTeam, readTeam };
