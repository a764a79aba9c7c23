/**
 * `npm run scale`: how long it takes to read teams of a thousand to ten million users, by the small model of model.js.
 * With numbers of your own: npm run scale -- --latency 300 --requests 16
 * `npm run scale -- --measure` measures, holds the model against that, and writes measured.json and docs/scale.md.
 */
const { execFileSync } = require('node:child_process');
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { runAsScript } = require('../../install/command');
const { ReadableError } = require('../../install/failure');
const { ROOT } = require('../../paths');
const { allTables, deviation, filledIn, TOLERANCE } = require('./tables');

const RESULTS = join(ROOT, 'dev', 'bench', 'scale', 'measured.json');
const PAGE = join(ROOT, 'docs', 'scale.md');

const number = /** @type {const} */ ({ type: 'string' });
const OPTIONS = {
	measure: /** @type {const} */ ({ type: 'boolean' }),
	latency: number,
	requests: number,
	executions: number,
	shard: number,
};

/** The numbers that were given in place of those of docs/scale.md. @param {Record<string, string>} options */
function numbersOf({ latency, ...others }) {
	const texts = { ...others, ...(latency && { latencyMs: latency }) };
	const numbers = Object.entries(texts).map(([name, text]) => /** @type {const} */ ([name, Number(text)]));
	if (!numbers.every(([, value]) => value > 0)) throw new ReadableError('Each option is a number above 0');
	return Object.fromEntries(numbers);
}

/** Measures, and keeps it only if the model stays near it. */
async function measure() {
	execFileSync(process.execPath, [require.resolve('../../setup'), '--host'], { stdio: 'inherit' });
	const measured = await require('./measure').measureAll();
	const tables = allTables(measured);
	console.log(tables.points);
	const worst = Math.max(...measured.points.map((point) => Math.abs(deviation(measured, point))));
	if (worst > TOLERANCE)
		throw new ReadableError(
			`The model is ${Math.round(100 * worst)} % off, more than ${100 * TOLERANCE} %: nothing is written`,
		);
	writeFileSync(RESULTS, `${JSON.stringify(measured, null, '\t')}\n`);
	writeFileSync(PAGE, filledIn(readFileSync(PAGE, 'utf8'), tables));
}

async function main() {
	const { measure: isWanted, ...given } = parseArgs({ options: OPTIONS }).values;
	if (isWanted) return await measure();
	const { teams, trigger, costs } = allTables(JSON.parse(readFileSync(RESULTS, 'utf8')), numbersOf(given));
	console.log([teams, trigger, costs].join('\n\n'));
}

void runAsScript(main);
