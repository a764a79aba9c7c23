/**
 * Sandbox as a process of its own, so that it does not share a core with the measured code. Prints its address.
 *   node dev/bench/service.js '{"users": 1000, "latencyMs": 20}'
 */
require('tsx/cjs');
const { startSandbox } = require('../sandbox/server.ts');
const { createWorld, iso, uuid } = require('../sandbox/world.ts');
const { KEY } = require('./workflows');

/** @typedef {import('../sandbox/world.ts').World['readings']} Readings */

/** @type {import('./startService').ServiceOptions} */
const { users, latencyMs = 0, pageSize = 100, perUser, broken = 0 } = JSON.parse(process.argv[2]);
const NOW = Date.now();
const world = createWorld([{ key: KEY, users }]);

/**
 * Readings a minute apart, for scenarios with many pages.
 * @param {number} count
 * @param {number} from
 * @returns {ReturnType<Readings>}
 */
function manyReadings(count, from) {
	return Array.from({ length: count }, (_, minute) => {
		const time = from + minute * 60_000;
		const point = { timestamp: iso(time), systolic: 120, diastolic: 80, unit: 'mmHg' };
		return { time, arrived: time, source: { provider: 'omron', type: 'cuff' }, point };
	});
}

/** Made once: the service is not what is measured. @type {Map<string, ReturnType<Readings>>} */
const remembered = new Map();

/** @type {Readings} */
function readings(userId, metric, from, to) {
	const key = `${userId} ${metric} ${from} ${to}`;
	const found =
		remembered.get(key) ?? (perUser ? manyReadings(perUser, from) : world.readings(userId, metric, from, to));
	remembered.set(key, found);
	return found;
}

/** Users that always fail, evenly among the others. @type {Record<string, 'fails'>} */
const inTrouble = Object.fromEntries(
	Array.from({ length: broken }, (_, i) => [uuid('user', KEY, Math.floor(((i + 0.5) * users) / broken)), 'fails']),
);

void startSandbox({
	world: { ...world, readings },
	// A fixed clock: no reading arrives during a measurement.
	switches: { latencyMs, pageSize, users: inTrouble, now: () => NOW },
	checksItself: false,
}).then(({ baseUrl, requests }) => {
	console.log(JSON.stringify({ baseUrl, userId: uuid('user', KEY, 0) }));
	process.on('message', () => process.send?.(requests.splice(0).length));
	// Exits with its parent, however that ends.
	process.on('disconnect', () => process.exit());
});
