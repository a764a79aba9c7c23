/** Tests in a real n8n: `npm run test:e2e`, after dev/setup.js --host. One file after the other, each with an n8n of its own. */
/** @type {import('jest').Config} */
module.exports = {
	...require('./jest.config'),
	testMatch: ['<rootDir>/test/{e2e,install}/**/*.test.{ts,js}'],
	setupFiles: [],
	setupFilesAfterEnv: [],
	maxWorkers: 1,
	testTimeout: 300_000,
};
