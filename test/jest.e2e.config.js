/**
 * Tests in a real n8n: `npm run test:e2e`, after dev/setup.js --host. Each file has an n8n of its own. Two files at a time, as in
 * jest.config.js: the longest, of the trigger, mostly waits for polls.
 */
/** @type {import('jest').Config} */
module.exports = {
	...require('./jest.config'),
	testMatch: ['<rootDir>/test/{e2e,install}/**/*.test.{ts,js}'],
	setupFiles: [],
	setupFilesAfterEnv: ['<rootDir>/test/setup/assertions.js'],
	testTimeout: 300_000,
};
