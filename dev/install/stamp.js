/**
 * Stamps of finished installations and builds: a file with the hash of everything the result depends on. It is written
 * last and removed first, so interrupted work counts as not done.
 */
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

/**
 * @param {string[]} files
 * @param {string} [salt] other dependencies of the result, such as the platform
 */
function hashOfFiles(files, salt = '') {
	const hash = createHash('sha256').update(salt);
	for (const file of files) hash.update(`\0${path.basename(file)}\0`).update(fs.readFileSync(file));
	return hash.digest('hex');
}

/**
 * @param {string} file
 * @param {string} hash
 */
function isStamped(file, hash) {
	return fs.existsSync(file) && fs.readFileSync(file, 'utf8') === hash;
}

/**
 * @template T
 * @param {string} file
 * @param {string} hash
 * @param {() => Promise<T>} work
 */
async function stamped(file, hash, work) {
	fs.rmSync(file, { force: true });
	await work();
	fs.mkdirSync(path.dirname(file), { recursive: true });
	fs.writeFileSync(file, hash);
}

module.exports = { hashOfFiles, isStamped, stamped };
