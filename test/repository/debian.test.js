/**
 * Installing Debian's packages, with an apt-get of our own: what is said before, how to refuse, and that no service which a package
 * starts is left running.
 */
const { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { findOrInstall, findProgram } = require('../../dev/install/debian');

const PROGRAM = 'program-of-the-tests';
const { PATH } = process.env;
/** @type {string} */
let folder;
/** @type {string[]} */
let said;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'debian-'));
	said = [];
	process.env.PATH = `${folder}:${PATH}`;
	script('sudo', 'shift; exec "$@"');
	script('systemctl', note('systemctl'));
	script('apt-get', `${note('apt-get')}\ncase "$*" in *install*) touch "${join(folder, PROGRAM)}";; esac`);
});
afterEach(() => {
	process.env.PATH = PATH;
	delete process.env.NO_APT_GET;
	rmSync(folder, { recursive: true });
});

/** @param {string} name @param {string} body */
function script(name, body) {
	writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
	chmodSync(join(folder, name), 0o755);
}
/** @param {string} name */
const note = (name) => `echo "${name} $*" >> "${join(folder, 'calls')}"`;
const calls = () =>
	existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];
const changes = () => calls().filter((call) => !call.endsWith('--version'));

const install = async (more = {}) =>
	await findOrInstall(() => findProgram(PROGRAM), {
		what: 'The test needs a program',
		packages: ['its-package'],
		log: (line) => said.push(line),
		...more,
	});

it('installs nothing where the program is there', async () => {
	writeFileSync(join(folder, PROGRAM), '');
	expect(await install()).toBe(join(folder, PROGRAM));
	expect([calls(), said]).toEqual([[], []]);
});

it('says before it begins what it will install, as which user, and how to refuse', async () => {
	let saidFirst = 0;
	const log = (/** @type {string} */ line) => {
		saidFirst ||= changes().length + 1;
		said.push(line);
	};
	expect(await install({ log })).toBe(join(folder, PROGRAM));
	expect(saidFirst).toBe(1);
	// Beside this test, a real installation may be going on.
	const lines = said.filter((line) => !line.startsWith('Waiting for process'));
	expect(lines).toHaveLength(1);
	expect(lines[0]).toMatch(/^The test needs a program\. .* its-package .* as root .* NO_APT_GET=1/);
	expect(changes()).toEqual([
		'apt-get update',
		'apt-get install --yes --no-upgrade --no-install-recommends its-package',
	]);
});

it('installs nothing where that is refused', async () => {
	process.env.NO_APT_GET = '1';
	await expect(install()).rejects.toThrow(/^The test needs a program\. Install .*its-package.* and run this again/);
	expect(changes()).toEqual([]);
});

it('ends the services that the packages have started, and says so', async () => {
	await install({ services: ['one', 'two'] });
	expect(changes().slice(2)).toEqual(['systemctl disable --now one', 'systemctl disable --now two']);
	expect(said.at(-1)).toBe('Stopped and disabled, because it is not needed here: the service one, two');
});

it('says so when it could not end them', async () => {
	script('systemctl', 'exit 1');
	script('service', 'exit 1');
	await install({ services: ['one'] });
	expect(said.at(-1)).toMatch(/^The package may have started the service one/);
});

it('says which packages are missing when there is no apt-get', async () => {
	script('apt-get', 'exit 1');
	await expect(install()).rejects.toThrow(/^The test needs a program\. Install .*its-package/);
});
