/**
 * Tests that need no running n8n: plain `jest --config test/jest.config.js`. The other two configurations build on this one.
 */
// Not UTC, and not a whole number of hours from it: a time that is read in the machine's zone by mistake shows.
process.env.TZ = 'Asia/Kolkata';

/** @type {import('jest').Config} */
module.exports = {
	rootDir: '..',
	testEnvironment: 'node',
	cacheDirectory: '<rootDir>/.cache/jest',
	roots: ['<rootDir>/test'],
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
	// Many tests wait more than they reckon, so two at a time also on a machine of two cores, where jest would take one.
	maxWorkers: 2,
	// A test that hangs, not one that is slow.
	testTimeout: 180_000,
};
