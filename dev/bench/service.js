/** Sandbox of the benchmark, in a process of its own, so that it shares no core with the measured code. */
const { fork } = require('node:child_process');
const { once } = require('node:events');

/** @typedef {{ users: number, latencyMs?: number, pageSize?: number, perUser?: number, broken?: number }} ServiceOptions */
/** @typedef {import('../sandbox/world.ts').World['readings']} Readings */

/**
 * @param {ServiceOptions} options `perUser`: readings of each, a minute apart; `broken`: users that always fail
 * @returns {Promise<{ baseUrl: string, userId: string, requests: () => Promise<number>, stop: () => void }>} `userId`: of its first
 *   user; `requests`: their number since the last call
 */
async function startService(options) {
	const child = fork(__filename, [JSON.stringify(options)]);
	const [address] = await once(child, 'message');
	const requests = async () => {
		child.send('requests');
		const [count] = await once(child, 'message');
		return count;
	};
	return { ...address, requests, stop: () => void child.kill() };
}

/** @param {number} count @param {number} from @returns {ReturnType<Readings>} */
function manyReadings(count, from) {
	const { iso } = require('../sandbox/world.ts');
	return Array.from({ length: count }, (_, minute) => {
		const time = from + minute * 60_000;
		const point = { timestamp: iso(time), systolic: 120, diastolic: 80, unit: 'mmHg' };
		return { time, arrived: time, source: { provider: 'omron', type: 'cuff' }, point };
	});
}

/** @param {ServiceOptions} options */
async function serve({ users, latencyMs = 0, pageSize = 100, perUser, broken = 0 }) {
	require('tsx/cjs');
	const { startSandbox } = require('../sandbox/server.ts');
	const { createWorld, uuid } = require('../sandbox/world.ts');
	const { KEY } = require('./workflows');
	const world = createWorld([{ key: KEY, users }]);
	/** Made once, because the service is not what is measured. @type {Map<string, ReturnType<Readings>>} */
	const made = new Map();
	/** @type {Readings} */
	const readings = (...which) => {
		const [, , from] = which;
		const found = made.get(which.join()) ?? (perUser ? manyReadings(perUser, from) : world.readings(...which));
		made.set(which.join(), found);
		return found;
	};
	/** Evenly among the others. @param {number} nth */
	const brokenUser = (nth) => uuid('user', KEY, Math.floor(((nth + 0.5) * users) / broken));
	/** @type {Record<string, 'fails'>} */
	const inTrouble = Object.fromEntries(Array.from({ length: broken }, (_, nth) => [brokenUser(nth), 'fails']));
	const now = Date.now();
	const { baseUrl, requests } = await startSandbox({
		world: { ...world, readings },
		// A fixed clock: no reading arrives during a measurement.
		switches: { latencyMs, pageSize, users: inTrouble, now: () => now },
		checksItself: false,
	});
	process.send?.({ baseUrl, userId: uuid('user', KEY, 0) });
	process.on('message', () => process.send?.(requests.splice(0).length));
	// Exits with its parent, however that ends.
	process.on('disconnect', () => process.exit());
}

if (require.main === module) void serve(JSON.parse(process.argv[2]));

module.exports = { startService };
