/**
 * Every command of package.json says what it does, at once and in a clone where nothing is installed; and what it is told and
 * does not know is one line with what there is.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { tooOld } = require('../../dev/install/nodeVersion');
const { copyRepository } = require('../helpers/copy');
const { emptyFolder, removeFolder } = require('../helpers/folder');

/** @type {{ scripts: Record<string, string> }} */
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const commands = Object.keys(scripts);
/** @type {string} */
let clone;

beforeAll(() => {
	clone = emptyFolder();
	copyRepository(clone);
}, 120_000);
afterAll(() => removeFolder(clone));

/** @param {string} name @param {string[]} args */
function run(name, args) {
	const [, ...words] = scripts[name].split(' ');
	// A registry that does not exist: a command that installs before it answers fails at once, and leaves nothing running.
	const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9/', npm_config_cache: join(clone, 'npm') };
	return spawnSync(process.execPath, [...words, ...args], { cwd: clone, env, encoding: 'utf8' });
}

it('are many', () => expect(commands.length).toBeGreaterThan(15));

describe.each(commands)('npm run %s', (name) => {
	it('is one program of ours, so that it decides when something is installed', () => {
		expect(scripts[name]).toMatch(/^node (--[\w-]+ )*(dev|test)\/[\w/]+\.js( [\w:-]+)*$/);
	});

	it('--help: what it does, and its switches', () => {
		const { status, stdout, stderr } = run(name, ['--help']);
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
		const [title, about, ...rest] = stdout.trimEnd().split('\n\n');
		expect(title).toBe(`npm run ${name}`);
		expect(about).toMatch(/^\S[^]{15,}[.:]$/);
		const switches = rest.find((part) => part.startsWith('  --')) ?? '';
		expect(switches).toMatch(/^ {2}--help +show this$/m);
		for (const line of switches.split('\n')) expect(line).toMatch(/^ {2}--[a-z-]+( [A-Z=]+)? {2,}\S/);
	});

	it('a switch that there is not: one line with the list, or the tool that gets it', () => {
		const { stdout } = run(name, ['--help']);
		if (/Everything else goes to \S/.test(stdout))
			return expect(scripts[name]).toBe(`node dev/scripts/tool.js ${name}`);
		const switches = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, one]) => one);
		const { status, stdout: said, stderr } = run(name, ['--no-such-switch']);
		expect({ status, said }).toEqual({ status: 2, said: '' });
		expect(stderr).toBe(`npm run ${name}: Unknown option '--no-such-switch'. There are: ${switches.join(', ')}\n`);
	});
});

it('nothing was installed or built for that', () => {
	expect(['node_modules', 'dist', '.cache'].filter((name) => existsSync(join(clone, name)))).toEqual([]);
});

it('a tool receives its arguments, after its prerequisites are installed', () => {
	const { status, stdout, stderr } = run('lint', ['--no-such-switch']);
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
		const { status, stderr } = run('sandbox', args);
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
