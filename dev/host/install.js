/**
 * Installer of the real n8n: Node 24 and pnpm (dev/host/tools), then n8n itself (dev/host/newest, or with HOST_N8N=oldest
 * dev/host/oldest). Safe to call before every start: with everything in place it only compares a hash. Also a program:
 * node dev/host/install.js
 */
const fs = require('node:fs');
const path = require('node:path');
const { run, runAsScript } = require('../install/command');
const { cleanEnvironment, withFirstOnPath } = require('../install/cleanEnvironment');
const { ReadableError } = require('../install/failure');
const { installWithNpm } = require('../install/npm');
const paths = require('./hostPaths');
const { pnpmProgress } = require('./pnpmProgress');
const { once } = require('../install/once');
const { hashOfFiles } = require('../install/stamp');
const { CACHE } = require('../paths');

const { N8N_BIN, N8N_HOME, NODE24, NODE24_PACKAGE, PNPM, TOOLS } = paths;
const MODULES = path.join(N8N_HOME, 'node_modules');
/** Stamp inside node_modules: deleting that folder deletes its stamp, too. */
const STAMP = path.join(MODULES, '.installed');
const DECIDING_FILES = [
	...['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml'].map((file) => path.join(N8N_HOME, file)),
	...['package.json', 'package-lock.json'].map((file) => path.join(TOOLS, file)),
];

/** @typedef {(pid: number) => void} HoldFor */

/**
 * @param {(line: string) => void} log
 * @param {HoldFor} onStart
 */
async function installNodeAndPnpm(log, onStart) {
	const flags = ['--ignore-scripts', '--include=optional'];
	await installWithNpm('Installing Node 24 and pnpm', {
		folder: TOOLS,
		logFile: path.join(CACHE, 'tools.log'),
		log,
		onStart,
		flags,
	});
	// npm silently skips an optional package that it cannot fetch.
	const missing = [NODE24, PNPM].find((file) => !fs.existsSync(file));
	if (missing)
		throw new ReadableError(
			`npm left out ${missing}.\nThe registry may not have it, or the network broke. Run it again; npm's output is in ${CACHE}`,
		);
}

/**
 * @param {(line: string) => void} log
 * @param {HoldFor} holdFor
 */
async function installN8n(log, holdFor) {
	// When the ready-made sqlite3 cannot be downloaded, these flags cut compiling it from most of a minute to a third.
	const flags = { JOBS: 'max', CFLAGS: '-O1', CXXFLAGS: '-O1' };
	const env = withFirstOnPath(cleanEnvironment({ CI: 'true', ...flags }), path.dirname(NODE24));
	// Compiling needs the headers of the Node that will load the result. Packages without headers (Windows) let node-gyp fetch them.
	if (fs.existsSync(path.join(NODE24_PACKAGE, 'include', 'node', 'node.h'))) env.npm_config_nodedir = NODE24_PACKAGE;
	// Deleted with the clone. Packages are linked from it, so it takes no extra space.
	env.npm_config_store_dir ??= path.join(CACHE, 'pnpm-store');
	const options = [
		'--frozen-lockfile',
		'--reporter=append-only',
		'--fetch-retries=2',
		'--fetch-retry-mintimeout=1000',
		'--fetch-retry-maxtimeout=5000',
	];
	await run('Installing n8n', [NODE24, PNPM, 'install', ...options], {
		cwd: N8N_HOME,
		env,
		logFile: path.join(CACHE, 'n8n-install.log'),
		usesRegistry: true,
		onLine: pnpmProgress(log),
		onStart: holdFor,
	});
}

/** An interrupted installation can leave compiled parts unfinished, which pnpm does not notice; loading them shows it. */
async function loadCompiledParts() {
	await run(
		'Loading the compiled parts of n8n',
		[NODE24, '--no-node-snapshot', require.resolve('./loadCompiledParts')],
		{
			cwd: N8N_HOME,
			env: cleanEnvironment(),
			logFile: path.join(CACHE, 'n8n-check.log'),
		},
	);
}

/**
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<void>}
 */
async function installHost({ log = console.log } = {}) {
	if (!paths.IS_SUPPORTED)
		throw new ReadableError(
			`n8n needs Node 24, and there is none on npm for ${paths.PLATFORM}. Supported: ${paths.SUPPORTED.join(', ')}.`,
		);
	const hash = () => hashOfFiles(DECIDING_FILES, paths.PLATFORM);
	const isThere = () => fs.existsSync(NODE24) && fs.existsSync(N8N_BIN);
	await once({ name: 'install', stamp: STAMP, hash, isThere, log }, async (holdFor) => {
		const version = require(path.join(N8N_HOME, 'package.json')).dependencies.n8n;
		const started = Date.now();
		log('Installing Node 24 and pnpm for n8n (about 10 seconds)');
		await installNodeAndPnpm(log, holdFor);
		log(`Installing n8n ${version} (1.3 to 1.9 GB; 1 to 3 minutes, this once)`);
		await installN8n(log, holdFor);
		try {
			await loadCompiledParts();
		} catch (error) {
			if (!(error instanceof ReadableError) || error.signal) throw error;
			log('The earlier installation was left half done: installing n8n anew');
			fs.rmSync(MODULES, { recursive: true, force: true });
			await installN8n(log, holdFor);
			await loadCompiledParts();
		}
		log(`n8n ${version} is installed (${Math.round((Date.now() - started) / 1000)} s)`);
	});
}

module.exports = { N8N_BIN, NODE24, installHost };

if (require.main === module) void runAsScript(() => installHost());
