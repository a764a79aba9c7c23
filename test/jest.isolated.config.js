/**
 * Tests that hold an expression (`{{` in their name), evaluated in an isolate as n8n does: a sample of each kind of expression,
 * with EXPRESSIONS=all every one. An isolate costs each run of a workflow about 0.2 s.
 * The isolate needs NODE_OPTIONS=--experimental-vm-modules.
 */
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const shared = require('./jest.config');

process.env.EXPRESSION_ENGINE ??= 'quickjs';

const SAMPLE = ['engine/expressions.test.ts'];
const holdsMark = (/** @type {string} */ file) => readFileSync(join(__dirname, file), 'utf8').includes('{{');
const everyFile = () =>
	['engine', 'trigger']
		.flatMap((folder) => readdirSync(join(__dirname, folder)).map((name) => `${folder}/${name}`))
		.filter((file) => /\.test\.[jt]s$/.test(file) && holdsMark(file));

/** @type {import('jest').Config} */
module.exports = {
	...shared,
	testMatch: (process.env.EXPRESSIONS === 'all' ? everyFile() : SAMPLE).map((file) => `<rootDir>/test/${file}`),
	testNamePattern: '\\{\\{',
};
