/**
 * `npm test`: all checks that need no running n8n.
 */
const { readSwitches } = require('../install/switches');

if (require.main === module)
	readSwitches({
		name: 'test',
		about: `Everything that can be checked without a running n8n: lint, imports, formatting, types, spelling and links, unit tests, tests in n8n's engine
(a sample also with isolated expressions; EXPRESSIONS=all: each that holds one), the trigger against a model in random histories.
Names the step that fails.`,
	});

const { leavingNothing } = require('../install/temporary');
const { setUp } = require('../install/setUp');
const { runSteps } = require('./steps');
const { TOOLS } = require('./tool');

const [JEST] = TOOLS['test:unit'].commands;
const [TYPES_OF_TOOLS, TYPES_OF_TESTS] = TOOLS.typecheck.commands;

/** @type {import('./steps').Step[]} */
const PAGES = ['Markdown of the pages', 'Terminology of the pages', 'Links of the pages'].map((title, index) => ({
	title,
	command: TOOLS.pages.commands[index],
}));

/** @type {import('./steps').Step[]} */
const STEPS = [
	{ title: 'Types of node and tests', command: TYPES_OF_TESTS },
	{ title: 'Lint, with the strict rules of the verification', command: TOOLS.lint.commands[0] },
	{ title: 'Types of the tools, JavaScript included', command: TYPES_OF_TOOLS },
	{ title: 'Import rule', command: TOOLS['lint:imports'].commands[0] },
	{ title: 'Formatting', command: TOOLS['format:check'].commands[0] },
	{ title: 'Spelling', command: TOOLS.spelling.commands[0] },
	...PAGES,
	{ title: "Unit tests, tests in n8n's engine, tests of the trigger", command: JEST, usesAllCores: true },
	{
		title: 'Expressions, evaluated in an isolate as n8n does',
		command: ['jest', '--config', 'test/jest.isolated.config.js'],
		env: { NODE_OPTIONS: '--experimental-vm-modules --no-warnings' },
		usesAllCores: true,
	},
];

async function main() {
	setUp();
	// Ctrl-C ends the step; the temporary folder is removed after that.
	process.on('SIGINT', () => {});
	const status = await leavingNothing(async (temporary) => await runSteps(STEPS, temporary));
	if (status === 0) console.log(`\nAll ${STEPS.length} steps passed, and nothing is left behind.`);
	process.exit(status);
}

if (require.main === module) void main();

module.exports = { PAGES, STEPS };
