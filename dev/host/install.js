/**
 * Installer of the real n8n: Node 24 and pnpm (dev/host/tools), then n8n itself (dev/host/newest, or with HOST_N8N=oldest
 * dev/host/oldest). With everything in place it only compares a hash. Also a program: node dev/host/install.js
 */
const fs = require('node:fs');
const path = require('node:path');
const { cleanEnvironment, withFirstOnPath } = require('../install/cleanEnvironment');
const { ReadableError, run, runAsScript } = require('../install/command');
const { installWithNpm } = require('../install/npm');
const { once } = require('../install/once');
const { CACHE } = require('../paths');
const paths = require('./hostPaths');

const { N8N_BIN, N8N_HOME, NODE24, NODE24_PACKAGE, PNPM, TOOLS } = paths;
const MODULES = path.join(N8N_HOME, 'node_modules');
const INSTALL = [
	...['install', '--frozen-lockfile', '--reporter=append-only', '--fetch-retries=2'],
	...['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'],
];
/** Prints of pnpm's many lines one in five seconds. */
function progress() {
	let last = Date.now();
	return (/** @type {string} */ line) => {
		if (!line.startsWith('Progress: ') || Date.now() - last < 5000) return;
		last = Date.now();
		console.log(`  ${line}`);
	};
}

async function installNodeAndPnpm() {
	await installWithNpm('Installing Node 24 and pnpm', TOOLS, ['--ignore-scripts', '--include=optional']);
	// npm silently skips an optional package that it cannot fetch.
	const missing = [NODE24, PNPM].find((file) => !fs.existsSync(file));
	if (missing) throw new ReadableError(`npm left out ${missing}: the registry may not have it, or the network broke.`);
}

async function installN8n() {
	// When the ready-made sqlite3 cannot be downloaded, these flags cut compiling it from most of a minute to a third.
	const flags = { JOBS: 'max', CFLAGS: '-O1', CXXFLAGS: '-O1' };
	const env = withFirstOnPath(cleanEnvironment({ CI: 'true', ...flags }), path.dirname(NODE24));
	// Compiling needs the headers of the Node that will load the result.
	if (fs.existsSync(path.join(NODE24_PACKAGE, 'include', 'node', 'node.h'))) env.npm_config_nodedir = NODE24_PACKAGE;
	// Deleted with the clone. Packages are linked from it, so it takes no extra space.
	env.npm_config_store_dir ??= path.join(CACHE, 'pnpm-store');
	await run('Installing n8n', [NODE24, PNPM, ...INSTALL], {
		cwd: N8N_HOME,
		env,
		usesRegistry: true,
		onLine: progress(),
	});
}

/** An interrupted installation can leave compiled parts unfinished, which pnpm does not notice; loading them shows it. */
async function loadCompiledParts() {
	const command = [NODE24, '--no-node-snapshot', require.resolve('./loadCompiledParts')];
	await run('Loading the compiled parts of n8n', command, { cwd: N8N_HOME });
}

async function install() {
	const version = require(path.join(N8N_HOME, 'package.json')).dependencies.n8n;
	const started = Date.now();
	console.log('Installing Node 24 and pnpm for n8n (about 10 seconds)');
	await installNodeAndPnpm();
	console.log(`Installing n8n ${version} (1.3 to 1.9 GB; 1 to 3 minutes, this once)`);
	await installN8n();
	try {
		await loadCompiledParts();
	} catch {
		console.log('The earlier installation was left half done: installing n8n anew');
		fs.rmSync(MODULES, { recursive: true, force: true });
		await installN8n();
		await loadCompiledParts();
	}
	console.log(`n8n ${version} is installed (${Math.round((Date.now() - started) / 1000)} s)`);
}

async function installHost() {
	if (!paths.IS_SUPPORTED) throw new ReadableError(`n8n needs Node 24, and npm has none for ${paths.PLATFORM}.`);
	const files = () => [
		...['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml'].map((file) => path.join(N8N_HOME, file)),
		...['package.json', 'package-lock.json'].map((file) => path.join(TOOLS, file)),
	];
	const isThere = () => fs.existsSync(NODE24) && fs.existsSync(N8N_BIN);
	// Inside node_modules: deleting that folder deletes its stamp, too.
	await once({ name: 'install', stamp: path.join(MODULES, '.installed'), files, isThere }, install);
}

module.exports = { installHost };

if (require.main === module) void runAsScript(installHost);
