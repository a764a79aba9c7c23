/**
 * Installs what a command needs. It also runs before every such command, so that a fresh clone needs no other
 * step, and prints nothing when all is there. Nothing is installed yet when it runs: Node's own modules only.
 */
const { readSwitches } = require('./install/switches');

const wants = readSwitches({
	name: 'node dev/setup.js',
	about: 'Installs the development tools (node_modules), and what else is asked for. What is there stays.',
	switches: {
		build: { type: 'boolean', about: 'build dist/, too' },
		host: { type: 'boolean', about: 'build dist/ and install the real n8n of dev/host' },
		browser: { type: 'boolean', about: 'a browser for its editor' },
	},
});

const fs = require('node:fs');
const path = require('node:path');
const { run, runAsScript } = require('./install/command');
const { cleanEnvironment } = require('./install/cleanEnvironment');
const { installWithNpm } = require('./install/npm');
const { once } = require('./install/once');
const { hashOfFiles } = require('./install/stamp');
const { CACHE, ROOT } = require('./paths');

/** Stamp inside node_modules: deleting that folder deletes its stamp, too. */
const INSTALLED = path.join(ROOT, 'node_modules', '.installed');
const BUILT = path.join(CACHE, 'built');
const BUILT_FROM = [
	'package.json',
	'tsconfig.json',
	'gulpfile.js',
	'dev/scripts/previews.js',
	'nodes',
	'credentials',
	'icons',
];

async function installDevTools() {
	const hash = () => hashOfFiles([path.join(ROOT, 'package-lock.json')], `${process.platform}-${process.arch}`);
	await once({ name: 'setup', stamp: INSTALLED, hash }, async (holdFor) => {
		console.log('Installing the development tools (npm install; half a minute, this once)');
		const logFile = path.join(CACHE, 'npm-install.log');
		await installWithNpm('npm install', { folder: ROOT, logFile, log: console.log, onStart: holdFor });
	});
}

/**
 * @param {string} file
 * @returns {string[]} itself, or all files below it
 */
function filesIn(file) {
	if (!fs.existsSync(file)) return [];
	if (!fs.statSync(file).isDirectory()) return [file];
	return fs
		.readdirSync(file)
		.sort()
		.flatMap((name) => filesIn(path.join(file, name)));
}

async function build() {
	const sources = () => BUILT_FROM.flatMap((name) => filesIn(path.join(ROOT, name)));
	// Names count as well as contents: moving a file changes the build.
	const names = () => sources().map((file) => path.relative(ROOT, file));
	const hash = () => hashOfFiles(sources(), names().join('\n'));
	const isThere = () => {
		const { nodes, credentials } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')).n8n;
		return [...nodes, ...credentials].every((file) => fs.existsSync(path.join(ROOT, file)));
	};
	await once({ name: 'setup', stamp: BUILT, hash, isThere }, async (holdFor) => {
		console.log('Building dist/ (a few seconds)');
		const gulp = path.join(ROOT, 'node_modules', 'gulp', 'bin', 'gulp.js');
		const logFile = path.join(CACHE, 'build.log');
		await run('The build', [process.execPath, gulp, 'build'], {
			cwd: ROOT,
			env: cleanEnvironment(),
			logFile,
			onStart: holdFor,
		});
	});
}

async function main() {
	// Side by side: one mostly waits for the network, the other mostly compiles.
	await Promise.all([
		installDevTools().then(async () => {
			if (wants.build || wants.host) await build();
		}),
		wants.host && require('./host/install').installHost(),
	]);
	if (wants.browser) await require('./install/browser').installBrowser();
}

void runAsScript(main);
