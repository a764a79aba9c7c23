/**
 * `npm run bench`: our node, n8n's HTTP Request node and plain axios at the same work, in turns in one run in a real n8n. Writes the
 * measured rows of dev/bench/results.md. Only ratios of one run are comparable, because times differ between machines.
 */
const { parseArgs } = require('node:util');
const { readSwitches } = require('../install/switches');
const { setUp } = require('../install/setUp');

const HELP = `npm run bench -- [switches]

Our node, n8n's HTTP Request node and plain axios, side by side in a real n8n. Prints ratios and writes dev/bench/results.md.

  --only TEXT  the contests with this in their name; then nothing is written`;

const { only } = readSwitches(HELP, () =>
	parseArgs({ options: { only: { type: 'string' }, help: { type: 'boolean' } } }),
);
setUp('--host');

const { readFileSync, writeFileSync } = require('node:fs');
const { cpus } = require('node:os');
const { join } = require('node:path');
const { N8N_HOME } = require('../host/hostPaths');
const { installPackage, packPackage } = require('../host/installPackage');
const { startN8n } = require('../host/n8n');
const { runAsScript } = require('../install/command');
const { remove, temporaryFolder } = require('../install/temporary');
const { CONTESTS } = require('./contests');
const { measureInEngine } = require('./inEngine');
const { ROUNDS, measure, measureTeam } = require('./measure');
const { RESULTS, comparison, pollRow, withRows } = require('./report');

async function compare() {
	const folder = temporaryFolder();
	await installPackage(folder, await packPackage());
	const n8n = await startN8n({ folder, env: { N8N_LOG_LEVEL: 'error', EXECUTIONS_DATA_PRUNE: 'false' } });
	/** @type {string[][]} */
	const rows = [];
	try {
		for (const contest of CONTESTS.filter(({ name }) => name.includes(only ?? ''))) {
			rows.push(comparison(contest, await measure(n8n, contest)));
		}
		if (!only) {
			rows.push(['1,200 users', await measureTeam(n8n, 0)]);
			rows.push(['1,200 users, 12 of which always fail', await measureTeam(n8n, 12)]);
		}
	} finally {
		// Even an idle n8n would disturb the other measurements.
		await n8n.stop();
		remove(folder);
	}
	return rows;
}

/** @returns {string[][]} */
function inEngine() {
	const { version } = JSON.parse(readFileSync(join(N8N_HOME, 'node_modules', 'n8n', 'package.json'), 'utf8'));
	/** A large team takes a minute for each poll. @param {number} users @param {number} rounds @returns {string[]} */
	const polled = (users, rounds) => pollRow(users, measureInEngine('polls', { users, latencyMs: 20, rounds }));
	return [
		['Measured with', `n8n ${version}, ${cpus().length} cores, median of ${ROUNDS} rounds`],
		['100,000 rows read in one go', `${Math.round(measureInEngine('memory'))} MB of memory`],
		polled(1000, ROUNDS),
		polled(20_000, 1),
	];
}

runAsScript(async () => {
	const rows = await compare();
	if (!only) writeFileSync(RESULTS, withRows(readFileSync(RESULTS, 'utf8'), [...rows, ...inEngine()]));
	console.log(`\n${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`);
});
