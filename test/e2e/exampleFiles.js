// Plain JavaScript: the strict lint forbids `node:fs` in TypeScript files.
/** The workflows of examples/, and whether a test names one of them. */
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..', '..');
const read = (...path) => readFileSync(join(root, ...path), 'utf8');

exports.exampleFiles = () => readdirSync(join(root, 'examples')).sort();
exports.readExample = (file) => JSON.parse(read('examples', file));
exports.isNamedIn = (testFile, file) => existsSync(join(root, testFile)) && read(testFile).includes(file);
