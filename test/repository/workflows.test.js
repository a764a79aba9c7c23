/**
 * The GitHub workflows: nothing that can change under us, no more permission than needed, and only commands that exist.
 */
const { execFile } = require('node:child_process');
const { once } = require('node:events');
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { join, relative } = require('node:path');
const { promisify } = require('node:util');
const { parse } = require('yaml');
const { cleanEnvironment } = require('../../dev/install/cleanEnvironment');
const { ROOT } = require('../../dev/paths');
const { RELEASE } = require('../../dev/scripts/releaseCheck');
const { emptyFolder, removeFolder } = require('../helpers/folder');

const folder = join(ROOT, '.github', 'workflows');
/** @param {string} file */
const read = (file) => readFileSync(join(folder, file), 'utf8');
const files = readdirSync(folder);
/** @typedef {{ uses?: string, run?: string, with?: Record<string, unknown> }} Step */
/** @type {(file: string) => Step[]} */
const stepsOf = (file) => Object.values(parse(read(file)).jobs).flatMap(({ steps }) => steps);
/** The one command that is npm's own. */
const PUBLISH = 'npm publish ./*.tgz';
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

it('are these', () => expect(files).toEqual(['ci.yml', 'publish.yml']));

describe.each(files)('%s', (file) => {
	it('pins every action by the hash of a commit, with its version beside it', () => {
		const uses = read(file)
			.split('\n')
			.filter((line) => line.includes('uses:'));
		expect(uses).toHaveLength(stepsOf(file).filter((step) => 'uses' in step).length);
		for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
	});

	it('runs only what is there', () => {
		const commands = stepsOf(file).flatMap((step) => step.run ?? []);
		/** @param {string} command */
		const isThere = (command) => {
			if (command === PUBLISH) return true;
			const [, script] = /^npm (?:run )?(\S+)$/.exec(command) ?? [];
			return script ? script in manifest.scripts : existsSync(join(ROOT, command));
		};
		expect(commands).not.toEqual([]);
		expect(commands.filter((command) => !isThere(command))).toEqual([]);
	});

	it('knows no token, and leaves that of GitHub nowhere', () => {
		expect(JSON.stringify(parse(read(file)))).not.toMatch(/secrets\.|_TOKEN|registry-url|pull_request_target/);
		const checkouts = stepsOf(file).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
		expect(checkouts).not.toEqual([]);
		for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
	});
});

it('may only read, but for the one job that publishes', () => {
	const permissions = files.flatMap((file) => {
		const workflow = parse(read(file));
		const ofJobs = Object.entries(workflow.jobs).filter(([, job]) => 'permissions' in job);
		return [[file, workflow.permissions], ...ofJobs.map(([name, job]) => [`${file} ${name}`, job.permissions])];
	});
	expect(Object.fromEntries(permissions)).toEqual({
		'ci.yml': { contents: 'read' },
		'publish.yml': { contents: 'read' },
		'publish.yml publish': { 'id-token': 'write' },
	});
});

it('publish of a tag the very file that was checked, on a Node with an npm that needs no token', () => {
	const { on, jobs } = parse(read('publish.yml'));
	expect(on).toEqual({ push: { tags: ['v*'] } });
	const [checkout, , check, upload] = jobs.check.steps;
	expect(checkout.with['fetch-depth']).toBe(0);
	expect(check).toEqual({ run: 'npm run release:check' });
	expect(upload.uses).toContain('actions/upload-artifact@');
	expect(upload.with).toEqual({
		name: 'package',
		path: `${relative(ROOT, RELEASE)}/*.tgz`,
		'include-hidden-files': true,
		'if-no-files-found': 'error',
	});

	expect(jobs.publish).toMatchObject({ needs: 'check', environment: 'npm' });
	const [node, download, publish, ...more] = jobs.publish.steps;
	expect(node.with).toEqual({ 'node-version': 24 });
	expect(download.uses).toContain('actions/download-artifact@');
	expect(download.with).toEqual({ name: 'package' });
	// Nothing of the repository runs where the permission to publish is.
	expect([publish, ...more]).toEqual([{ run: PUBLISH }]);
	expect(PUBLISH).not.toMatch(/provenance/);
	expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
});

it('npm refuses to publish from a personal machine, where it cannot attest the source of the package', async () => {
	/** @type {string[]} */
	const asked = [];
	const registry = createServer(({ method, url }, response) => {
		asked.push(`${method} ${url}`);
		response.writeHead(method === 'GET' ? 404 : 200, { 'content-type': 'application/json' }).end('{}');
	}).listen(0, '127.0.0.1');
	await once(registry, 'listening');
	const { port } = /** @type {import('node:net').AddressInfo} */ (registry.address());
	const folder = emptyFolder();
	try {
		const { name, version, publishConfig } = manifest;
		writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, publishConfig }));
		const address = `127.0.0.1:${port}/`;
		writeFileSync(join(folder, '.npmrc'), `registry=http://${address}\n//${address}:_authToken=any\n`);
		// As on one's own machine, wherever this runs.
		const env = cleanEnvironment({
			CI: '',
			GITHUB_ACTIONS: '',
			GITLAB_CI: '',
			npm_config_registry: `http://${address}`,
		});
		const { code, stderr } = await promisify(execFile)('npm', ['publish', '--ignore-scripts'], {
			cwd: folder,
			env,
		}).then(
			() => ({ code: 0, stderr: '' }),
			(error) => error,
		);
		expect(stderr).toMatch(/provenance/i);
		expect(code).not.toBe(0);
		expect(asked.filter((one) => one.startsWith('PUT'))).toEqual([]);
	} finally {
		removeFolder(folder);
		registry.close();
	}
});

it('test the oldest Node that package.json allows, and everything on the newest', () => {
	const { jobs } = parse(read('ci.yml'));
	const tested = jobs.test.strategy.matrix.node;
	expect(tested).toEqual([20, 22]);
	expect(manifest.engines.node).toMatch(new RegExp(`^>=${tested[0]}\\.`));
	expect(jobs.test.steps.at(-1).run).toBe('npm test');
	expect(jobs.everything.steps.at(-2).with).toEqual({ 'node-version': 24 });
	expect(jobs.everything.steps.at(-1).run).toBe('.ci/run');
});
