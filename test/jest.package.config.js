/** Tests that pack the package, build copies of the repository and start its commands: `npm run test:package`. */
/** @type {import('jest').Config} */
module.exports = {
	...require('./jest.config'),
	globalSetup: '<rootDir>/test/setup/build.js',
	testMatch: ['<rootDir>/test/package/**/*.test.js'],
};
