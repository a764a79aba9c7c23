/** Files of the repository: those tracked by git, and new ones that are not ignored. */
const { execFileSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../dev/paths');

/** @returns {string[]} with `/`, from the root */
exports.repositoryFiles = () => {
	const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	return [...new Set(listed.split('\0'))].filter((file) => file && existsSync(join(ROOT, file)));
};
