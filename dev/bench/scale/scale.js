/**
 * `npm run scale`: how long it takes to read teams of a thousand to ten million users, by the small model of model.js.
 * `npm run scale -- --measure` measures, holds the model against that, and writes measured.json and docs/scale.md.
 */
const { readSwitches } = require('../../install/switches');

const values = readSwitches({
	name: 'scale',
	about: `How long it takes to read teams of a thousand to ten million users, by a small model, as in docs/scale.md. With
numbers of your own: npm run scale -- --latency 300 --requests 16.`,
	switches: {
		measure: { type: 'boolean', about: 'measure in a real n8n in queue mode, and write docs/scale.md' },
		latency: { type: 'number', about: 'milliseconds that the service takes for an answer' },
		requests: { type: 'number', about: 'requests at once, of one execution' },
		executions: { type: 'number', about: 'executions at once, of one worker' },
		shard: { type: 'number', about: 'users that one execution reads' },
		rows: { type: 'number', about: 'rows of one user' },
	},
});

const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { runAsScript } = require('../../install/command');
const { ReadableError } = require('../../install/failure');
const { setUp } = require('../../install/setUp');
const { ROOT } = require('../../paths');
const { allTables, deviation, filledIn, pollDeviation, TOLERANCE } = require('./tables');

const RESULTS = join(ROOT, 'dev', 'bench', 'scale', 'measured.json');
const PAGE = join(ROOT, 'docs', 'scale.md');

/** The numbers that were given in place of those of docs/scale.md. @param {Record<string, number | undefined>} given */
function numbersOf({ latency, rows, ...others }) {
	const all = Object.entries({ ...others, latencyMs: latency, rowsPerUser: rows });
	const numbers = all.filter(([, number]) => number !== undefined);
	if (numbers.some(([, number]) => number === 0)) throw new ReadableError('Each number is above 0');
	return Object.fromEntries(numbers);
}

/** Measures, and keeps it only if the model stays near it. */
async function measure() {
	setUp('host');
	const measured = await require('./measure').measureAll();
	const tables = allTables(measured);
	console.log([tables.points, tables.polls, tables.costs].join('\n\n'));
	const off = [
		...measured.points.map((point) => deviation(measured, point)),
		...measured.polls.map((point) => pollDeviation(measured, point)),
	];
	const worst = Math.max(...off.map(Math.abs));
	if (worst > TOLERANCE)
		throw new ReadableError(
			`The model is ${Math.round(100 * worst)} % off, more than ${100 * TOLERANCE} %: nothing is written`,
		);
	writeFileSync(RESULTS, `${JSON.stringify(measured, null, '\t')}\n`);
	writeFileSync(PAGE, filledIn(readFileSync(PAGE, 'utf8'), tables));
}

async function main() {
	const { measure: isWanted, ...given } = values;
	if (isWanted) return await measure();
	const { teams, trigger, costs } = allTables(JSON.parse(readFileSync(RESULTS, 'utf8')), numbersOf(given));
	console.log([teams, trigger, costs].join('\n\n'));
}

void runAsScript(main);
