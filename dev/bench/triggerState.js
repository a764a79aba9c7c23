/**
 * What the trigger remembers of 100,000 readings in its window (10,000 users, 5 a day, 48 hours), and how long a poll that
 * finds 1,000 new ones among them takes beside the requests. Prints JSON.
 */
require('tsx/cjs');
const { readingEvents } = require('../../nodes/HealthDataService/trigger/events.ts');
const { findNew } = require('../../nodes/HealthDataService/trigger/findNew.ts');
const { startState } = require('../../nodes/HealthDataService/trigger/state.ts');
const { runAsScript } = require('../install/command');
const { iso, uuid } = require('../sandbox/world.ts');
const { median } = require('./workflows');

const USERS = 10_000;
const PER_USER = 10;
const NEW = 1000;
const HOUR = 3_600_000;
const LOOKBACK = 48 * HOUR;
const NOW = Date.UTC(2026, 5, 1);

/** @param {string} user @param {number} time */
const rowOf = (user, time) => ({
	user_id: user,
	client_user_id: 'app-user',
	timestamp: iso(time),
	systolic: 120 + (time % 40),
	diastolic: 80,
	unit: 'mmHg',
	provider: 'omron',
	source_type: 'cuff',
});

/** @param {string[]} users @param {number} extra so many of them have one reading more, a new one */
async function* batches(users, extra) {
	for (const [index, user] of users.entries()) {
		const rows = Array.from({ length: PER_USER }, (_, i) => rowOf(user, NOW - LOOKBACK + 1 + i * 4 * HOUR + index));
		yield index < extra ? [...rows, rowOf(user, NOW - 60_000 + index)] : rows;
	}
}

async function main() {
	const users = Array.from({ length: USERS }, (_, index) => uuid('bench', index));
	const [event] = readingEvents;
	const first = await findNew(event, batches(users, 0), startState('bench', NOW, LOOKBACK), {
		now: NOW,
		lookback: LOOKBACK,
		isBaseline: true,
	});
	const saved = JSON.stringify(first.state);

	// Made beforehand: they stand for the requests, which are not counted.
	/** @type {Array<Array<ReturnType<typeof rowOf>>>} */
	const second = [];
	for await (const rows of batches(users, NEW)) second.push(rows);
	async function* given() {
		yield* second;
	}
	/** @type {number[]} */
	const times = [];
	for (let round = 0; round < 5; round++) {
		const begun = performance.now();
		const { items, state } = await findNew(event, given(), JSON.parse(saved), {
			now: NOW,
			lookback: LOOKBACK,
			isBaseline: false,
		});
		JSON.stringify(state);
		times.push(performance.now() - begun);
		if (items.length !== NEW) throw new Error(`${items.length} new ones instead of ${NEW}`);
	}
	const readings = USERS * PER_USER;
	console.log(
		JSON.stringify({
			readings,
			stateMegabytes: saved.length / 1e6,
			bytesPerReading: saved.length / readings,
			bookkeepingMs: median(times),
		}),
	);
}

void runAsScript(main);
