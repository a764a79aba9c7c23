/** Folders of the tests: empty ones that they remove, and the one for screenshots, which stays. */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { remove, temporaryFolder } = require('../../dev/install/temporary');
const { CACHE } = require('../../dev/paths');

exports.emptyFolder = temporaryFolder;
exports.removeFolder = remove;

/** The pictures that the tests took last. CONTRIBUTING.md says how they get to docs/images. */
exports.PICTURES = join(CACHE, 'images');

/** @param {string} file */
exports.textOf = (file) => readFileSync(file, 'utf8');
