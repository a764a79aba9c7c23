/** Folders of the tests: empty ones that they remove, copies of the repository, and the one for screenshots, which stays. */
const { execFileSync } = require('node:child_process');
const { copyFileSync, existsSync, mkdirSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { remove, temporaryFolder } = require('../../dev/install/temporary');
const { CACHE, ROOT } = require('../../dev/paths');

exports.emptyFolder = temporaryFolder;
exports.removeFolder = remove;

/** The pictures that the tests took last. CONTRIBUTING.md says how they get to docs/images. */
exports.PICTURES = join(CACHE, 'images');

/** @param {string} file */
exports.textOf = (file) => readFileSync(file, 'utf8');

/** Those tracked by git, and new ones that are not ignored. @returns {string[]} with `/`, from the root */
function repositoryFiles() {
	const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	return [...new Set(listed.split('\0'))].filter((file) => file && existsSync(join(ROOT, file)));
}
exports.repositoryFiles = repositoryFiles;

/** A copy of the repository, like a fresh clone: its files, nothing installed, nothing built. @param {string} folder an empty one */
exports.copyRepository = (folder) => {
	for (const file of repositoryFiles()) {
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		copyFileSync(join(ROOT, file), join(folder, file));
	}
};
