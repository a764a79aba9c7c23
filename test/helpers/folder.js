/**
 * Folders of the tests: empty ones that they clean away, and the one whose pictures stay.
 */
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { CACHE } = require('../../dev/paths');

exports.emptyFolder = () => mkdtempSync(join(tmpdir(), 'health-data-service-e2e-'));
/** @param {string} folder */
exports.removeFolder = (folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** The pictures that the test of the editor took last. `npm run images` copies them to docs/images. */
exports.PICTURES = join(CACHE, 'images');
