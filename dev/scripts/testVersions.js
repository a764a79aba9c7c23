/**
 * `npm run test:versions`: the packed package in the newest and in the oldest n8n that it supports. It loads, the credential's test tells a right key
 * from a wrong one, the operations return the right rows, no way to the key is open, and the trigger emits every new reading once.
 */
const { readSwitches } = require('../install/switches');

readSwitches({
	name: 'test:versions',
	about: `The packed package in the newest and in the oldest supported n8n: it loads, the credential's test tells a right key from a
wrong one, the operations give the right rows, and the trigger emits every new reading once. Installs both.`,
});

const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { N8N_HOMES } = require('../host/hostPaths');
const { ROOT } = require('../paths');

const TESTS = ['loads', 'operations', 'protection', 'triggerMemory', 'triggerDurable'].map(
	(name) => `test/e2e/${name}.test.ts`,
);

/**
 * @param {string[]} command for this Node
 * @param {string} version the n8n to use, as in dev/host/hostPaths.js
 */
function succeeds(command, version) {
	const env = { ...process.env, HOST_N8N: version };
	return spawnSync(process.execPath, command, { cwd: ROOT, stdio: 'inherit', env }).status === 0;
}

const results = Object.entries(N8N_HOMES).map(([name, folder]) => {
	const n8n = require(join(folder, 'package.json')).dependencies.n8n;
	console.log(`\nn8n ${n8n}, the ${name}`);
	const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
	const passed =
		succeeds([require.resolve('../setup'), '--host'], name) &&
		succeeds([jest, '--config', 'test/jest.e2e.config.js', ...TESTS], name);
	return { n8n, passed };
});

console.log(`\n${results.map(({ n8n, passed }) => `${passed ? 'PASS' : 'FAIL'}  n8n ${n8n}`).join('\n')}`);
if (!results.every(({ passed }) => passed)) process.exitCode = 1;
