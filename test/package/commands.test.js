/**
 * Programs with switches: each says what it does, at once and in a clone where nothing is installed. `npm test` says what is missing when
 * there is no network, and on an old Node.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { copyRepository } = require('../helpers/copy');
const { emptyFolder, removeFolder } = require('../helpers/folder');
const { repositoryFiles } = require('../helpers/repositoryFiles');

const programs = repositoryFiles().filter(
	(file) => /^(dev|test)\/.*\.js$/.test(file) && /\breadSwitches\(HELP/.test(readFileSync(join(ROOT, file), 'utf8')),
);
/** @type {string} */
let clone;

beforeAll(() => {
	clone = emptyFolder();
	copyRepository(clone);
}, 120_000);
afterAll(() => removeFolder(clone));

/** @param {string[]} command */
function run(...command) {
	// A registry that does not exist: a program that installs before it answers fails at once, and leaves nothing running.
	const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9/', npm_config_cache: join(clone, 'npm') };
	return spawnSync(process.execPath, command, { cwd: clone, env, encoding: 'utf8' });
}

it('are these', () => {
	expect(programs).toEqual(['dev/bench/compare.js', 'dev/demo/demo.js', 'dev/sandbox/cli.js', 'test/trigger/model.js']);
});

describe.each(programs)('%s', (file) => {
	it('--help: what it does, and each of its switches', () => {
		const { status, stdout, stderr } = run(file, '--help');
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
		expect(stdout).toMatch(/^(npm run \w+ --|node test\/[\w/]+\.js) \[switches\]\n\n\S[^]{50,}/);
		const [, options] =
			/parseArgs\(\{\s*options: \{([^]*?\})\s*,?\s*\},?\s*\}\)/.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
		const switches = [...(options ?? '').matchAll(/'?([\w-]+)'?: \{ type/g)].map(([, name]) => name);
		expect(switches).toContain('help');
		for (const name of switches.filter((one) => one !== 'help')) expect(stdout).toMatch(`\n  --${name} `);
	});

	it('a switch that there is not: says so, with those that there are', () => {
		const { status, stdout, stderr } = run(file, '--no-such-switch');
		expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
		expect(stderr).toBe(`${stderr.split('\n')[0]}\n\n${run(file, '--help').stdout}`);
		expect(stderr).toMatch(/^Unknown option '--no-such-switch'/);
	});
});

it.each([
	['no number', ['--port', 'many'], '--port takes a number'],
	['nothing', ['--port='], '--port takes a number'],
	['no value', ['--port'], "Option '--port <value>' argument missing"],
	['a value too many', ['7'], "Unexpected argument '7'"],
])('a number: %s', (_, args, said) => {
	const { status, stderr } = run('dev/sandbox/cli.js', ...args);
	expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(`^${said}`) });
});

it('nothing was installed or built for that', () => {
	expect(['node_modules', 'dist', '.cache'].filter((name) => existsSync(join(clone, name)))).toEqual([]);
});

it('without a network, the first step of npm test says so', () => {
	const { status, stdout, stderr } = run('dev/setup.js');
	expect(stdout).toContain('Installing the development tools');
	expect(stderr).toMatch(/^npm install failed\. The npm registry could not be reached\.[^\n]*\nFull output: \S+\n$/);
	expect(status).toBe(1);
}, 120_000);

it.each(['20.18.3', '18.20.0', '14.21.3'])('on Node %s, the first step of npm test names the needed one', (version) => {
	const old = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require('./dev/setup.js');`;
	const { status, stderr } = run('-e', old);
	expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^This needs Node 20\.19 or newer;/) });
});
