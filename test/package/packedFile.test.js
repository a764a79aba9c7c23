/**
 * The tarball that would be published: what is in it, and that n8n's own loader takes it.
 */
const { execFileSync } = require('node:child_process');
const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { PackageDirectoryLoader } = require('n8n-core');
const { packPackage } = require('../../dev/host/installPackage');
const { CACHE } = require('../../dev/paths');
const { fileProblem, filesIn } = require('../../dev/scripts/packedFile');
const { missingIn, publicInterface, recorded } = require('../../dev/scripts/publicInterface');
const { straysOf } = require('../helpers/reach');

// Below the repository, so that `n8n-workflow` and `luxon` are found as they are inside n8n.
const folder = join(CACHE, 'package-test');
const unpacked = join(folder, 'package');
/** @type {string} */
let tarball;

beforeAll(async () => {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	tarball = await packPackage();
	execFileSync('tar', ['-xzf', tarball, '-C', folder]);
}, 120_000);

it('is as it should be', async () => {
	expect(await fileProblem(tarball)).toBeUndefined();
});

const NODE = 'dist/nodes/HealthDataService';
/**
 * Puts another package.json in.
 * @param {(manifest: Record<string, any>) => object} change
 */
const manifestWith = (change) => (/** @type {string} */ content) => {
	const file = join(content, 'package.json');
	const manifest = JSON.parse(readFileSync(file, 'utf8'));
	writeFileSync(file, JSON.stringify({ ...manifest, ...change(manifest) }));
};
/** @param {string} name @param {string | Buffer} text */
const written = (name, text) => (/** @type {string} */ content) => writeFileSync(join(content, name), text);

it.each([
	['nothing', '/dist', 'files are missing in it: dist/nodes/'],
	[
		'all but the credential',
		'/dist/credentials/HealthDataServiceApi.credentials.js',
		'1 files are missing in it: dist/c',
	],
	['all but a preview', `/${NODE}/__schema__/v1.0.0/timeseries/bloodPressure.json`, 'is not the preview of its metric'],
])('is distinguished from one with %s in it', async (_, lost, said) => {
	expect(await fileProblem(packedAnew((content) => rmSync(join(content, lost), { recursive: true })))).toContain(said);
});

/** Bytes that cannot be packed smaller. */
const noise = () => Buffer.from(Array.from({ length: 120_000 }, () => Math.floor(Math.random() * 256)));
it.each([
	['is too large', written('README.md', noise()), 'bytes, more than 100000'],
	['has what does not belong in it', written('.env', 'KEY=1'), '1 files do not belong in it: .env'],
	[
		'has another preview',
		written(`${NODE}/__schema__/v1.0.0/timeseries/bloodPressure.json`, '{}'),
		'is not the preview',
	],
	['does not load', written(`${NODE}/HealthDataService.node.js`, 'throw new Error("no")'), 'n8n does not load it'],
	['has another version', manifestWith(() => ({ version: '9.9.9' })), 'its package.json is not that of the repository'],
])('is distinguished from one that %s', async (_, plant, said) => {
	expect(await fileProblem(packedAnew(plant))).toContain(said);
});

it.each([
	['needs something', () => ({ dependencies: { axios: '*' } }), 'it needs axios'],
	['overrides something', () => ({ overrides: { axios: '*' } }), 'it needs axios'],
	['wants another n8n', () => ({ peerDependencies: { 'n8n-workflow': '^2' } }), "its 'peerDependencies' are not"],
	['runs something', () => ({ scripts: { postinstall: 'x' } }), 'it runs something when it is installed: postinstall'],
	['hides where it is from', () => ({ publishConfig: { access: 'public' } }), "'publishConfig.provenance' is not true"],
	[
		'lists one node',
		(/** @type {any} */ one) => ({ n8n: { ...one.n8n, nodes: one.n8n.nodes.slice(1) } }),
		'n8n loads 1 nodes and 1 cred',
	],
	[
		'lists none',
		(/** @type {any} */ one) => ({ n8n: { ...one.n8n, nodes: [], credentials: [] } }),
		'n8n loads 0 nodes and 0 credentials',
	],
])('is distinguished from one that %s, as the repository does', async (_, change, said) => {
	// As in a repository that has the same package.json.
	const file = packedAnew(manifestWith(change));
	const manifest = JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }));
	expect(await fileProblem(file, manifest)).toContain(said);
});

/**
 * The file with something planted in it.
 * @param {(content: string) => void} plant
 */
function packedAnew(plant) {
	const content = join(folder, 'planted');
	rmSync(content, { recursive: true, force: true });
	mkdirSync(content);
	execFileSync('tar', ['-xzf', tarball, '-C', content]);
	plant(join(content, 'package'));
	execFileSync('tar', ['-czf', join(folder, 'planted.tgz'), '-C', content, 'package']);
	return join(folder, 'planted.tgz');
}

it('is the file that everything uses while a release is checked', async () => {
	const before = process.env.PACKED_FILE;
	process.env.PACKED_FILE = 'the file';
	expect(await packPackage()).toBe('the file');
	if (before === undefined) delete process.env.PACKED_FILE;
	else process.env.PACKED_FILE = before;
});

it('needs and reaches nothing at run time but what n8n brings', () => {
	const code = filesIn(unpacked).filter((name) => name.endsWith('.js'));
	expect(straysOf(code.map((name) => join(unpacked, name)))).toEqual([]);
});

it("is taken by n8n's own loader, with icons and codex", async () => {
	const loader = new PackageDirectoryLoader(unpacked);
	await loader.loadAll();

	expect(Object.keys(loader.nodeTypes)).toEqual(['healthDataService', 'healthDataServiceTrigger']);
	expect(Object.keys(loader.credentialTypes)).toEqual(['healthDataServiceApi']);
	const [node, trigger] = Object.values(loader.nodeTypes).map(
		({ type }) => /** @type {import('n8n-workflow').INodeTypeDescription} */ (type.description),
	);
	const shown = {
		iconUrl: {
			light: 'icons/n8n-nodes-health-data-service/dist/icons/healthDataService.svg',
			dark: 'icons/n8n-nodes-health-data-service/dist/icons/healthDataService.dark.svg',
		},
		codex: {
			categories: expect.arrayContaining(['Data & Storage']),
			alias: expect.arrayContaining(['blood pressure']),
		},
	};
	expect(node).toMatchObject(shown);
	expect(trigger).toMatchObject(shown);
	expect(node.properties.map(({ name }) => name)).toContain('requestOptions');
	expect(trigger.properties[0].name).toBe('pollTimes');
});

it('keeps the public interface', () => {
	expect(missingIn(publicInterface(unpacked), recorded())).toEqual([]);
});
