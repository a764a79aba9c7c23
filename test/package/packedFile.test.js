/** The tarball that would be published: what is in it, and that n8n's own loader takes it. */
const { execFileSync } = require('node:child_process');
const { mkdirSync, readFileSync, readdirSync, rmSync, statSync } = require('node:fs');
const { join, relative, sep } = require('node:path');
const { PackageDirectoryLoader } = require('n8n-core');
const { packPackage } = require('../../dev/host/installPackage');
const { CACHE, ROOT } = require('../../dev/paths');
const { previewOf } = require('../../dev/scripts/previews');
const { missingIn, publicInterface, recorded } = require('../../dev/scripts/publicInterface');
const { straysOf } = require('./reach');
const { metrics: METRICS } = require('../../nodes/HealthDataService/service/readings/metrics');

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
});

/**
 * All files below a folder, by their path from there, with `/`.
 * @param {string} of
 */
const filesIn = (of) =>
	readdirSync(of, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(of, join(entry.parentPath, entry.name)).split(sep).join('/'));
/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
/** @param {import('../../nodes/HealthDataService/service/readings/metrics').Metric} metric */
const previewFile = ({ value }) => `dist/nodes/HealthDataService/__schema__/v1.0.0/timeseries/${value}.json`;

it('holds what the build makes of nodes, credentials and icons, and nothing else', () => {
	const sources = ['nodes', 'credentials', 'icons'].flatMap((name) =>
		filesIn(join(ROOT, name)).map((file) => `dist/${name}/${file.replace(/\.ts$/, '.js')}`),
	);
	const expected = [...sources, ...METRICS.map(previewFile), 'LICENSE.md', 'README.md', 'package.json'];
	expect(filesIn(unpacked).sort()).toEqual([...new Set(expected)].sort());
});

it.each(METRICS)('shows the preview of $value', (metric) => {
	expect(readJson(join(unpacked, previewFile(metric)))).toEqual(previewOf(metric));
});

it('is small', () => {
	expect(statSync(tarball).size).toBeLessThan(100_000);
});

it('needs what n8n brings, runs nothing when it is installed, and says where it comes from', () => {
	const manifest = readJson(join(unpacked, 'package.json'));
	expect(manifest).toEqual(readJson(join(ROOT, 'package.json')));
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	for (const kind of ['dependencies', 'optionalDependencies', 'overrides']) expect(manifest).not.toHaveProperty(kind);
	expect(Object.keys(manifest.scripts).filter((name) => /install|^prep|^post/.test(name))).toEqual([]);
	expect(manifest.publishConfig.provenance).toBe(true);
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
