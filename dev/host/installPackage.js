/**
 * Packing of this package as npm would publish it, and its installation into an n8n in the same steps as n8n's installer:
 * unpack, drop the dependencies that n8n drops, `npm install`, add it to the list of installed packages.
 */
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { cleanEnvironment } = require('../install/cleanEnvironment');
const { CACHE, ROOT } = require('../paths');

/** The flags of n8n's installer (n8n/dist/modules/community-packages/community-packages.service.js). */
const N8N_INSTALL_FLAGS = [
	...['--audit=false', '--fund=false', '--bin-links=false', '--install-strategy=shallow'],
	...['--ignore-scripts=true', '--package-lock=false'],
];

/** @param {string} cwd @param {string} file @param {string[]} args */
const execute = async (cwd, file, ...args) => await promisify(execFile)(file, args, { cwd, env: cleanEnvironment() });

/** @param {string} file */
const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
/** @param {string} file @param {unknown} value */
const writeJson = (file, value) => fs.writeFileSync(file, JSON.stringify(value, null, 2));

/**
 * Needs a built `dist/`. While a release is checked, returns the file to publish.
 * @returns {Promise<string>} the tarball, in the cache
 */
async function packPackage() {
	if (process.env.PACKED_FILE) return process.env.PACKED_FILE;
	fs.mkdirSync(CACHE, { recursive: true });
	// Concurrent calls must not write to one file: each packs in its own folder and moves the result into place.
	const folder = fs.mkdtempSync(path.join(CACHE, 'pack-'));
	try {
		await execute(ROOT, 'npm', 'pack', '--ignore-scripts', '--pack-destination', folder);
		const [name] = fs.readdirSync(folder);
		fs.renameSync(path.join(folder, name), path.join(CACHE, name));
		return path.join(CACHE, name);
	} finally {
		fs.rmSync(folder, { recursive: true, force: true });
	}
}

/** @param {string} tarball @param {string} folder gets the content of the tarball's `package/` */
async function unpack(tarball, folder) {
	fs.mkdirSync(folder, { recursive: true });
	await execute(folder, 'tar', '-xzf', path.resolve(tarball), '--strip-components=1');
}

/**
 * @param {string} folder the user folder of an n8n, running or not; one that runs sees the package after a restart
 * @param {string} tarball as `packPackage` gives it
 * @returns {Promise<string>} the folder it now lies in
 */
async function installPackage(folder, tarball) {
	const nodes = path.join(folder, '.n8n', 'nodes');
	fs.mkdirSync(nodes, { recursive: true });
	const unpacked = fs.mkdtempSync(path.join(nodes, 'unpack-'));
	await unpack(tarball, unpacked);

	const manifestFile = path.join(unpacked, 'package.json');
	const { devDependencies, peerDependencies, optionalDependencies, ...manifest } = readJson(manifestFile);
	writeJson(manifestFile, manifest);
	const target = path.join(nodes, 'node_modules', manifest.name);
	fs.rmSync(target, { recursive: true, force: true });
	fs.mkdirSync(path.dirname(target), { recursive: true });
	fs.renameSync(unpacked, target);
	await execute(target, 'npm', 'install', ...N8N_INSTALL_FLAGS);

	const listFile = path.join(nodes, 'package.json');
	const list = fs.existsSync(listFile) ? readJson(listFile) : { name: 'installed-nodes', private: true };
	writeJson(listFile, { ...list, dependencies: { ...list.dependencies, [manifest.name]: manifest.version } });
	return target;
}

module.exports = { installPackage, packPackage, unpack };
