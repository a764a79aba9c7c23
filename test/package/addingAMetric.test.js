/**
 * docs/adding-a-metric.md is true: its blocks are put where it says, in a copy of the repository, and the new metric is there,
 * from the field on the screen to the rows.
 */
const { spawnSync } = require('node:child_process');
const { readFileSync, symlinkSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { copyRepository, emptyFolder, removeFolder } = require('../helpers/folder');

const page = readFileSync(join(ROOT, 'docs', 'adding-a-metric.md'), 'utf8').replace(/^\t/gm, '');
const steps = [...page.matchAll(/In `([^`]+)`, before (?:the entry of )?`([^`]+)`:\n\n```\w+\n([^]*?)```/g)].map(
	([, file, before, block]) => ({ file, before, block }),
);
/** @type {string} */
let copy;

beforeAll(() => {
	copy = emptyFolder();
	copyRepository(copy);
	symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
	for (const { file, before, block } of steps) insert(join(copy, file), before, block);
});
afterAll(() => removeFolder(copy));

/**
 * Before the first line with these words; in code, before the entry that they are in.
 * @param {string} file
 * @param {string} words
 * @param {string} block
 */
function insert(file, words, block) {
	const lines = readFileSync(file, 'utf8').split('\n');
	let at = lines.findIndex((line) => line.includes(words));
	if (at < 0) throw new Error(`${file} has no ${words}`);
	while (file.endsWith('.ts') && !lines[at].endsWith('{')) at--;
	const [indent] = /^\t*/.exec(lines[at]) ?? [''];
	const inserted = block.split('\n').slice(0, -1);
	lines.splice(at, 0, ...inserted.map((line) => line && indent + line));
	writeFileSync(file, lines.join('\n'));
}

/** @param {string[]} command a program of node_modules */
function run([program, ...args]) {
	const command = [join(copy, 'node_modules', program), ...args];
	const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: copy, encoding: 'utf8' });
	if (status !== 0) throw new Error(stdout + stderr);
	return stdout + stderr;
}

it('takes four files', () => {
	expect(steps.map(({ file }) => file)).toEqual([
		'nodes/HealthDataService/service/readings/metrics.ts',
		'dev/sandbox/metrics.ts',
		'docs/contract.md',
		'README.md',
	]);
});

it('gives code that compiles and is formatted', async () => {
	expect(await run(['typescript/bin/tsc', '-p', 'dev/tsconfig.json'])).toBe('');
	const code = steps.map(({ file }) => file).filter((file) => file.endsWith('.ts'));
	expect(await run(['prettier/bin/prettier.cjs', '--check', ...code])).toContain(
		'All matched files use Prettier code style!',
	);
});

it('gives the metric: operation, rows, pages, days, event; preview', async () => {
	const tests = [
		'metric/heartRate.test.ts',
		'engine/firstClick.test.ts',
		'repository/pages.test.js',
		'repository/screen.test.ts',
		...['metrics', 'identity', 'summary', 'readUsers'].map((name) => `unit/service/readings/${name}.test.ts`),
	].map((name) => `test/${name}`);
	const jest = ['jest/bin/jest.js', '--config', 'test/jest.config.js', '--runInBand', '--verbose'];
	/** @param {string[]} names */
	const matching = (names) => names.flatMap((name) => ['--testMatch', `<rootDir>/${name}`]);
	await run([...jest, '-u', ...matching(['test/repository/screen.test.ts'])]);
	// The words of step 5 are not in the copy.
	expect(() => run([...jest, ...matching(['test/repository/metricPlaces.test.ts'])])).toThrow('7 failed');
	const output = await run([...jest, ...matching(tests)]);
	for (const test of tests) expect(output).toContain(`PASS ${test}`);
	expect(output).toContain('✓ timeseries/heartRate');
});
