/**
 * Folder of an n8n that has the packed package: a copy of one in which n8n has started once, with its tables and its owner. To make
 * them takes a third of a start, and to install the package as much as a short test.
 */
const { cpSync, existsSync, rmSync } = require('node:fs');
const { basename, join } = require('node:path');
const { N8N_HOME } = require('../../dev/host/hostPaths');
const { installPackage, packPackage } = require('../../dev/host/installPackage');
const { startN8n } = require('../../dev/host/n8n');
const { filesIn, once } = require('../../dev/install/once');
const { CACHE, ROOT } = require('../../dev/paths');
const { emptyFolder } = require('./folder');

/**
 * A copy of a folder that is made once, until one of `files` changes.
 * @param {string} folder the copy
 * @param {string} name
 * @param {() => string[]} files
 * @param {(made: string) => Promise<unknown>} make
 */
async function copyOf(folder, name, files, make) {
	const made = join(CACHE, `${name}-${basename(N8N_HOME)}`);
	const isThere = () => existsSync(made);
	await once({ name, stamp: `${made}.stamp`, files, isThere, log: () => {} }, async () => {
		rmSync(made, { recursive: true, force: true });
		await make(made);
	});
	cpSync(made, folder, { recursive: true });
	return folder;
}

/** @param {string} folder becomes one of an n8n without the package */
exports.prepareFolder = async (folder) =>
	await copyOf(
		folder,
		'n8n-prepared',
		() => [join(N8N_HOME, 'pnpm-lock.yaml')],
		async (made) => await (await startN8n({ folder: made })).stop(),
	);

/** All that npm would pack, and the n8n that gets it. */
const filesOfPackage = () => {
	const packed = process.env.PACKED_FILE;
	const ours = packed ? [packed] : [...filesIn(join(ROOT, 'dist')), join(ROOT, 'package.json')];
	return [...ours, join(N8N_HOME, 'package.json')];
};

/** Removed by the caller. */
exports.folderWithPackage = async () =>
	await copyOf(emptyFolder(), 'n8n-with-package', filesOfPackage, async (made) => {
		await exports.prepareFolder(made);
		await installPackage(made, await packPackage());
	});
