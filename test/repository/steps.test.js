/**
 * The steps of `npm test`, `npm run check` and `.ci/run`: none of them is missing, and each test file runs in one of them.
 */
const { execFileSync } = require('node:child_process');
const { readFileSync, readdirSync } = require('node:fs');
const { basename, join, relative } = require('node:path');
const { filesToTest, stepsFor } = require('../../dev/scripts/check');
const { testsThatReach, withinBudget } = require('../../dev/scripts/reachingTests');
const { runSteps } = require('../../dev/scripts/steps');
const { STEPS } = require('../../dev/scripts/test');
const { TOOLS } = require('../../dev/scripts/tool');
const { ROOT } = require('../../dev/paths');
const { repositoryFiles } = require('../helpers/repositoryFiles');

/** @param {string} file */
const read = (file) => readFileSync(join(ROOT, file), 'utf8');
/** @param {Array<{ command: string[] }>} steps @param {string} program @returns {string[]} the arguments of each call */
const callsOf = (steps, program) =>
	steps.filter(({ command }) => command[0] === program).map(({ command }) => command.slice(1).join(' '));

const configurations = readdirSync(join(ROOT, 'test'))
	.filter((name) => /^jest\..*js$/.test(name))
	.map((name) => `test/${name}`);

describe('npm test', () => {
	it('lints by the strict rules and by the import rule, and checks formats and types', () => {
		expect(callsOf(STEPS, 'eslint')).toEqual([
			// Without a cache: a rule may look at another file than the one that it names, such as an icon.
			'. --ignore-pattern .cache/',
			'--config dev/importRule.config.mjs --no-inline-config nodes credentials dev',
		]);
		expect(callsOf(STEPS, 'prettier')).toEqual([expect.stringMatching(/^--check .*\{nodes,credentials,dev,test\}/)]);
		const projects = callsOf(STEPS, 'tsc').map((call) => /-p (\S+)/.exec(call)?.[1]);
		expect(projects.sort()).toEqual(['dev/tsconfig.json', 'test/tsconfig.json']);
	});

	it('checks spelling, Markdown, terminology and links', () => {
		expect(callsOf(STEPS, 'cspell')).toEqual([expect.stringContaining('**/*.md {nodes,credentials,dev,test}/')]);
		for (const program of ['markdownlint-cli2', 'textlint'])
			expect(callsOf(STEPS, program)).toEqual([expect.stringContaining('*.md docs/*.md')]);
		expect(callsOf(STEPS, 'tsx')).toEqual(['dev/prose/links.mjs']);
	});

	it('runs the tests, and those of expressions in the isolate', () => {
		expect(callsOf(STEPS, 'jest')).toEqual(['--config test/jest.config.js', '--config test/jest.isolated.config.js']);
	});
});

it('.ci/run has a command for every jest configuration, npm test, the model and the scan', () => {
	const commands = [...read('.ci/run').matchAll(/^\t?step \d (?:env (?:\w+=\w+ )+)?npm (?:run )?([\w:]+)/gm)].map(
		([, name]) => name,
	);
	expect(commands).toEqual(expect.arrayContaining(['test', 'model', 'scan']));
	const called = [
		...STEPS,
		...commands.flatMap((name) => (TOOLS[name]?.commands ?? []).map((command) => ({ command }))),
	];
	const words = called.flatMap(({ command }) => command);
	expect(configurations.filter((file) => !words.includes(file))).toEqual([]);
});

it('every test file is in a configuration', () => {
	const files = repositoryFiles().filter((file) => /\.test\.(ts|js)$/.test(file));
	// It runs in a copy of the repository, see test/package/addingAMetric.test.js.
	const elsewhere = ['test/metric/heartRate.test.ts'];
	const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--listTests', '--projects', ...configurations];
	// On stderr, jest warns of settings that concern a run.
	const listed = execFileSync(process.execPath, jest, {
		cwd: ROOT,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const inConfigurations = listed
		.trim()
		.split('\n')
		.map((file) => relative(ROOT, file));
	expect(new Set([...inConfigurations, ...elsewhere])).toEqual(new Set(files));
});

describe('npm run check', () => {
	it('asks each tool about the changed files', () => {
		const file = 'nodes/HealthDataService/shared/values.ts';
		const steps = stepsFor([file], ['test/unit/shared/values.test.ts']);
		expect(callsOf(steps, 'eslint')).toEqual([
			`--no-warn-ignored ${file}`,
			`--config dev/importRule.config.mjs --no-inline-config ${file}`,
		]);
		expect(callsOf(steps, 'prettier')).toEqual([`--check --log-level warn ${file}`]);
		expect(callsOf(steps, 'tsc').sort()).toEqual(callsOf(STEPS, 'tsc').sort());
		expect(callsOf(steps, 'jest')).toEqual([
			'--config test/jest.config.js --runTestsByPath test/unit/shared/values.test.ts',
		]);
	});

	it('checks the prose of a page and runs the tests of the repository, which no import leads to', () => {
		const tests = filesToTest(['README.md']);
		expect(tests).toContain(`test/repository/${basename(__filename)}`);
		expect(filesToTest(['gulpfile.js'])).toEqual(['gulpfile.js']);
		const steps = stepsFor(['README.md'], tests);
		const programs = ['jest', 'cspell', 'markdownlint-cli2', 'textlint', 'tsx'];
		expect(steps.map(({ command }) => command[0])).toEqual(programs);
	});

	it('has nothing to do where nothing has changed', () => {
		expect(stepsFor([], [])).toEqual([]);
		expect(filesToTest([])).toEqual([]);
	});

	it.each([
		['nodes/HealthDataService/shared/values.ts', 'test/unit/shared/values.test.ts'],
		['credentials/HealthDataServiceApi.credentials.ts', 'test/engine/credential.test.ts'],
		['dev/install/temporary.js', 'test/repository/temporary.test.js'],
		['test/unit/shared/values.test.ts', 'test/unit/shared/values.test.ts'],
	])('finds for %s the test %s', (file, test) => expect(testsThatReach('test/jest.config.js', [file])).toContain(test));

	it('takes changed tests, then the tests of the changed file, then the quickest, within its time', () => {
		const [changed, own, quick, slow, unknown] = [
			'engine/tool',
			'unit/shared/values',
			'unit/rate',
			'trigger/rounds',
			'engine/new',
		].map((name) => `test/${name}.test.ts`);
		const times = { [changed]: 60_000, [own]: 20_000, [quick]: 3_000, [slow]: 40_000 };
		const files = ['nodes/HealthDataService/shared/values.ts', changed];
		expect(withinBudget([slow, unknown, quick, own, changed], files, times, 28_000)).toEqual({
			run: [changed, own, quick, unknown],
			leave: [slow],
		});
	});
});

describe('the steps of a run', () => {
	const good = { title: 'Good', command: ['prettier', '--version'] };
	const bad = { title: 'Bad', command: ['prettier', '--no-such-command', 'nowhere.ts'] };
	const later = { title: 'Later', command: ['prettier', '--version'], usesAllCores: true };

	/** @param {import('../../dev/scripts/steps').Step[]} steps */
	async function ran(steps) {
		const said = jest.spyOn(console, 'log').mockImplementation(() => {});
		const failed = jest.spyOn(console, 'error').mockImplementation(() => {});
		const status = await runSteps(steps);
		const [lines, errors] = [said, failed].map(({ mock }) => mock.calls.flat().join('\n'));
		said.mockRestore();
		failed.mockRestore();
		return { status, lines, errors };
	}

	it('are shown with their number, and pass', async () => {
		const { status, lines, errors } = await ran([good, good]);
		expect({ status, errors }).toEqual({ status: 0, errors: '' });
		expect(lines).toMatch(/^\[1\/2\] Good: passed \(\d+ s\)/m);
	});

	it('end at a failure, with its output and its name last', async () => {
		const { status, lines, errors } = await ran([bad, good, later]);
		expect(status).not.toBe(0);
		expect(lines).toMatch(/^\[1\/3\] Bad: FAILED \(\d+ s\)\n[^]*nowhere\.ts/m);
		expect(lines).toContain('Good: passed');
		expect(lines).not.toContain('Later');
		expect(errors).toBe('\nFailed: Bad');
	});
});
