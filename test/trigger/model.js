/**
 * The model test as a program: `npm run model -- --histories 50000 --seed 7`.
 */
const { readSwitches } = require('../../dev/install/switches');
const { setUp } = require('../../dev/install/setUp');

const { whole: isWhole, ...numbers } = readSwitches({
	name: 'model',
	about: `Random histories of the service, of n8n and of its clock, each poll of the trigger judged by what was promised.
Prints the shortest history that breaks a promise, step by step, with what each poll gave; ends with status 1 then.`,
	switches: {
		histories: { type: 'number', default: 2000, about: 'how many' },
		seed: { type: 'number', default: 1, about: 'other histories with another one' },
		steps: { type: 'number', default: 30, about: 'the longest history' },
		whole: { type: 'boolean', about: 'the history as it was found, not the shortest' },
	},
});
setUp();
require('../setup/n8nSettings.js');
require('../setup/regexEngine.js');
require('tsx/cjs');

void require('../helpers/model/program.ts')
	.main({ ...numbers, isWhole }, console.log)
	.then((/** @type {boolean} */ isKept) => {
		if (!isKept) process.exitCode = 1;
	});
