/** The GitHub workflows: nothing that can change under us, no more permission than needed, and only commands that exist. */
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { parse } = require('yaml');
const { ROOT } = require('../../dev/paths');
const { RELEASE } = require('../../dev/scripts/releaseCheck');

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
