/**
 * Reads 20,000 users through n8n's engine while 2 % of the requests fail, with each kind of transient error.
 * At the end every reading must be there once. Prints time, requests and the memory that a row keeps.
 */
const { readSwitches } = require('../install/switches');
const { setUp } = require('../install/setUp');

readSwitches({
	name: 'node --expose-gc dev/bench/soak.js',
	about:
		"20,000 users through n8n's engine while 2 % of the requests fail: nothing lost, nothing doubled, memory flat.",
});
setUp();
require('../../test/setup/n8nSettings');
require('tsx/cjs');
const { runAsScript } = require('../install/command');
const { ReadableError } = require('../install/failure');
const { startSandbox } = require('../sandbox/server.ts');
const { createWorld } = require('../sandbox/world.ts');
const { runNode } = require('../../test/helpers/engine.ts');
const { RETRY_LIMITS } = require('../../nodes/HealthDataService/http/retry.ts');
const { KEY } = require('./workflows');

const USERS = 20_000;
const FAULT_RATE = 0.02;
const DAY = Date.UTC(2026, 2, 1);

/** One of each kind that is transient (docs/quirks.md, rows 19 and 20). @type {Array<import('../sandbox/switches.ts').Fault>} */
const FAULTS = [
	{ status: 429, headers: { 'retry-after': '0' } },
	{ status: 429 },
	{ status: 503, headers: { 'retry-after': new Date(0).toUTCString() } },
	{ status: 500, body: 'Internal Server Error' },
	{ status: 502, body: '<html>Bad Gateway</html>' },
	{ status: 504 },
	{ drop: 'beforeAnswer' },
	{ drop: 'insideBody' },
	{ delayMs: 200 },
];

/** @param {{ [column: string]: unknown }} row */
const rowKey = ({ user_id, timestamp, provider, source_type }) => [user_id, timestamp, provider, source_type].join(' ');
/** @param {number} bytes */
const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(1);

async function heapUsed() {
	// The second round collects what finalisers have released.
	for (let round = 0; round < 2; round++) {
		global.gc?.();
		await new Promise((resolve) => setImmediate(resolve));
	}
	return process.memoryUsage().heapUsed;
}

async function main() {
	// Short waits, because the sandbox is local; their number and order are those of production.
	Object.assign(RETRY_LIMITS, { baseDelayMs: 5, maxDelayMs: 100 });
	console.log(`Making up ${USERS.toLocaleString('en')} users`);
	const world = createWorld([{ key: KEY, users: USERS }]);
	const expected = world.teams[0].users.flatMap(({ user_id }) =>
		world
			.readings(user_id, 'blood_pressure', DAY, DAY + 86_400_000 - 1)
			.map(({ point, source }) => rowKey({ ...point, user_id, provider: source.provider, source_type: source.type })),
	);

	/** Every expected reading, once. Throws when one is not. @param {import('../../test/helpers/engine.ts').RunResult} result */
	const check = ({ rows, error }) => {
		if (error) throw new Error(`${error.message} ${error.description}`);
		const keys = rows.map(rowKey);
		const found = new Set(keys);
		const lost = expected.filter((key) => !found.has(key)).length;
		const doubled = keys.length - found.size;
		if (lost || doubled || keys.length !== expected.length)
			throw new ReadableError(`${lost} readings lost, ${doubled} doubled, of ${expected.length}`);
		return { lost, doubled };
	};

	let faults = 0;
	const fault = () => (Math.random() < FAULT_RATE ? FAULTS[faults++ % FAULTS.length] : undefined);
	const sandbox = await startSandbox({ world, switches: { fault, pageSize: 2 } });
	const read = async (/** @type {number} */ users) => {
		const parameters = {
			resource: 'timeseries',
			operation: 'bloodPressure',
			userScope: 'all',
			dateRange: 'days',
			startDate: '2026-03-01',
			endDate: '2026-03-01',
			returnAll: true,
			options: { userLimit: users },
			requestOptions: { timeout: 150 },
		};
		const before = await heapUsed();
		const result = await runNode({
			credential: { baseUrl: sandbox.baseUrl, apiKey: KEY },
			parameters,
			timezone: 'UTC',
		});
		const perRow = ((await heapUsed()) - before) / Math.max(1, result.rows.length);
		return { ...result, perRow };
	};

	// The first run, which warms up the engine, is timed; memory is measured after it.
	const begun = Date.now();
	check(await read(USERS));
	const seconds = (Date.now() - begun) / 1000;
	const requests = sandbox.requests.length;
	const failed = faults;
	const few = await read(USERS / 10);
	const many = await read(USERS);
	await sandbox.close();
	const { lost, doubled } = check(many);

	console.log(`
Users                 ${USERS.toLocaleString('en')}
Readings expected     ${expected.length.toLocaleString('en')}, twice
Lost                  ${lost}
Doubled               ${doubled}
Requests              ${requests.toLocaleString('en')}, ${failed} of them failed
Time                  ${seconds.toFixed(1)} s
Memory kept per row   ${Math.round(many.perRow)} bytes (with a tenth of the users: ${Math.round(few.perRow)})
Peak memory           ${megabytes(process.resourceUsage().maxRSS * 1024)} MB`);
	if (many.perRow > few.perRow * 1.5) throw new ReadableError('Memory per row grows with the number of users');
	console.log('\nNothing lost, nothing doubled, memory per row flat.');
	// Handles that n8n's engine keeps open would keep the process alive.
	process.exit();
}

void runAsScript(main);
