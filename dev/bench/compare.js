/**
 * `npm run bench`: compares our node, n8n's HTTP Request node and plain axios at the same work, in one run in a real n8n.
 * Prints ratios and writes dev/bench/results.md. Only ratios of one run are comparable, because times differ between machines.
 * `npm run bench -- --only "(f)"` runs the scenarios with that in their name, and writes nothing.
 */
const { readSwitches } = require('../install/switches');
const { setUp } = require('../install/setUp');

const { only } = readSwitches({
	name: 'npm run bench',
	about: `Our node, n8n's HTTP Request node and plain axios at the same work, side by side in one run in a real n8n. Prints ratios and
writes dev/bench/results.md.`,
	switches: { only: { type: 'string', about: 'the scenarios with this in their name; then nothing is written' } },
});
setUp('host');

const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { cpus, tmpdir } = require('node:os');
const { join } = require('node:path');
const { N8N_HOME } = require('../host/hostPaths');
const { installPackage, packPackage } = require('../host/installPackage');
const { startN8n } = require('../host/n8n');
const { runAsScript } = require('../install/command');
const { ROOT } = require('../paths');
const { measureAlone } = require('./alone');
const { measure, measureBroken, ROUNDS } = require('./contest');
const { report, table } = require('./report');
const { SCENARIOS } = require('./scenarios');

const RESULTS = join(ROOT, 'dev', 'bench', 'results.md');
/** A large team takes a minute for each poll. */
const POLLS = [
	{ users: 1000, latencyMs: 20, rounds: ROUNDS },
	{ users: 20_000, latencyMs: 20, rounds: 1 },
];

async function main() {
	const folder = mkdtempSync(join(tmpdir(), 'health-data-service-bench-'));
	await installPackage(folder, await packPackage());
	const n8n = await startN8n({ folder, env: { N8N_LOG_LEVEL: 'error', EXECUTIONS_DATA_PRUNE: 'false' } });
	try {
		const results = [];
		for (const scenario of SCENARIOS)
			if (!only || scenario.name.includes(only)) results.push(await measure(n8n, scenario));
		if (only) return console.log(`\n${table(results)}`);
		const team = await measureBroken(n8n);
		// Even an idle n8n would disturb the measurement.
		await n8n.stop();
		const { version } = JSON.parse(readFileSync(join(N8N_HOME, 'node_modules', 'n8n', 'package.json'), 'utf8'));
		const text = report({
			n8n: version,
			cores: cpus().length,
			rounds: ROUNDS,
			results,
			team,
			memory: measureAlone('./memory'),
			trigger: measureAlone('./triggerState'),
			polls: POLLS.map((one) => measureAlone('./triggerPoll', one)),
		});
		console.log(`\n${text}`);
		writeFileSync(RESULTS, text);
	} finally {
		await n8n.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

void runAsScript(main);
