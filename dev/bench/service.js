/**
 * The sandbox as a process of its own, so that it does not share a core with what is measured. Prints its address.
 *   node dev/bench/service.js '{"users": 1000, "latencyMs": 20}'
 */
require('tsx/cjs');
const { startSandbox } = require('../sandbox/server.ts');
const { createWorld, iso, uuid } = require('../sandbox/world.ts');
const { KEY } = require('./workflows');

const { users, latencyMs = 0, pageSize = 100, perUser } = JSON.parse(process.argv[2]);
const world = createWorld([{ key: KEY, users }]);

/** `perUser` readings a minute apart, for those who want many pages. */
function manyReadings(userId, metric, from) {
	return Array.from({ length: perUser }, (_, minute) => {
		const time = from + minute * 60_000;
		const point = { timestamp: iso(time), systolic: 120, diastolic: 80, unit: 'mmHg' };
		return { time, arrived: time, source: { provider: 'omron', type: 'cuff' }, point };
	});
}

/** Made once: the service is not what is measured. */
const remembered = new Map();
function readings(userId, metric, from, to) {
	const key = `${userId} ${metric} ${from} ${to}`;
	const found = remembered.get(key) ?? (perUser ? manyReadings(userId, metric, from) : world.readings(userId, metric, from, to));
	remembered.set(key, found);
	return found;
}

void startSandbox({ world: { ...world, readings }, switches: { latencyMs, pageSize }, checksItself: false }).then(({ baseUrl }) => {
	console.log(JSON.stringify({ baseUrl, userId: uuid('user', KEY, 0) }));
});
