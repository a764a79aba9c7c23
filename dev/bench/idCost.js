/**
 * Cost of the `id`: 100,000 rows of 1,000 users read by the node's own loops, in turns with and without it. Prints JSON. Runs
 * without n8n; inside n8n, where each request takes longer, the `id` is a smaller part of the time.
 */
require('tsx/cjs');
const { rowsWithId, rowsWithoutId } = require('../../nodes/HealthDataService/service/readings.ts');
const { metrics } = require('../../nodes/HealthDataService/service/metrics.ts');
const { readUsers } = require('../../nodes/HealthDataService/service/readUsers.ts');
const { RowLimit } = require('../../nodes/HealthDataService/service/rowLimit.ts');
const { wholeTeam } = require('../../nodes/HealthDataService/service/userSelection.ts');
const { runAsScript } = require('../install/command');
const { startService } = require('./startService');
const { median } = require('./median');
const { plain } = require('./plain');
const { RANGE } = require('./workflows');

const USERS = 1000;
const PER_USER = 100;
const LATENCY_MS = 20;
const AT_ONCE = 8;
const ROUNDS = 7;

/** Milliseconds in which all rows were read. @param {string} baseUrl @param {typeof rowsWithId} collectBy */
async function read(baseUrl, collectBy) {
	const [metric] = metrics;
	const rows = [];
	const begun = performance.now();
	const results = readUsers(/** @type {never} */ (plain(baseUrl).get), {
		metric,
		query: () => RANGE,
		selection: wholeTeam(),
		width: AT_ONCE,
		collect: collectBy(metric, new RowLimit()),
	});
	for await (const result of results) for (const row of result.rows) rows.push(row);
	const ms = performance.now() - begun;
	const ids = new Set(rows.map(({ id }) => id)).size;
	if (rows.length !== USERS * PER_USER || ids !== (collectBy === rowsWithId ? rows.length : 1))
		throw new Error(`${rows.length} rows with ${ids} different ids`);
	return ms;
}

async function main() {
	/** @type {Record<'withId' | 'without', number[]>} */
	const times = { withId: [], without: [] };
	const { baseUrl, stop } = await startService({ users: USERS, perUser: PER_USER, latencyMs: LATENCY_MS });
	try {
		// The first round warms up.
		for (let round = 0; round <= ROUNDS; round++) {
			const [withId, without] = [await read(baseUrl, rowsWithId), await read(baseUrl, rowsWithoutId)];
			if (round === 0) continue;
			times.withId.push(withId);
			times.without.push(without);
		}
	} finally {
		stop();
	}
	const [withMs, withoutMs] = [median(times.withId), median(times.without)];
	console.log(JSON.stringify({ rows: USERS * PER_USER, withMs, withoutMs }));
}

void runAsScript(main);
