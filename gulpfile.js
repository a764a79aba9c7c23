/**
 * Builds what ships: `gulp build` leaves in dist/ exactly what the npm package holds beside package.json, README and LICENSE.
 */
const { rm } = require('node:fs/promises');
const { execFile } = require('node:child_process');
const { promisify } = require('node:util');
const { join } = require('node:path');
const { dest, parallel, series, src } = require('gulp');
const { writePreviews } = require('./dev/scripts/previews');

const clean = async () => await rm('dist', { recursive: true, force: true });

async function compile() {
	try {
		await promisify(execFile)(process.execPath, [require.resolve('typescript/bin/tsc')]);
	} catch (error) {
		throw new Error(`TypeScript found:\n${error.stdout}`);
	}
}

/** Copies files to the same place below dist/. SVGs are not text to gulp: `encoding: false` leaves their bytes alone. @param {string} name @param {string} pattern */
const copy = (name, pattern) =>
	Object.assign(() => src(pattern, { base: '.', encoding: false }).pipe(dest('dist')), { displayName: name });

const icons = copy('icons', 'icons/*.svg');
const codex = copy('codex', 'nodes/**/*.node.json');
const schemas = copy('schemas', 'nodes/**/__schema__/**/*.json');

const previews = async () => writePreviews(join(__dirname, 'dist', 'nodes', 'HealthDataService'));

exports.clean = clean;
exports.build = series(clean, parallel(compile, icons, codex, schemas), previews);
exports.default = exports.build;
