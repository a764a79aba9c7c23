/** The scripts of package.json: `npm test` runs every check, `.ci/run` every jest configuration, and each test file is in one. */
const { execFileSync } = require('node:child_process');
const { readFileSync, readdirSync } = require('node:fs');
const { join, relative } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { repositoryFiles } = require('../helpers/repositoryFiles');

/** @param {string} file */
const read = (file) => readFileSync(join(ROOT, file), 'utf8');
/** @type {Record<string, string>} */
const scripts = JSON.parse(read('package.json')).scripts;
const configurations = readdirSync(join(ROOT, 'test'))
	.filter((name) => /^jest\..*js$/.test(name))
	.map((name) => `test/${name}`);

/** Names of the scripts that a script runs through `run-s` and `run-p`. @param {string} name @returns {string[]} */
const scriptsIn = (name) => {
	const [, names = ''] = /run-[sp]( .*)$/.exec(scripts[name]) ?? [];
	const called = names.split(' ').filter((word) => word && !word.startsWith('--'));
	return called.flatMap((one) => [one, ...scriptsIn(one)]);
};

it('npm test runs the checks that need no n8n, and each of them exists', () => {
	const called = scriptsIn('test');
	expect(called.filter((name) => !scripts[name])).toEqual([]);
	expect(called).toEqual([
		...['check', 'lint', 'format:check', 'typecheck', 'spelling', 'pages'],
		...['test:unit', 'test:isolated'],
	]);
});

it.each([
	// Without a cache: a rule may look at another file than the one that it names, such as an icon.
	['lint', 'eslint . --ignore-pattern .cache/ && '],
	// A new circle has a changed file in it.
	[
		'lint',
		'eslint --cache --cache-location .cache/imports --config dev/importRule.config.mjs --no-inline-config nodes',
	],
	['format:check', '"{nodes,credentials,dev,test}/**/*.{ts,js,mjs}"'],
	['typecheck', 'tsc -p dev/tsconfig.json'],
	['pages', 'markdownlint-cli2 --config dev/prose/.markdownlint-cli2.jsonc "*.md" "docs/*.md"'],
	['pages', 'textlint --config dev/prose/textlint.json "*.md" "docs/*.md"'],
	['pages', 'tsx dev/prose/links.mjs'],
])('%s runs %s', (name, part) => expect(scripts[name]).toContain(part));

it('the spelling check reads pages and code', () => {
	const { files } = JSON.parse(read('dev/prose/cspell.json'));
	expect(files).toEqual(['*.md', '*/**/*.md', '{nodes,credentials,dev,test}/**/*.{ts,js,mjs}', 'gulpfile.js']);
});

it('there are at most 21 scripts', () => expect(Object.keys(scripts).length).toBeLessThanOrEqual(21));

it('.ci/run has a command for every jest configuration, the model and the scan', () => {
	const steps = [...read('.ci/run').matchAll(/^\t?step \d (?:env (?:\w+=\w+ )+)?(.+?)( &&)?$/gm)].map(
		([, step]) => step,
	);
	const names = steps.map((step) => /^npm (?:run )?([\w:]+)/.exec(step)?.[1] ?? step);
	const commands = names.flatMap((name) => [name, ...(scripts[name] ? scriptsIn(name) : [])]);
	const words = commands.map((name) => scripts[name] ?? name).join(' ');
	expect(configurations.filter((file) => !words.includes(file))).toEqual([]);
	expect(commands).toContain('scan');
	expect(words.match(/test\/trigger\/model\.js/g)).toHaveLength(3);
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
