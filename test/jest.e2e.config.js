/**
 * Tests in a real n8n: `npm run test:e2e`. Each file has an n8n of its own. Four files at a time also
 * on two cores: the longest ones mostly wait for polls and for starts of n8n.
 */
const shared = require('./jest.config');

/** @type {import('jest').Config} */
module.exports = {
	...shared,
	testMatch: ['<rootDir>/test/{e2e,install}/**/*.test.{ts,js}'],
	globalSetup: '<rootDir>/test/setup/realN8nAndBrowser.js',
	setupFiles: [],
	setupFilesAfterEnv: ['<rootDir>/test/setup/assertions.js'],
	testSequencer: '<rootDir>/test/setup/longestFirst.js',
	maxWorkers: Math.max(4, Number(shared.maxWorkers)),
	// More than the patience of a single wait, which says what was awaited.
	testTimeout: 900_000,
};
