/**
 * Order of the tests while code is changed: first the tests named after a file that differs from the last commit, then those of its
 * folder, so that a broken line is red within seconds. Without a change, or without git, it is jest's own order.
 */
const { spawnSync } = require('node:child_process');
const { basename, dirname } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { ROOT } = require('../../dev/paths');

/** `retry` for http/retry.ts and retry.test.ts. @param {string} file */
const nameOf = (file) => basename(file).split('.')[0];
/** @param {string} file */
const folderOf = (file) => basename(dirname(file));

function changedFiles() {
	const { stdout } = spawnSync('git', ['status', '--porcelain', '--untracked-files=all'], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	return (stdout ?? '')
		.split('\n')
		.filter(Boolean)
		.map((line) => line.slice(3));
}

/** @param {string} test @param {string[]} changed */
function rankOf(test, changed) {
	if (changed.some((file) => nameOf(file) === nameOf(test))) return 0;
	return changed.some((file) => folderOf(file) === folderOf(test)) ? 1 : 2;
}

module.exports = class extends Sequencer {
	/** @param {import('@jest/test-result').Test[]} tests */
	async sort(tests) {
		const changed = changedFiles();
		const sorted = await super.sort(tests);
		return sorted.sort((one, other) => rankOf(one.path, changed) - rankOf(other.path, changed));
	}
};
