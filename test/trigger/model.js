/**
 * The model test as a program: `npm run model -- --histories 50000 --seed 7`.
 */
const { parseArgs } = require('node:util');
require('../setup/n8nSettings.js');
require('../setup/regexEngine.js');
require('tsx/cjs');

const { values } = parseArgs({
	options: {
		histories: { type: 'string', default: '2000' },
		seed: { type: 'string', default: '1' },
		steps: { type: 'string', default: '30' },
		whole: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});
const run = {
	histories: Number(values.histories),
	seed: Number(values.seed),
	steps: Number(values.steps),
	isWhole: values.whole,
	isHelp: values.help,
};
void require('../helpers/model/program.ts')
	.main(run, console.log)
	.then((/** @type {boolean} */ isKept) => {
		if (!isKept) process.exitCode = 1;
	});
