/** The package in the folder of an n8n. In JavaScript, since it touches Node. */
const { renameSync } = require('node:fs');
const { join } = require('node:path');
const { name: NAME } = require('../../package.json');

/** Runs `work` while an n8n lacks the package. @param {string} folder of this n8n @param {() => Promise<unknown>} work */
exports.withoutPackage = async (folder, work) => {
	const [there, away] = [join(folder, '.n8n', 'nodes', 'node_modules', NAME), join(folder, 'away')];
	renameSync(there, away);
	await work().finally(() => renameSync(away, there));
};
