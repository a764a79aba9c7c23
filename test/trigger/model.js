/** Model test as a program: `node test/trigger/model.js --histories 50000 --seed 7`; CI runs it with fixed seeds. */
const { readFileSync } = require('node:fs');
const { parseArgs } = require('node:util');
const { numberOf, readSwitches } = require('../../dev/install/switches');
const { setUp } = require('../../dev/install/setUp');

const HELP = `node test/trigger/model.js [switches]

Random histories of the service, of n8n and of its clock, each poll of the trigger judged by what was promised.
Prints the shortest history that breaks a promise, step by step, with what each poll gave; ends with status 1 then.

  --histories N  how many (2000)
  --seed NUMBER  other histories with another one (1); today: the date
  --kinds NAMES  which kinds of histories, with commas between (random); lasting: one lasting trouble;
                 all: these, random and mix, a third each; odd: lists, Resolve, states, failures and limits that change
  --steps N      the longest history (30)
  --whole        the history as it was found, not the shortest
  --history FILE one history, as it was printed`;

/**
 * @param {string} given a number, or `today`: the date in UTC, as 20260131
 * @throws Error for anything else
 */
function seedOf(given, now = new Date()) {
	const seed = given === 'today' ? now.toISOString().slice(0, 10).replaceAll('-', '') : given;
	if (!/^\d{1,9}$/.test(seed)) throw new Error('--seed takes a number of at most nine digits, or today');
	return Number(seed);
}

function run() {
	const given = readSwitches(HELP, () =>
		parseArgs({
			options: {
				histories: { type: 'string', default: '2000' },
				seed: { type: 'string', default: '1' },
				kinds: { type: 'string', default: 'random' },
				steps: { type: 'string', default: '30' },
				history: { type: 'string' },
				whole: { type: 'boolean', default: false },
				help: { type: 'boolean' },
			},
		}),
	);
	const { seed, kinds, whole: isWhole } = given;
	const numbers = { histories: numberOf('histories', given.histories), steps: numberOf('steps', given.steps) };
	const history = given.history && readFileSync(given.history, 'utf8');
	const options = { ...numbers, isWhole, history, kinds: [''], seed: 0 };
	try {
		options.seed = seedOf(seed);
	} catch (error) {
		console.error(`node test/trigger/model.js: ${error.message}`);
		process.exit(2);
	}
	setUp();
	require('../setup/n8nSettings.js');
	require('../setup/regexEngine.js');
	require('tsx/cjs');

	const { ALL_KINDS, ANY_KIND, LASTING_KINDS, ODD, main } = require('./model/program.ts');
	const groups = new Map([
		['all', ALL_KINDS],
		['lasting', LASTING_KINDS],
		['odd', ODD],
	]);
	options.kinds = groups.get(kinds) ?? kinds.split(',');
	const unknown = options.kinds.find((kind) => !ANY_KIND.includes(kind));
	if (unknown !== undefined) {
		console.error(`node test/trigger/model.js: no kind ${unknown}. There are: ${ANY_KIND.join(', ')}`);
		process.exit(2);
	}

	if (!history) console.log(`${options.histories} histories of seed ${options.seed}`);
	void main(options, console.log).then((/** @type {boolean} */ isKept) => {
		if (!isKept) process.exitCode = 1;
	});
}

if (require.main === module) run();

module.exports = { seedOf };
