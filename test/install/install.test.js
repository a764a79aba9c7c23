/** Every way of docs/install.md, by the commands that stand there, each ending in an n8n that runs the node. */
const {
	copyFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} = require('node:fs');
const { delimiter, dirname, join } = require('node:path');
const { parse } = require('yaml');
const { packPackage } = require('../../dev/host/installPackage');
const { startN8n } = require('../../dev/host/n8n');
const { WITHOUT_EDITOR } = require('../../dev/host/n8nEnvironment');
const { N8N_BIN, NODE24 } = require('../../dev/host/hostPaths');
const { until } = require('../../dev/host/process/until');
const { ROOT } = require('../../dev/paths');
const { startSandbox } = require('../../dev/sandbox/server');
const { emptyFolder, removeFolder } = require('../helpers/folder');
const { prepareFolder } = require('../helpers/folderWithPackage');
const { useNode } = require('../e2e/n8n');
const { bloodPressure, History, KEY } = require('../helpers/people');
const { listUsers } = require('../helpers/requests');
const { buildImage } = require('./docker');
const { blocks, commandsOf, docs, readmeBlocks, runCommands } = require('./page');
const { NAME, startRegistry } = require('./registry');
const { rowsOf, triggerWorkflow } = require('./triggerWorkflow');

const HOUR = 3_600_000;
/** What an unpacked package has. */
const PACKED = ['LICENSE.md', 'README.md', 'dist', 'package.json'];
const history = new History();
const anna = history.addUser('anna');

/** @type {string} */
let folder;
/** @type {string} */
let bin;
/** @type {Awaited<ReturnType<typeof startRegistry>>} */
let registry;
/** @type {import('../../dev/sandbox/server').Sandbox} */
let sandbox;
/** @type {string} */
let integrity;
/** @type {Awaited<ReturnType<typeof startN8n>>} */
let n8n;

beforeAll(async () => {
	folder = emptyFolder();
	registry = await startRegistry(folder);
	integrity = await registry.publish('0.1.0');
	sandbox = await startSandbox({ world: history });
	({ bin } = registry);
	writeFileSync(join(bin, 'n8n'), `#!/bin/sh\nexec '${NODE24}' '${N8N_BIN}' "$@"\n`, { mode: 0o755 });
	writeFileSync(join(bin, 'tini'), '#!/bin/sh\nshift\nexec "$@"\n', { mode: 0o755 });
});
afterEach(async () => await n8n?.stop());
afterAll(async () => {
	await sandbox?.close();
	registry?.close();
	removeFolder(folder);
});

/** A folder that is `~` and n8n's user folder, too. @param {string} name */
function newHome(name) {
	const home = join(folder, name);
	mkdirSync(home);
	return home;
}

/** Of an n8n that has been in use, without the package. @param {string} name */
async function usedHome(name) {
	const home = newHome(name);
	await prepareFolder(home);
	return home;
}

/** An n8n with the registry's `npm`, as the GUI's installation takes it. @param {string} home @param {Record<string, string>} [env] */
async function start(home, env = {}) {
	const PATH = [bin, dirname(NODE24), process.env.PATH].join(delimiter);
	n8n = await startN8n({ folder: home, env: { HOME: home, PATH, ...WITHOUT_EDITOR, ...env } });
	return n8n.rest;
}

/** @param {string} home */
const modulesOf = (home) => join(home, '.n8n', 'nodes', 'node_modules');
/** @param {string} home */
const versionIn = (home) => JSON.parse(readFileSync(join(modulesOf(home), NAME, 'package.json'), 'utf8')).version;

async function expectNodeToWork() {
	const { credential, run } = useNode(n8n.rest, sandbox);
	const { error, rows } = await run(await credential(KEY), listUsers());
	expect(error).toBeUndefined();
	expect(rows).toEqual(history.team.users);
}

it('the page has no commands that are not run here', () => {
	expect(blocks.sort()).toEqual([
		'docker',
		...['check', 'checksum', 'download', 'npm', 'uninstall', 'unpack', 'version'].map((name) => `run: ${name}`),
	]);
});

it('README.md: the file made in a clone, unpacked', async () => {
	expect(readmeBlocks).toEqual(['run: package', 'run: unpack here']);
	const home = await usedHome('clone');
	await runCommands('package', { home, cwd: ROOT, bin });
	renameSync(join(ROOT, `${NAME}-0.1.0.tgz`), join(home, `${NAME}-0.1.0.tgz`));
	await runCommands('unpack here', { home, bin });
	expect(readdirSync(join(modulesOf(home), NAME)).sort()).toEqual(PACKED);
});

it("from n8n's own screen, its update, a roll back, and what brings the package back when the folder is lost", async () => {
	const home = await usedHome('screen');
	const rest = await start(home);
	expect(await rest.post('/rest/community-packages', { name: NAME })).toMatchObject({ installedVersion: '0.1.0' });
	await expectNodeToWork();

	await registry.publish('0.1.1');
	expect(await rest.patch('/rest/community-packages', { name: NAME })).toMatchObject({ installedVersion: '0.1.1' });
	expect(versionIn(home)).toBe('0.1.1');
	await expectNodeToWork();
	await n8n.stop();

	await runCommands('version', { home, bin });
	expect(versionIn(home)).toBe('0.1.0');
	const [{ installedVersion }] = await (await start(home)).get('/rest/community-packages');
	expect(installedVersion).toBe('0.1.1');
	await expectNodeToWork();
	await n8n.stop();

	rmSync(join(home, '.n8n', 'nodes'), { recursive: true });
	await start(home, { N8N_REINSTALL_MISSING_PACKAGES: 'true' });
	expect(versionIn(home)).toBe('0.1.1');
	await expectNodeToWork();
});

it('with npm: install, upgrade, roll back; the trigger goes on where it was', async () => {
	const home = await usedHome('npm');
	await registry.publish('0.1.1');
	await runCommands('npm', { home, bin });
	expect(versionIn(home)).toBe('0.1.1');
	// No second n8n-workflow, and nothing else.
	expect(readdirSync(modulesOf(home)).filter((name) => !name.startsWith('.'))).toEqual([NAME]);
	await runCommands('version', { home, bin });
	expect(versionIn(home)).toBe('0.1.0');

	const rest = await start(home);
	await expectNodeToWork();
	const workflow = await rest.importWorkflow(triggerWorkflow(await useNode(rest, sandbox).credential(KEY)));
	history.add(anna, bloodPressure(new Date(Date.now() - HOUR).toISOString(), 99, 80));
	expect(await rest.activate(workflow)).toMatchObject({ status: 'published' });
	await n8n.stop();

	const expected = [];
	for (const [name, version] of [
		['npm', '0.1.1'],
		['version', '0.1.0'],
	]) {
		const systolic = 120 + expected.push(name);
		history.add(anna, bloodPressure(new Date(Date.now() - HOUR).toISOString(), systolic, 80));
		await runCommands(name, { home, bin });
		expect(versionIn(home)).toBe(version);
		// n8n polls when it starts.
		const restarted = await start(home);
		await expectNodeToWork();
		await until('the execution', async () => (await rowsOf(restarted, workflow)).length >= expected.length);
		expect((await rowsOf(restarted, workflow)).map((row) => row.systolic).sort()).toEqual(
			expected.map((_, i) => 121 + i),
		);
		await n8n.stop();
	}
});

it('without the internet: a tarball with the right checksum, unpacked', async () => {
	const home = await usedHome('tarball');
	const carried = newHome('carried');
	expect(await runCommands('download', { home: carried, bin })).toContain(integrity);
	expect((await runCommands('checksum', { home, cwd: carried, bin })).trim()).toBe(integrity);
	await runCommands('unpack', { home, cwd: carried, bin });
	// In the place of what was there.
	writeFileSync(join(modulesOf(home), NAME, 'left-over.js'), '');
	await runCommands('unpack', { home, cwd: carried, bin });
	expect(readdirSync(join(modulesOf(home), NAME)).sort()).toEqual(PACKED);
	await start(home);
	await expectNodeToWork();
	await n8n.stop();

	const packed = join(modulesOf(home), NAME);
	cpSync(packed, `${packed}.old`, { recursive: true });
	await expect(start(home)).rejects.toThrow(`Node loader ${NAME} is already registered`);

	await runCommands('uninstall', { home, bin });
	expect(existsSync(join(modulesOf(home), NAME))).toBe(false);
});

it('the check of a worker tells one that has the package from one that has not, and leaves no settings of n8n behind', async () => {
	const home = newHome('worker');
	// The exit code of `grep` that finds nothing.
	await expect(runCommands('check', { home, bin })).rejects.toMatchObject({ code: 1 });
	await runCommands('npm', { home, bin });
	await runCommands('version', { home, bin });
	const output = await runCommands('check', { home, bin });
	for (const name of ['healthDataService', 'healthDataServiceTrigger'])
		expect(output).toContain(`"name":"${NAME}.${name}"`);
	expect(output).toContain('"version": "0.1.0"');
	// With a new encryption key in it, the worker would not start.
	expect(existsSync(join(home, '.n8n', 'config'))).toBe(false);
});

describe('in a Docker image', () => {
	/** @type {Awaited<ReturnType<typeof buildImage>>} */
	let image;
	beforeAll(async () => (image = await buildImage(join(folder, 'image'), bin)));

	it('the page builds from the folder with the Dockerfile, which is of the n8n that is tested', () => {
		expect(commandsOf('docker')).toMatch(/^docker build .* docs$/m);
		// Docker opens a port without an address on all interfaces.
		expect(commandsOf('docker')).toMatch(/--publish 127\.0\.0\.1:5678:5678 /);
		const { n8n: version } = require('../../dev/host/newest/package.json').dependencies;
		expect(image.from).toBe(`docker.n8n.io/n8nio/n8n:${version}`);
	});

	it('compose.yaml builds the same image, keeps n8n in a volume and sets a time zone', () => {
		const { services, volumes } = parse(readFileSync(join(docs, 'compose.yaml'), 'utf8'));
		const [volume, target] = services.n8n.volumes[0].split(':');
		expect([services.n8n.build, target, Object.keys(volumes)]).toEqual(['.', '/home/node/.n8n', [volume]]);
		expect(Intl.supportedValuesOf('timeZone')).toContain(services.n8n.environment.GENERIC_TIMEZONE);
	});

	it('before the package is on npm: from the file that lies beside the Dockerfile', async () => {
		const context = newHome('context');
		for (const file of ['Dockerfile', 'docker-start.sh']) copyFileSync(join(docs, file), join(context, file));
		copyFileSync(await packPackage(), join(context, `${NAME}-0.1.0.tgz`));
		const nowhere = join(newHome('no-npm'), 'bin');
		cpSync(bin, nowhere, { recursive: true });
		writeFileSync(join(nowhere, 'npm'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
		await expect(buildImage(join(folder, 'no-image'), nowhere)).rejects.toMatchObject({ code: 1 });

		const own = await buildImage(join(folder, 'own-image'), nowhere, context);
		await own.start('--version');
		expect(versionIn(own.home)).toBe('0.1.0');
	});

	it('an empty volume: n8n starts with the package', async () => {
		expect(await image.start('--version')).toContain(require('../../dev/host/newest/package.json').dependencies.n8n);
		await start(image.home, { N8N_DISABLE_UI: 'false' });
		await expectNodeToWork();
		for (const icon of ['healthDataService.svg', 'healthDataService.dark.svg'])
			expect(await n8n.rest.get(`/icons/${NAME}/dist/icons/${icon}`)).toContain('<svg');
	});

	it('a used volume: the version of the image takes the place of the one in it', async () => {
		const other = newHome('other');
		await registry.publish('0.1.1');
		await runCommands('npm', { home: other, bin });
		rmSync(join(image.home, '.n8n'), { recursive: true, force: true });
		renameSync(join(other, '.n8n'), join(image.home, '.n8n'));
		expect(versionIn(image.home)).toBe('0.1.1');
		for (let starts = 0; starts < 2; starts++) {
			await image.start('--version');
			expect(versionIn(image.home)).toBe('0.1.0');
		}
	});
});
