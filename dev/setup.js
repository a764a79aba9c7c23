/**
 * Installation of the development tools (node_modules); with `--build` also of dist/, with `--host` of dist/ and the real n8n, with
 * `--browser` of one for its editor. Runs before every command that needs them, and prints nothing when all is there.
 */
require('./install/nodeVersion');
const fs = require('node:fs');
const path = require('node:path');
const { run, runAsScript } = require('./install/command');
const { installWithNpm } = require('./install/npm');
const { filesIn, once } = require('./install/once');
const { CACHE, ROOT } = require('./paths');

const wants = (/** @type {string[]} */ ...switches) => switches.some((one) => process.argv.includes(one));

const BUILT_FROM = ['package.json', 'tsconfig.json', 'gulpfile.js', 'dev/scripts/previews.js'];

async function installDevTools() {
	const files = () => [path.join(ROOT, 'package-lock.json')];
	// Inside node_modules: deleting that folder deletes its stamp, too.
	await once({ name: 'setup', stamp: path.join(ROOT, 'node_modules', '.installed'), files }, async () => {
		console.log('Installing the development tools (npm install; half a minute, this once)');
		await installWithNpm('npm install', ROOT);
	});
}

async function build() {
	const inRoot = (/** @type {string} */ name) => path.join(ROOT, name);
	const files = () => [...BUILT_FROM.map(inRoot), ...['nodes', 'credentials', 'icons'].map(inRoot).flatMap(filesIn)];
	const { nodes, credentials } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')).n8n;
	const isThere = () => [...nodes, ...credentials].every((file) => fs.existsSync(path.join(ROOT, file)));
	await once({ name: 'setup', stamp: path.join(CACHE, 'built'), files, isThere }, async () => {
		console.log('Building dist/ (a few seconds)');
		await run('The build', [process.execPath, 'node_modules/gulp/bin/gulp.js', 'build'], { cwd: ROOT });
	});
}

async function main() {
	// Side by side: one mostly waits for the network, the other mostly compiles.
	await Promise.all([
		installDevTools().then(async () => void (wants('--build', '--host') && (await build()))),
		wants('--host') && require('./host/install').installHost(),
	]);
	if (wants('--browser')) await require('./install/browser').installBrowser();
}

// So that what it has started ends, too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
void runAsScript(main);
