/** The workflows of examples/, and whether a test names one of them. */
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT } = require('../../../dev/paths');

/** @param {string[]} path */
const read = (...path) => readFileSync(join(ROOT, ...path), 'utf8');

exports.exampleFiles = () => readdirSync(join(ROOT, 'examples')).sort();
/** @param {string} file */
exports.readExample = (file) => JSON.parse(read('examples', file));
/** @param {string} testFile @param {string} file */
exports.isNamedIn = (testFile, file) => existsSync(join(ROOT, testFile)) && read(testFile).includes(file);
