/**
 * `npm run demo`: the node at work in a real n8n, with a sandbox in place of the service.
 *   npm run demo             prints the result of the example, then leaves n8n running for you
 *   npm run demo -- --once   stops after the result
 * Everything runs on this machine only and ends with this program.
 */
require('tsx/cjs');
const { rmSync } = require('node:fs');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { installPackage, packPackage } = require('../host/installPackage');
const { OWNER, startN8n } = require('../host/n8n');
const { runAsScript } = require('../install/command');
const { ReadableError } = require('../install/failure');
const { CACHE } = require('../paths');
const { startSandbox } = require('../sandbox/server.ts');
const { runAlert } = require('./alert');
const { table } = require('./table');

const FOLDER = join(CACHE, 'demo');
const N8N_PORT = 5678;
const SANDBOX_PORT = 4010;
const MOST_LINES = 20;
/** Times in the messages are those of the clock on the wall. */
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

const { values } = parseArgs({
	options: { once: { type: 'boolean', default: false }, fresh: { type: 'boolean', default: false } },
});

/** What has to be stopped, last started first. @type {Array<() => Promise<void>>} */
const running = [];
let isStopping = false;

async function stopAll() {
	isStopping = true;
	while (running.length) await running.pop()?.();
}

/**
 * On its usual port, or on any other when that is taken.
 * @template T
 * @param {number} port
 * @param {(port: number) => Promise<T>} start
 */
async function onPort(port, start) {
	try {
		return await start(port);
	} catch (error) {
		if (!(error instanceof Error) || !/in use|EADDRINUSE/.test(error.message)) throw error;
		console.log(`      Port ${port} is in use, so another one is taken.`);
		return await start(0);
	}
}

async function demo() {
	if (values.fresh) rmSync(FOLDER, { recursive: true, force: true });

	console.log('[1/4] Starting the sandbox: the service with invented people and readings');
	const sandbox = await onPort(SANDBOX_PORT, async (port) => await startSandbox({ port }));
	running.push(() => sandbox.close());
	const [{ key, users }] = sandbox.world.teams;
	console.log(`      ${sandbox.baseUrl}, a team of ${users.length} users`);

	console.log('[2/4] Installing this package into n8n, as n8n itself would');
	await installPackage(FOLDER, await packPackage());

	console.log('[3/4] Starting n8n (about ten seconds)');
	const n8n = await onPort(
		N8N_PORT,
		async (port) => await startN8n({ folder: FOLDER, port, env: { GENERIC_TIMEZONE: timeZone } }),
	);
	running.push(() => n8n.stop());

	console.log('[4/4] Running the example "High blood pressure alert"');
	const result = await runAlert(n8n.rest, { baseUrl: sandbox.baseUrl, apiKey: key });
	printResult(result);

	if (values.once) return await stopAll();
	console.log(`
n8n is running. Open the example:

   Address    ${n8n.baseUrl}/workflow/${result.workflow.id}
   E-mail     ${OWNER.email}
   Password   ${OWNER.password}

   1. Click "Execute workflow" below the canvas, from "When clicking Execute workflow".
   2. Double-click "Blood Pressure" to see its fields and the rows it gave.
   3. Change "Date Range" to Last 7 Days and click "Execute step".

Ctrl-C stops n8n and the sandbox.`);
	n8n.process.once('exit', () => {
		if (isStopping) return;
		console.error(`\nn8n ended by itself. Its log: ${n8n.logFile}`);
		void stopAll().finally(() => process.exit(1));
	});
}

/** @param {import('./alert').AlertResult} result */
function printResult({ users, readings, messages }) {
	console.log(
		`\n${readings} readings of ${users} users in the last 24 hours, ${messages.length} at or above 140/90:\n`,
	);
	const newestFirst = [...messages].sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
	const lines = newestFirst
		.slice(0, MOST_LINES)
		.map((row) => [`${row.systolic}/${row.diastolic}`, row.timestamp.slice(0, 16).replace('T', ' '), row.text]);
	console.log(table([['Reading', 'Time (UTC)', 'Message for Slack'], ...lines]));
	if (messages.length > MOST_LINES) console.log(`… and ${messages.length - MOST_LINES} more`);
	console.log('\nSlack is switched off in the demo; in your own n8n each message would be posted.');
}

for (const [signal, code] of /** @type {const} */ ([
	['SIGINT', 130],
	['SIGTERM', 143],
	['SIGHUP', 129],
])) {
	process.once(signal, () => {
		console.log('\nStopping n8n and the sandbox …');
		void stopAll().finally(() => process.exit(code));
	});
}

void runAsScript(async () => {
	try {
		await demo();
	} catch (error) {
		await stopAll();
		throw new ReadableError(`\nThe demo stopped: ${error.message}`);
	}
});
