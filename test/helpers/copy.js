/** Copy of the repository, like a fresh clone: its files, nothing installed, nothing built. */
const { copyFileSync, mkdirSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { ROOT } = require('../../dev/paths');
const { repositoryFiles } = require('./repositoryFiles');

/** @param {string} folder an empty one */
exports.copyRepository = (folder) => {
	for (const file of repositoryFiles()) {
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		copyFileSync(join(ROOT, file), join(folder, file));
	}
};
