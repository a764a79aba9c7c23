/**
 * Size of the trigger's saved state for 100,000 readings in its window (10,000 users, 5 a day, 48 hours), and time without
 * requests of a poll that finds 1,000 new ones among them. Prints JSON.
 */
require('tsx/cjs');
const { AdaptiveTimeout, Deadlines } = require('../../nodes/HealthDataService/http/deadlines.ts');
const { serviceClock } = require('../../nodes/HealthDataService/http/serviceClock.ts');
const { readingEvents } = require('../../nodes/HealthDataService/trigger/events.ts');
const { PollReader } = require('../../nodes/HealthDataService/trigger/reader.ts');
const { startState } = require('../../nodes/HealthDataService/trigger/state.ts');
const { runAsScript } = require('../install/command');
const { iso, uuid } = require('../sandbox/world.ts');
const { median } = require('./median');

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

/**
 * The responses of a poll, made in advance, since requests are not counted.
 * @param {string[]} users @param {number} extra so many of them have one reading more, a new one
 */
const readings = (users, extra) =>
	users.map((user_id, index) => {
		const rows = Array.from({ length: PER_USER }, (_, i) => rowOf(user_id, NOW - LOOKBACK + 1 + i * 4 * HOUR + index));
		if (index < extra) rows.push(rowOf(user_id, NOW - 60_000 + index));
		return { user: { user_id, client_user_id: 'app-user' }, place: index + 1, rows, isGone: false, tookMs: 0 };
	});

/** @param {ReturnType<typeof readings>} given @param {ReturnType<typeof startState>} state */
async function poll(given, state) {
	const event = {
		...readingEvents[0],
		/** @param {never} _ @param {{ selection: { users(): AsyncIterable<{ place: number }> } }} target */
		async *read(_, { selection }) {
			for await (const { place } of selection.users()) yield given[place - 1];
		},
	};
	const selection = {
		async *users() {
			yield* given;
		},
	};
	const target = /** @type {never} */ ({ selection });
	return await new PollReader(/** @type {never} */ (undefined), /** @type {never} */ (event), target, state, {
		now: NOW,
		lookback: LOOKBACK,
		deadline: Infinity,
		budgetMs: Infinity,
		end: Infinity,
		clock: serviceClock(NOW, 0),
		timeout: new AdaptiveTimeout(new Deadlines(), 60_000, 8),
	}).read();
}

async function main() {
	const users = Array.from({ length: USERS }, (_, index) => uuid('bench', index));
	const first = await poll(readings(users, 0), startState('node', 'bench', NOW, LOOKBACK, []));
	const saved = JSON.stringify(first.state);

	const second = readings(users, NEW);
	/** @type {number[]} */
	const times = [];
	for (let run = 0; run < 5; run++) {
		const begun = performance.now();
		const { items, state } = await poll(second, JSON.parse(saved));
		JSON.stringify(state);
		times.push(performance.now() - begun);
		if (items.length !== NEW) throw new Error(`${items.length} new ones instead of ${NEW}`);
	}
	const count = USERS * PER_USER;
	console.log(
		JSON.stringify({
			readings: count,
			stateMegabytes: saved.length / 1e6,
			bytesPerReading: saved.length / count,
			bookkeepingMs: median(times),
		}),
	);
}

void runAsScript(main);
