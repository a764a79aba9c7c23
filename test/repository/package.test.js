/**
 * The tarball that would be published, packed from a fresh build: what is in it, and that n8n's own loader takes it.
 */
const { execFileSync } = require('node:child_process');
const { mkdirSync, readdirSync, readFileSync, rmSync, statSync } = require('node:fs');
const { join, relative } = require('node:path');
const { PackageDirectoryLoader } = require('n8n-core');
const { CACHE, ROOT } = require('../../dev/paths');
const { previewOf } = require('../../dev/scripts/previews');
const { missingIn, publicInterface, recorded } = require('../../dev/scripts/publicInterface');
const { straysOf } = require('../helpers/reach');

// Below the repository, so that `n8n-workflow` and `luxon` are found as they are inside n8n.
const folder = join(CACHE, 'package-test');
const unpacked = join(folder, 'package');
/** @type {string} */
let tarball;

beforeAll(() => {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	execFileSync(process.execPath, [join(ROOT, 'node_modules/gulp/bin/gulp.js'), 'build', '--silent'], { cwd: ROOT });
	const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
		cwd: ROOT,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const answer = JSON.parse(packed);
	tarball = join(folder, (Array.isArray(answer) ? answer[0] : Object.values(answer)[0]).filename);
	execFileSync('tar', ['-xzf', tarball, '-C', folder]);
}, 120_000);

/** @param {string} directory @returns {string[]} */
const files = (directory) =>
	readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
		entry.isDirectory() ? files(join(directory, entry.name)) : [join(directory, entry.name)],
	);

it('is small', () => {
	expect(statSync(tarball).size).toBeLessThan(100_000);
});

const NODE = 'dist/nodes/HealthDataService';
/** @returns {import('../../nodes/HealthDataService/service/metrics').Metric[]} */
const metrics = () => require(join(unpacked, NODE, 'service', 'metrics.js')).metrics;

it('holds what ships and nothing else', () => {
	const names = files(unpacked).map((file) => relative(unpacked, file).split('\\').join('/'));
	const sources = ['nodes', 'credentials'].flatMap((name) => files(join(ROOT, name)));
	const built = sources
		.map((file) => relative(ROOT, file).split('\\').join('/'))
		.map((file) => `dist/${file.replace(/\.ts$/, '.js')}`);
	const previews = metrics().map(({ value }) => `${NODE}/__schema__/v1.0.0/timeseries/${value}.json`);
	const icons = ['dist/icons/healthDataService.dark.svg', 'dist/icons/healthDataService.svg'];
	expect(names.sort()).toEqual([...built, ...previews, ...icons, 'LICENSE.md', 'README.md', 'package.json'].sort());
});

it('has a preview of the output of each metric', () => {
	expect(metrics().length).toBeGreaterThan(1);
	for (const metric of metrics()) {
		const file = join(unpacked, NODE, '__schema__', 'v1.0.0', 'timeseries', `${metric.value}.json`);
		expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(previewOf(metric));
	}
});

it('needs and reaches nothing at run time but what n8n brings', () => {
	expect(straysOf(files(unpacked).filter((file) => file.endsWith('.js')))).toEqual([]);

	const { dependencies, peerDependencies, overrides } = JSON.parse(
		readFileSync(join(unpacked, 'package.json'), 'utf8'),
	);
	expect({ dependencies, peerDependencies, overrides }).toEqual({ peerDependencies: { 'n8n-workflow': '*' } });
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

// What is new may be added any time; `npm run release:check` asks for it to be in the record.
it('keeps every name, value and default that saved workflows depend on', () => {
	expect(recorded().length).toBeGreaterThan(100);
	const lost = missingIn(publicInterface(unpacked), recorded());
	if (lost.length > 0) {
		throw new Error(
			`These are promised (test/repository/public-interface.txt) and are gone or different now:\n${lost.join('\n')}`,
		);
	}
});
