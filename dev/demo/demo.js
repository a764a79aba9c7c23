/**
 * `npm run demo`: the node in a real n8n, with a sandbox in place of the service. Everything runs on this machine only and ends
 * with this program.
 */
const { parseArgs } = require('node:util');
const { readSwitches } = require('../install/switches');
const { setUp } = require('../install/setUp');
const { exampleNames } = require('./examples');

const [N8N_PORT, SANDBOX_PORT] = [5678, 4010];
const EXAMPLES = exampleNames();

const HELP = `npm run demo -- [switches]

The node in a real n8n, beside a sandbox with invented people. Runs an example and prints what comes out, then stays until Ctrl-C.

  --example NAME  the one to run (high-blood-pressure-alert)
  --once          stop after the result
  --watch         build the node again at each change of its code: npm run dev

Examples: ${EXAMPLES.join(', ')}`;

const wants = readSwitches(HELP, () =>
	parseArgs({
		options: {
			example: { type: 'string', default: 'high-blood-pressure-alert' },
			once: { type: 'boolean' },
			watch: { type: 'boolean' },
			help: { type: 'boolean' },
		},
	}),
);
if (!EXAMPLES.includes(wants.example)) {
	console.error(`npm run demo: There is no example "${wants.example}". There are: ${EXAMPLES.join(', ')}`);
	process.exit(2);
}
setUp('--host');
require('tsx/cjs');
const { join } = require('node:path');
const { installPackage, packPackage } = require('../host/installPackage');
const { startN8n } = require('../host/n8n');
const { ReadableError, runAsScript } = require('../install/command');
const { CACHE, ROOT } = require('../paths');
const { startSandbox } = require('../sandbox/server.ts');
const { NEEDS } = require('./examples');
const { RELOADS, rebuildOnChange } = require('./rebuild');
const { putExamples, runExample } = require('./runExample');
const { onlyOne, state, stopAll, stopLater, stopOnSignals } = require('./running');
const { sayNextSteps, sayResult } = require('./say');

const FOLDER = join(CACHE, 'demo');
/** Time zone of this machine, for n8n and for all printed times. */
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

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
	onlyOne();
	console.log('[1/4] Starting the sandbox: the service with invented people and readings');
	const sandbox = await onPort(SANDBOX_PORT, async (port) => await startSandbox({ port }));
	stopLater(() => sandbox.close());
	const [{ key, users }] = sandbox.world.teams;
	console.log(`      Base URL ${sandbox.baseUrl}, API Key ${key}: a team of ${users.length} users`);

	console.log('[2/4] Installing this package into n8n, as n8n itself would');
	const installed = await installPackage(FOLDER, await packPackage());
	if (state.isStopping) return;
	console.log('[3/4] Starting n8n (about ten seconds)');
	const options = {
		folder: FOLDER,
		env: { GENERIC_TIMEZONE: timeZone, ...(wants.watch && RELOADS) },
		onLaunch: stopLater,
	};
	const n8n = await onPort(N8N_PORT, async (port) => await startN8n({ ...options, port }));

	console.log(`[4/4] Importing the examples, running ${wants.example}`);
	const examples = await putExamples(n8n.rest, { baseUrl: sandbox.baseUrl, apiKey: key });
	const workflow = examples[wants.example];
	if (NEEDS[wants.example]) console.log(`\n"${workflow.name}" needs ${NEEDS[wants.example]}.`);
	else {
		const result = await runExample(n8n.rest, workflow);
		sayResult(workflow.name, result, timeZone);
		if (result.failure) process.exitCode = 1;
	}

	if (wants.once) return await stopAll();
	if (wants.watch) {
		const stopRebuilding = rebuildOnChange(ROOT, installed);
		stopLater(async () => stopRebuilding());
	}
	sayNextSteps({ n8nUrl: n8n.baseUrl, workflow, sandboxUrl: sandbox.baseUrl, key, isWatching: wants.watch });
	state.isReady = true;
	n8n.process.once('exit', () => {
		if (state.isStopping) return;
		console.error(`\nn8n ended by itself. Its log: ${n8n.logFile}`);
		void stopAll().finally(() => process.exit(1));
	});
}

void runAsScript(async () => {
	const running = demo();
	stopOnSignals(running);
	try {
		await running;
	} catch (error) {
		// Errors during a stop are its consequence.
		if (state.isStopping) return;
		await stopAll();
		throw new ReadableError(`\nThe demo stopped: ${error.message}`);
	}
});
