/**
 * Folder of an n8n that has the packed package: a copy of one in which n8n has started once, with its tables and its owner. To make
 * them takes a third of a start.
 */
const { cpSync, existsSync, rmSync } = require('node:fs');
const { basename, join } = require('node:path');
const { N8N_HOME } = require('../../dev/host/hostPaths');
const { installPackage, packPackage } = require('../../dev/host/installPackage');
const { startN8n } = require('../../dev/host/n8n');
const { once } = require('../../dev/install/once');
const { hashOfFiles } = require('../../dev/install/stamp');
const { CACHE } = require('../../dev/paths');
const { emptyFolder } = require('./folder');

const PREPARED = join(CACHE, `n8n-prepared-${basename(N8N_HOME)}`);

async function prepare() {
	rmSync(PREPARED, { recursive: true, force: true });
	const n8n = await startN8n({ folder: PREPARED });
	await n8n.stop();
}

/** @param {string} folder becomes one of an n8n without the package */
exports.prepareFolder = async (folder) => {
	const hash = () => hashOfFiles([join(N8N_HOME, 'pnpm-lock.yaml')]);
	const isThere = () => existsSync(PREPARED);
	await once({ name: 'n8n-prepared', stamp: `${PREPARED}.stamp`, hash, isThere, log: () => {} }, prepare);
	cpSync(PREPARED, folder, { recursive: true });
};

/** Removed by the caller. */
exports.folderWithPackage = async () => {
	const folder = emptyFolder();
	await exports.prepareFolder(folder);
	await installPackage(folder, await packPackage());
	return folder;
};
