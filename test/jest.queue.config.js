/** Tests in a real n8n in queue mode: `npm run test:queue`. One file after the other: each starts services. */
/** @type {import('jest').Config} */
module.exports = {
	...require('./jest.e2e.config'),
	globalSetup: '<rootDir>/test/setup/realN8n.js',
	testMatch: ['<rootDir>/test/queue/**/*.test.{ts,js}'],
	maxWorkers: 1,
};
