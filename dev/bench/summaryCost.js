/**
 * Cost of *Summary per User* beside *One Item per Day*: a week of 20,000 users read by the node's own loops, in turns. Prints JSON.
 * Without a service: its answers are in memory, so that only the node's own work is measured.
 */
require('tsx/cjs');
const { collectDaily } = require('../../nodes/HealthDataService/service/daily.ts');
const { metrics } = require('../../nodes/HealthDataService/service/metrics.ts');
const { readUsers } = require('../../nodes/HealthDataService/service/readUsers.ts');
const { collectSummary } = require('../../nodes/HealthDataService/service/summary.ts');
const { wholeTeam } = require('../../nodes/HealthDataService/service/userSelection.ts');
const { runAsScript } = require('../install/command');
const { median } = require('./median');

const USERS = 20_000;
const DAYS = 7;
const PER_DAY = 2;
const ROUNDS = 3;
const [metric] = metrics;
const RANGE = { zone: 'Europe/Berlin', first: '2026-03-02', last: '2026-03-08' };

const users = Array.from({ length: USERS }, (_, index) => ({
	user_id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
	client_user_id: `user-${index}`,
}));

/** A page of readings, the same for each user. */
const readings = {
	groups: {
		omron: [
			{
				source: { provider: 'omron', type: 'cuff' },
				data: Array.from({ length: DAYS * PER_DAY }, (_, index) => ({
					timestamp: new Date(Date.UTC(2026, 2, 2, 7 + (24 / PER_DAY) * index, 12, 30, 123)).toISOString(),
					systolic: 118 + (index % 9),
					diastolic: 76 + (index % 5),
					unit: 'mmHg',
				})),
			},
		],
	},
	next_cursor: null,
};

/** @param {string} path @param {{ offset: number, limit: number }} query */
const get = async (path, { offset, limit }) =>
	path === '/v2/user' ? { users: users.slice(offset, offset + limit), total: USERS } : structuredClone(readings);

/** Milliseconds of a read with so many rows. @param {import('../../nodes/HealthDataService/service/readings').Collect} collect @param {number} count */
async function read(collect, count) {
	const begun = performance.now();
	const results = readUsers(/** @type {never} */ (get), {
		metric,
		query: () => ({}),
		selection: wholeTeam(),
		width: 32,
		collect,
	});
	let rows = 0;
	for await (const result of results) rows += result.rows.length;
	if (rows !== count) throw new Error(`${rows} rows`);
	return performance.now() - begun;
}

async function main() {
	/** @type {Record<'summary' | 'daily', number[]>} */
	const times = { summary: [], daily: [] };
	// The first round warms up.
	for (let round = 0; round <= ROUNDS; round++) {
		const summary = await read(collectSummary(metric, { ...RANGE, provider: '' }), USERS);
		const daily = await read(collectDaily(metric, RANGE), USERS * DAYS);
		if (round === 0) continue;
		times.summary.push(summary);
		times.daily.push(daily);
	}
	console.log(JSON.stringify({ users: USERS, summaryMs: median(times.summary), dailyMs: median(times.daily) }));
}

void runAsScript(main);
