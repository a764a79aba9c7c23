/**
 * Checks of the file that would be published, on the file itself.
 */
const fs = require('node:fs');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');
const { unpack } = require('../host/installPackage');
const { remove } = require('../install/temporary');
const { CACHE, ROOT } = require('../paths');
const { previewOf } = require('./previews');

const MOST_BYTES = 100_000;
/** n8n provides it, and installs no other dependency of a package. */
const PEERS = { 'n8n-workflow': '*' };
/** npm would run these on every machine that installs the package. */
const AT_INSTALLATION = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish', 'preprepare', 'postprepare'];

/** @param {string} file */
const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

/**
 * All files below a folder, by their path from there, with `/`.
 * @param {string} folder
 */
function filesIn(folder) {
	const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
		.map((name) => name.split(path.sep).join('/'));
}

/** The files that the build makes. */
function builtNames() {
	const sources = ['nodes', 'credentials'].flatMap((folder) =>
		filesIn(path.join(ROOT, folder)).map((name) => `dist/${folder}/${name.replace(/\.ts$/, '.js')}`),
	);
	const icons = filesIn(path.join(ROOT, 'icons')).map((name) => `dist/icons/${name}`);
	return [...sources, ...icons, 'LICENSE.md', 'README.md', 'package.json'];
}

/** @param {string} folder of the unpacked file */
function contentProblem(folder) {
	const names = filesIn(folder);
	const missing = builtNames().filter((name) => !names.includes(name));
	if (missing.length > 0) return `${missing.length} files are missing in it: ${missing.slice(0, 5).join(', ')}`;

	const node = 'dist/nodes/HealthDataService';
	/** @type {{ metrics: import('../../nodes/HealthDataService/service/metrics').Metric[] }} */
	const { metrics } = require(path.join(folder, node, 'service', 'metrics.js'));
	const previews = new Map(
		metrics.map((metric) => [`${node}/__schema__/v1.0.0/timeseries/${metric.value}.json`, previewOf(metric)]),
	);
	const expected = [...builtNames(), ...previews.keys()];
	const extra = names.filter((name) => !expected.includes(name));
	if (extra.length > 0) return `${extra.length} files do not belong in it: ${extra.slice(0, 5).join(', ')}`;
	for (const [name, preview] of previews) {
		if (!names.includes(name) || !isDeepStrictEqual(readJson(path.join(folder, name)), preview))
			return `${name} is not the preview of its metric`;
	}
	return undefined;
}

/** @param {string} folder @param {object} expected */
function manifestProblem(folder, expected) {
	const manifest = readJson(path.join(folder, 'package.json'));
	if (!isDeepStrictEqual(manifest, expected)) return 'its package.json is not that of the repository';
	const { dependencies = {}, optionalDependencies = {}, peerDependencies, overrides, scripts = {} } = manifest;
	const needed = Object.keys({ ...dependencies, ...optionalDependencies, ...overrides });
	if (needed.length > 0) return `it needs ${needed.join(', ')}, and may need nothing but what n8n brings`;
	if (!isDeepStrictEqual(peerDependencies, PEERS)) return `its 'peerDependencies' are not ${JSON.stringify(PEERS)}`;
	const hooks = AT_INSTALLATION.filter((name) => name in scripts);
	if (hooks.length > 0) return `it runs something when it is installed: ${hooks.join(', ')}`;
	if (manifest.publishConfig?.provenance !== true)
		return "'publishConfig.provenance' is not true, so npm would take it without saying where it comes from";
	return undefined;
}

/** n8n's own loader takes it. @param {string} folder */
async function loadProblem(folder) {
	require('../../test/setup/n8nSettings');
	const { PackageDirectoryLoader } = require('n8n-core');
	const { nodes, credentials } = readJson(path.join(folder, 'package.json')).n8n;
	const loader = new PackageDirectoryLoader(folder);
	try {
		await loader.loadAll();
	} catch (error) {
		return `n8n does not load it: ${error.message}`;
	}
	const loaded = [loader.nodeTypes, loader.credentialTypes].map((types) => Object.keys(types).length);
	const listed = [nodes, credentials].map(({ length }) => length);
	const all = builtNames().filter((name) => /\.(node|credentials)\.js$/.test(name)).length;
	if (!isDeepStrictEqual(loaded, listed) || listed[0] + listed[1] !== all)
		return `n8n loads ${loaded[0]} nodes and ${loaded[1]} credentials of it, and there are ${all} files of them`;
	return undefined;
}

/**
 * @param {string} tarball
 * @param {object} [manifest] package.json of the repository that it is packed from
 * @returns {Promise<string | undefined>} what is wrong with it
 */
async function fileProblem(tarball, manifest = readJson(path.join(ROOT, 'package.json'))) {
	const { size } = fs.statSync(tarball);
	if (size > MOST_BYTES) return `it has ${size} bytes, more than ${MOST_BYTES}`;
	fs.mkdirSync(CACHE, { recursive: true });
	// Below the repository, so that `n8n-workflow` and `luxon` resolve as they do inside n8n.
	const folder = fs.mkdtempSync(path.join(CACHE, 'packed-'));
	try {
		await unpack(tarball, folder);
		return contentProblem(folder) ?? manifestProblem(folder, manifest) ?? (await loadProblem(folder));
	} finally {
		remove(folder);
	}
}

module.exports = { fileProblem, filesIn };
