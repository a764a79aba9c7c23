/**
 * `npm test`: everything that can be checked without a running n8n, one step after the other, stopping at the first that fails.
 */
const { readSwitches } = require('../install/switches');
const { setUp } = require('../install/setUp');
const { leavingNothing } = require('../install/temporary');
const { TOOLS, runTool } = require('./tool');

readSwitches({
	name: 'test',
	about: `Everything that can be checked without a running n8n, one step after the other, stopping at the first that fails: lint,
imports, formatting, types, unit tests, tests in n8n's engine (a sample also with isolated expressions; EXPRESSIONS=all: each that holds one), the trigger against
a model in 2,000 random histories, the packed package. About ten minutes.`,
});
setUp();

const [JEST] = TOOLS['test:unit'].commands;
const [TYPES_OF_TOOLS, TYPES_OF_TESTS] = TOOLS.typecheck.commands;

/** @type {Array<{ title: string, command: string[], env?: Record<string, string> }>} */
const STEPS = [
	{ title: 'Lint, with the strict rules of the verification', command: TOOLS.lint.commands[0] },
	{
		title: 'Who may import whom',
		command: ['eslint', '--config', 'dev/importRule.config.mjs', '--no-inline-config', 'nodes', 'credentials', 'dev'],
	},
	{ title: 'Formatting', command: TOOLS['format:check'].commands[0] },
	{ title: 'Types of all that only developers run, JavaScript included', command: TYPES_OF_TOOLS },
	{ title: 'Types of node and tests', command: TYPES_OF_TESTS },
	{ title: "Unit tests, tests in n8n's engine, the packed package", command: JEST },
	{
		title: 'Expressions, evaluated in an isolate as n8n does',
		command: ['jest', '--config', 'test/jest.isolated.config.js'],
		env: { NODE_OPTIONS: '--experimental-vm-modules --no-warnings' },
	},
];

/** @param {Record<string, string>} temporary the variables of the temporary folder */
function runSteps(temporary) {
	for (const [index, { title, command, env }] of STEPS.entries()) {
		console.log(`\n[${index + 1}/${STEPS.length}] ${title}`);
		const status = runTool(command, { ...temporary, ...env });
		if (status !== 0) {
			console.error(`\nFailed: ${title}`);
			return status;
		}
	}
	return 0;
}

// Ctrl-C ends the step, and what it leaves still goes.
process.on('SIGINT', () => {});
const status = leavingNothing(runSteps);
if (status === 0) console.log(`\nAll ${STEPS.length} steps passed, and nothing is left behind.`);
process.exit(status);
