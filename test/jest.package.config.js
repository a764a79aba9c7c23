/** Tests that pack the package, build copies of the repository and start its commands: `npm run test:package`. */
/** @type {import('jest').Config} */
module.exports = {
	...require('./jest.config'),
	testMatch: ['<rootDir>/test/package/**/*.test.js'],
};
