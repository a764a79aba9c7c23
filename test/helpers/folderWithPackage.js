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

const PREPARED = join(CACHE, `n8n-prepared-${basename(N8N_HOME)}`);
const WITH_PACKAGE = `${PREPARED}-with-package`;

async function prepare() {
	rmSync(PREPARED, { recursive: true, force: true });
	const n8n = await startN8n({ folder: PREPARED });
	await n8n.stop();
}

/** @param {string} folder becomes one of an n8n without the package */
exports.prepareFolder = async (folder) => {
	const files = () => [join(N8N_HOME, 'pnpm-lock.yaml')];
	const isThere = () => existsSync(PREPARED);
	await once({ name: 'n8n-prepared', stamp: `${PREPARED}.stamp`, files, isThere, log: () => {} }, prepare);
	cpSync(PREPARED, folder, { recursive: true });
};

/** All that npm would pack, and the n8n that gets it. */
const filesOfPackage = () => {
	const packed = process.env.PACKED_FILE;
	const ours = packed ? [packed] : [...filesIn(join(ROOT, 'dist')), join(ROOT, 'package.json')];
	return [...ours, join(N8N_HOME, 'package.json')];
};

async function prepareWithPackage() {
	rmSync(WITH_PACKAGE, { recursive: true, force: true });
	await exports.prepareFolder(WITH_PACKAGE);
	await installPackage(WITH_PACKAGE, await packPackage());
}

/** Removed by the caller. */
exports.folderWithPackage = async () => {
	const folder = emptyFolder();
	const isThere = () => existsSync(WITH_PACKAGE);
	await once(
		{ name: 'n8n-with-package', stamp: `${WITH_PACKAGE}.stamp`, files: filesOfPackage, isThere, log: () => {} },
		prepareWithPackage,
	);
	cpSync(WITH_PACKAGE, folder, { recursive: true });
	return folder;
};
