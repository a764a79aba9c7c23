/**
 * Programs of our own: each says what it does, at once and in a clone where nothing is installed, and a switch that there is not
 * is one line with those that there are. `npm test` says what is missing when there is no network.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { tooOld } = require('../../dev/install/nodeVersion');
const { copyRepository } = require('../helpers/copy');
const { emptyFolder, removeFolder } = require('../helpers/folder');
const { repositoryFiles } = require('../helpers/repositoryFiles');

const programs = repositoryFiles().filter(
	(file) => /^(dev|test)\/.*\.js$/.test(file) && /\breadSwitches\(\{/.test(readFileSync(join(ROOT, file), 'utf8')),
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

it('are many', () => expect(programs.length).toBeGreaterThan(8));

describe.each(programs)('%s', (file) => {
	it('--help: what it does, and its switches', () => {
		const { status, stdout, stderr } = run(file, '--help');
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
		const [title, about, ...rest] = stdout.trimEnd().split('\n\n');
		expect(title).toMatch(/^(npm run [\w:]+|node (--[\w-]+ )?(dev|test)\/[\w/]+\.js)$/);
		expect(about).toMatch(/^\S[^]{15,}[.:]$/);
		const switches = rest.find((part) => part.startsWith('  --')) ?? '';
		expect(switches).toMatch(/^ {2}--help +show this$/m);
		for (const line of switches.split('\n')) expect(line).toMatch(/^ {2}--[a-z-]+( [A-Z=]+)? {2,}\S/);
	});

	it('a switch that there is not: one line with the list', () => {
		const { stdout } = run(file, '--help');
		const [title] = stdout.split('\n');
		const switches = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, one]) => one);
		const { status, stdout: said, stderr } = run(file, '--no-such-switch');
		expect({ status, said }).toEqual({ status: 2, said: '' });
		expect(stderr).toBe(`${title}: Unknown option '--no-such-switch'. There are: ${switches.join(', ')}\n`);
	});
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

describe('a number', () => {
	it.each([
		['no number', ['--port', 'many'], '--port takes a number'],
		['nothing', ['--port='], '--port takes a number'],
		['no value', ['--port'], "Option '--port <value>' argument missing"],
		['a value too many', ['7'], "Unexpected argument '7'"],
	])('%s', (_, args, said) => {
		const { status, stderr } = run('dev/sandbox/cli.js', ...args);
		expect({ status, stderr }).toEqual({
			status: 2,
			stderr: expect.stringMatching(new RegExp(`^npm run sandbox: ${said}. There are: --port, [^\\n]*--help\\n$`)),
		});
	});
});

it('an old Node gets an error that names the needed one', () => {
	expect(tooOld(process.versions.node)).toBeUndefined();
	expect(['20.19.0', '22.0.0', '24.1.0'].map(tooOld)).toEqual([undefined, undefined, undefined]);
	for (const old of ['20.18.3', '18.20.0', '14.21.3']) {
		expect(tooOld(old)).toMatch(/^This needs Node 20\.19 or newer; here runs /);
	}
});
