/**
 * How long it takes to read a team once, and what holds it up. A model of few lines: each part of the machine says how long
 * it needs at least, and the slowest decides. test/repository/scale.test.js holds it against what was measured.
 */

/** Most users on a page of the list. */
const USERS_PER_PAGE = 500;

/**
 * @typedef {{
 *   users: number,
 *   shard: number,
 *   workers: number,
 *   executions: number,
 *   requests: number,
 *   latencyMs: number,
 *   cpuMs: number,
 *   mainCpuMs: number,
 * }} Setup `shard`: users in one execution; `executions` at once in each worker; `requests` at once in each execution;
 * `latencyMs` of an answer; `cpuMs` and `mainCpuMs`: what a user costs the worker, and the main process, in CPU time
 *
 * @typedef {{ requestsPerSecond?: number, listsPerSecond?: number, rowsPerSecond?: number }} Limits what the service
 * allows: requests in all, pages of the user list; and rows (one per user) that the step after the node takes
 */

/**
 * An execution sends its requests in rounds: all wait together for the service, then the worker takes the answers one by
 * one. The list comes before them, page after page.
 * @param {Setup} setup
 */
function secondsOfShard({ users, shard, requests, latencyMs, cpuMs }) {
	const usersInIt = Math.min(users, shard);
	const pages = Math.ceil(usersInIt / USERS_PER_PAGE);
	return (pages * latencyMs + usersInIt * (latencyMs / requests + cpuMs)) / 1000;
}

/**
 * @param {Setup} setup
 * @param {Limits} [limits]
 * @returns {{ seconds: number, heldUpBy: string }}
 */
function readTeam(setup, { requestsPerSecond = Infinity, listsPerSecond = Infinity, rowsPerSecond = Infinity } = {}) {
	const { users, shard, workers, executions, cpuMs, mainCpuMs } = setup;
	const shards = Math.ceil(users / shard);
	const lists = shards * Math.ceil(Math.min(users, shard) / USERS_PER_PAGE);
	/** Seconds that each needs if all others are infinitely fast. */
	const needed = {
		'waiting for answers': Math.ceil(shards / (workers * executions)) * secondsOfShard(setup),
		'CPU of the workers': (users * cpuMs) / 1000 / Math.min(workers, shards),
		'CPU of the main process': (users * mainCpuMs) / 1000,
		'the limit': (users + lists) / requestsPerSecond,
		'the limit of the list': lists / listsPerSecond,
		'the step after': users / rowsPerSecond,
	};
	const [heldUpBy, seconds] = Object.entries(needed).reduce((slowest, one) => (one[1] > slowest[1] ? one : slowest));
	return { seconds, heldUpBy };
}

module.exports = { readTeam };
