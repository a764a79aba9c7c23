// Not UTC, and not a whole number of hours from it: a time that is read in the machine's zone by mistake shows.
process.env.TZ = 'Asia/Kolkata';

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>/test'],
	testMatch: ['<rootDir>/test/{unit,engine,trigger,sandbox,package}/**/*.test.{ts,js}'],
	setupFiles: ['<rootDir>/test/helpers/setup.js'],
	setupFilesAfterEnv: ['<rootDir>/test/helpers/expressionEngine.js', '<rootDir>/test/helpers/regexEngine.js'],
	transform: {
		'^.+\\.ts$': [
			'@swc/jest',
			{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
		],
	},
	testTimeout: 30_000,
};
