/** Tests that need no running n8n: plain `jest --config test/jest.config.js`. The other two configurations build on this one. */
const { availableParallelism } = require('node:os');
const { join } = require('node:path');
const { CACHE } = require('../dev/paths');

// Not UTC, and not a whole number of hours from it: a time that is read in the machine's zone by mistake shows.
process.env.TZ = 'Asia/Kolkata';
// swc unpacks its compiled part; without this, 30 MB of it stay in the home directory.
process.env.SWC_NATIVE_BINDING_CACHE = join(CACHE, 'swc');
// In a folder that a group may write to, swc would still prefer the home directory; node_modules lies in the same folder.
process.env.SWC_NATIVE_BINDING_CACHE_SKIP_SECURITY_CHECK = '1';

/** As many as the process may use: fewer than the machine has under `taskset` or in a container. */
const WORKERS = Math.max(2, availableParallelism());

const GLOBALS =
	'Array BigInt Date Error Function JSON Map Math Number Object Promise Proxy RangeError Reflect RegExp Set String Symbol TypeError WeakMap WeakSet isNaN parseFloat parseInt'.split(
		' ',
	);

/** @type {import('jest').Config} */
module.exports = {
	rootDir: '..',
	testEnvironment: 'node',
	// Each test file has a context of its own, in which looking up a global costs several times as much; handed in, these cost nothing.
	// What a test replaces on globalThis (timers), and what modules declare by the same name, may not be among them.
	sandboxInjectedGlobals: GLOBALS,
	cacheDirectory: '<rootDir>/.cache/jest',
	// A change in one of these runs a watched test again. Not dev/ as a whole: it holds an installed n8n.
	roots: ['test', 'nodes', 'credentials', 'dev/sandbox'].map((folder) => `<rootDir>/${folder}`),
	testMatch: ['<rootDir>/test/{unit,engine,trigger,sandbox,repository}/**/*.test.{ts,js}'],
	setupFiles: ['<rootDir>/test/setup/n8nSettings.js'],
	setupFilesAfterEnv: [
		'<rootDir>/test/setup/assertions.js',
		'<rootDir>/test/setup/expressionEngine.js',
		'<rootDir>/test/setup/regexEngine.js',
	],
	transform: {
		'^.+\\.ts$': [
			'@swc/jest',
			{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
		],
	},
	testSequencer: '<rootDir>/test/setup/changedFirst.js',
	maxWorkers: WORKERS,
	// Node needs a while to free a large heap when it exits; above half a second, on a busy machine, jest calls that a leak.
	workerIdleMemoryLimit: '1GB',
	// A test that hangs, not one that is slow.
	testTimeout: 600_000,
};
